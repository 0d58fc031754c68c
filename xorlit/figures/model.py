"""Figures of chapter *The model*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure


@figure
def two_heads(V, q, weights, x):
    """Positions in the plane with the two queries (left) and what each head reads (right).

    Shapes: ``V`` (d, 2), ``q`` (2, 2), ``weights`` (2, d), ``x`` (d,) of ±1; small d.
    Returns a Figure.  Source: chapter *The model*.
    """
    fig, (plane, bars) = plt.subplots(1, 2, figsize=(7.2, 3.7), width_ratios=(1, 1.1))
    plane.add_patch(plt.Circle((0, 0), 1, fill=False, color="#bbbbbb"))
    for number, (v, sign) in enumerate(zip(V, x, strict=True)):
        plane.plot(*v, "o", color="#444444", markersize=7)
        bit = "−1" if sign < 0 else "+1"
        plane.annotate(f"{number}: {bit}", v * [1.4, 1.2], ha="center", va="center")
    for h, (theta, style) in enumerate(zip(q, HEADS, strict=False)):
        plane.annotate(
            "",
            theta,
            (0, 0),
            arrowprops={
                "color": style["color"],
                "linestyle": style["linestyle"],
                "arrowstyle": "->",
                "lw": 2,
            },
        )
        aside = 0.35 * theta + np.array([0.08, 0.0])
        plane.text(*aside, f"query {h + 1}", color=style["color"], va="center")
    plane.set(aspect="equal", xlim=(-1.7, 1.7), ylim=(-1.4, 1.4), title="position: bit")
    plane.axis("off")
    place = np.arange(len(V))
    for h, (row, style) in enumerate(zip(weights, HEADS, strict=False)):
        bars.bar(
            place + 0.4 * h - 0.2,
            row,
            0.38,
            color=style["color"],
            hatch="" if h == 0 else "///",
            edgecolor="white",
            label=f"head {h + 1}",
        )
    bars.set(xlabel="position l", ylabel="attention weight", xticks=place)
    bars.legend()
    return fig


@figure
def overlaps(samples):
    """Histogram of v_k·v_l for several lengths m, with its standard deviation 1/√m.

    ``samples`` maps m to an array of overlaps.  Returns a Figure.  Source: chapter *The model*.
    """
    fig, axes = plt.subplots(1, len(samples), sharex=True, sharey=True, figsize=(7.2, 2.9))
    for ax, (m, values) in zip(axes, samples.items(), strict=True):
        ax.hist(values, bins=np.linspace(-1, 1, 61), density=True, color="#0072B2")
        for edge in (-1, 1):
            ax.axvline(edge / np.sqrt(m), color="#444444", linestyle="--", linewidth=1)
        ax.set(title=f"m = {m}", xlabel="overlap $v_k\\cdot v_l$")
    axes[0].set_ylabel("density")
    return fig
