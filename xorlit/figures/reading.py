"""Figures of the chapter *Reading the attention*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure


@figure
def unfolding(factor, weights, support, loss):
    """Attention on the relevant bits and on the best outsider while the rate grows.

    Shapes: ``factor`` (r,) rates in units of d²√m; ``weights`` (r, 2, d); ``loss`` (r,).
    Returns a Figure.  Source: chapter *Reading the attention*.
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.5), sharex=True)
    outside = np.delete(weights, support, axis=2).max(axis=2)
    for h, ax in enumerate(axes[:2]):
        for s, style in zip(support, HEADS, strict=False):
            ax.plot(factor, weights[:, h, s], color=style["color"], linestyle=style["linestyle"],
                    marker=style["marker"], markevery=3, label=f"position {s}")  # fmt: skip
        ax.plot(factor, outside[:, h], color="#444444", linestyle=":", label="best other")
        ax.set(title=f"head {h + 1}", ylim=(1e-7, 3), xscale="log", yscale="log")
    axes[0].set_ylabel("attention weight, log scale")
    axes[2].plot(factor, loss, color="#444444", marker="D", markevery=3)
    axes[2].set(title="loss", ylim=(-0.03, 1.05))
    axes[1].set_xlabel("rate / (d²√m), log scale")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig


@figure
def peaks(loss, peak, bound, cut):
    """Loss of each trial against the smaller of the two peak attentions, and what a loss promises.

    Shapes: ``loss``, ``peak`` (n,); ``bound`` a function of the loss, drawn below ``cut``.
    Returns a Figure.  Source: chapter *Reading the attention*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.8))
    ax.plot(np.maximum(loss, 1e-12), peak, "o", color=HEADS[0]["color"], markersize=3.5,
            label="one trial")  # fmt: skip
    grid = np.geomspace(1e-12, cut, 200)
    ax.plot(grid, bound(grid), color=HEADS[1]["color"], linestyle="--", label="theorem: above this")
    ax.axvline(cut, color="#444444", linestyle=":", label=f"loss {cut:g}")
    ax.set(xscale="log", xlabel="loss after the step (cut at $10^{-12}$)",
           ylabel="smaller peak attention", ylim=(0.4, 1.03))  # fmt: skip
    ax.legend(loc="lower left")
    return fig


@figure
def fingerprints(attention, neurons, support):
    """What each model looks at: the attention of two heads above, first-layer weights below.

    Shapes: ``attention`` (2, d); ``neurons`` (width, d), shown as |weight|; ``support`` marked
    by ▲.  Returns a Figure.  Source: chapter *Reading the attention*.
    """
    fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7.2, 4.8), height_ratios=(1, 3))
    for ax, weights, title in (
        (top, np.abs(attention), "two heads: attention"),
        (bottom, np.abs(neurons), f"{len(neurons)} neurons: |first-layer weight|"),
    ):
        image = ax.imshow(weights, aspect="auto", cmap="cividis", vmin=0, interpolation="nearest")
        ax.set_title(title)
        ax.grid(False)
        fig.colorbar(image, ax=ax, pad=0.01)
    top.set_yticks([0, 1], ["head 1", "head 2"])
    bottom.set(ylabel="neuron", xlabel="position (▲ the two relevant bits)")
    for s in support:
        bottom.annotate("▲", (s, 0), xycoords=("data", "axes fraction"), xytext=(0, -1),
                        textcoords="offset points", ha="center", va="top", fontsize=9,
                        annotation_clip=False)  # fmt: skip
    bottom.tick_params(axis="x", pad=10)
    return fig
