"""Figures of the front page and of chapter *One step*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure, proportion


@figure
def attention_maps(before, after, support):
    """Attention of each head before and after the step, one stem a position.

    Shapes: ``before``, ``after`` (heads, d); ``support`` the relevant positions, marked on the
    axis.  Returns a Figure.  Source: chapter *One step*.
    """
    fig, axes = plt.subplots(2, 1, sharex=True, figsize=(7.2, 4.2))
    for ax, weights, title in zip(axes, (before, after), ("before", "after one step"), strict=True):
        for h, row in enumerate(weights):
            style = HEADS[h]
            shown = row > 0.02 if row.max() > 0.02 else np.full(len(row), False)
            ax.plot(row, color=style["color"], linestyle=style["linestyle"], linewidth=0.8)
            ax.plot(
                np.flatnonzero(shown),
                row[shown],
                style["marker"],
                color=style["color"],
                label=f"head {h + 1}",
                markersize=8,
            )
        ax.set(title=title, ylabel="attention weight", ylim=(-0.03, 1.08))
        for s in support:
            ax.annotate("▲", (s, -0.03), ha="center", va="top", fontsize=9, annotation_clip=False)
    axes[1].set(xlabel="position (▲ the two relevant bits)")
    axes[1].xaxis.labelpad = 12
    axes[1].legend(loc="center")
    return fig


@figure
def pull(values, support):
    """The pull −∂L/∂s of each head on every position: a histogram, the relevant bits marked.

    Shapes: ``values`` (heads, d).  Returns a Figure.  Source: chapter *One step*.
    """
    fig, axes = plt.subplots(1, len(values), sharey=True, figsize=(7.2, 3.2))
    outside = np.delete(values, support, axis=1)
    for h, ax in enumerate(axes):
        ax.hist(outside[h], bins=60, color="#bbbbbb")
        for s, style in zip(support, HEADS, strict=False):
            height = ax.get_ylim()[1]
            ax.axvline(values[h, s], color=style["color"], linestyle=style["linestyle"])
            ax.plot(
                values[h, s],
                0.5 * height,
                style["marker"],
                color=style["color"],
                label=f"position {s}",
            )
        ax.set(title=f"head {h + 1}", xlabel="pull per unit rate")
        ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0))
    axes[0].set_ylabel("number of positions")
    handles, names = axes[-1].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=len(support))
    return fig


@figure
def success_map(m, factor, learned, trials, law=None):
    """Share of trials learned on the grid (m, rate), one curve a length m, with intervals.

    Shapes: ``m``, ``factor``, ``learned``, ``trials`` (n,), one entry a cell; ``law`` is None or
    a function of the factor drawn as a line.  Returns a Figure.  Source: chapter *One step*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6), width_ratios=(1.15, 1))
    lengths, factors = np.unique(m), np.unique(factor)
    share = (learned / trials).reshape(len(lengths), len(factors))
    mesh = left.pcolormesh(share, vmin=0, vmax=1, edgecolors="white", linewidth=0.5)
    left.set_xticks(np.arange(0, len(factors), 3) + 0.5, [f"{f:g}" for f in factors[::3]])
    left.set_yticks(np.arange(len(lengths)) + 0.5, [f"{length:g}" for length in lengths])
    left.set(xlabel="rate / (d²√m)", ylabel="position length m", title="share learned")
    left.grid(False)
    for (row, column), p in np.ndenumerate(share):
        if column % 3 == 0:
            colour = "black" if p > 0.6 else "white"
            left.text(
                column + 0.5,
                row + 0.5,
                f"{100 * p:.0f}",
                ha="center",
                va="center",
                fontsize=7.5,
                color=colour,
            )
    fig.colorbar(mesh, ax=left, shrink=0.85)
    shown = [lengths[i] for i in (len(lengths) // 3, -1)]
    for length, style in zip(shown, HEADS, strict=False):
        cells = m == length
        proportion(
            right,
            factor[cells],
            learned[cells],
            trials[cells],
            marker=style["marker"],
            color=style["color"],
            label=f"measured, m = {length:g}",
        )
    if law is not None:
        grid = np.geomspace(factors[0], factors[-1], 60)
        right.plot(grid, [law(f) for f in grid], color="#444444", label="rate law")
    right.set(xscale="log", ylim=(-0.02, 1.02), xlabel="rate / (d²√m)", ylabel="share learned")
    right.legend(loc="lower right", fontsize=9)
    return fig
