"""Figures of the chapter *The Transformer inside*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import figure

PARTS = (("bit", 0, 1), ("position", 1, 5), ("heads", 5, 7), ("out", 7, 8))  # drawn with m = 4
COUNTS = "#56B4E9"
LINES = (
    {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": "-."},
    {"color": "#CC79A7", "marker": "D", "linestyle": ":"},
    {"color": "#444444", "marker": "v", "linestyle": (0, (5, 1))},
)


@figure
def masks(position_mask, content_mask, is_key):
    """Which entries of the query, key and value matrices count, and which tokens are keys.

    Shapes: ``position_mask``, ``content_mask`` (8,), drawn for m = 4, and ``is_key`` (1 + d,).
    Filled cells count; crossed cells are masked.  Returns a Figure.
    Source: chapter *The Transformer inside*.
    """
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 4.4), height_ratios=(4, 1.4), width_ratios=(1, 1))
    position_mask, content_mask = np.asarray(position_mask), np.asarray(content_mask)
    _cells(axes[0, 0], np.tile(position_mask, (4, 1)), "queries and keys: read the position")
    _cells(axes[1, 0], content_mask[None], "values: read the bit")
    axes[0, 1].axis("off")
    axes[0, 1].text(
        0, 0.95,
        "one token: (bit, position, heads, out)\n\n"
        "bit $l$:  ($x_l$,  $v_l$,  0, 0,  0)\n"
        "CLS:  ($β$,  $u$,  0, 0,  0)",
        va="top", fontsize=11,
    )  # fmt: skip
    counts = plt.Rectangle((0, 0), 1, 1, facecolor=COUNTS, edgecolor="#444444", label="counts")
    masked = plt.Line2D([], [], color="#888888", marker="x", linestyle="none", markersize=6,
                        label="masked, whatever is in it")  # fmt: skip
    axes[0, 1].legend(handles=[counts, masked], loc="lower left", frameon=False, fontsize=11)
    fig.get_layout_engine().set(wspace=0.12)
    is_key = np.asarray(is_key, float)[None]
    _cells(axes[1, 1], is_key, "attention of CLS: tokens that are keys", parts=())
    names = ["CLS", *(str(i) for i in range(is_key.shape[1] - 1))]
    axes[1, 1].set_xticks(np.arange(len(names)) + 0.5, names, fontsize=9)
    return fig


def _cells(ax, grid, title, parts=PARTS):
    rows, columns = grid.shape
    for (row, column), kept in np.ndenumerate(grid):
        colour = COUNTS if kept else "white"
        ax.add_patch(plt.Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="#444444"))
        if not kept:
            ax.plot(column + 0.5, row + 0.5, "x", color="#888888", markersize=6)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    ax.set_title(title, fontsize=10)
    ax.set_yticks([])
    ax.set_xticks([(low + high) / 2 for _, low, high in parts], [p[0] for p in parts], fontsize=9)
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)


@figure
def paths(variant, step, distance, loss):
    """Distance from descent on the two queries, and loss, for each choice of trained matrices.

    Shapes: all (n,), one entry a variant and step; cut at 10⁶ when a run diverged.  Returns a
    Figure.  Source: chapter *The Transformer inside*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 4.4))
    for name, style in zip(dict.fromkeys(variant.tolist()), LINES, strict=False):
        cells = variant == name
        every = {"markevery": 7, "markersize": 5, "label": name, **style}
        left.plot(step[cells][1:], np.maximum(distance[cells][1:], 1e-17), **every)
        right.plot(step[cells][1:], loss[cells][1:], **every)
    left.set(xscale="log", yscale="log", xlabel="step", ylabel="relative distance of the queries")
    right.set(xscale="log", yscale="log", xlabel="step", ylabel="loss")
    handles, labels = left.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=3, title="trained", fontsize=10)
    return fig
