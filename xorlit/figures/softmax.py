"""Figures of the chapter *Why softmax*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit import laws
from xorlit.figures.style import HEADS, figure, proportion

KINDS = dict(zip(("softmax", "linear", "erf"), HEADS, strict=True))


@figure
def loss_curves(kind, start, step, low, median, high):
    """Loss over steps for each kind of attention, one panel a start.

    Shapes: all (n,), one entry a kind, start and step; a band from ``low`` to ``high`` around
    the ``median`` of the seeds.  Returns a Figure.  Source: chapter *Why softmax*.
    """
    starts = list(dict.fromkeys(start.tolist()))
    fig, axes = plt.subplots(1, len(starts), sharey=True, figsize=(7.2, 3.8))
    for ax, name in zip(np.atleast_1d(axes), starts, strict=True):
        for attention, style in KINDS.items():
            cells = (start == name) & (kind == attention)
            if cells.any():
                ax.fill_between(step[cells], low[cells], high[cells], color=style["color"],
                                alpha=0.2, linewidth=0)  # fmt: skip
                ax.plot(step[cells], median[cells], color=style["color"],
                        linestyle=style["linestyle"], marker=style["marker"],
                        markevery=[1, 3, 10, 30, 100], label=attention)  # fmt: skip
        ax.axhline(0.5, color="#444444", linestyle=":", linewidth=1)
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        ax.set(title=f"{name} start", xlabel="step (log scale from 1)", ylim=(-0.03, 1.25))
        ax.set_xlim(-0.1, step.max())
    np.atleast_1d(axes)[0].set_ylabel("loss")
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=len(KINDS))
    return fig


@figure
def rank_floor(d, m, loss):
    """Loss of trained linear attention, one point a seed, against the floor of its rank.

    Shapes: ``m``, ``loss`` (n,); ``d`` positions.  Returns a Figure.
    Source: chapter *Why softmax*.
    """
    fig, ax = plt.subplots()
    grid = np.arange(1, 2.1 * d, dtype=int)
    ax.plot(grid / d, [laws.rank_floor(d, x) for x in grid], color=HEADS[0]["color"],
            label="floor on the mean over supports")  # fmt: skip
    lengths = np.unique(m)
    jitter = np.concatenate([np.linspace(-0.02, 0.02, (m == length).sum()) for length in lengths])
    order = np.argsort(m, kind="stable")
    ax.plot(m[order] / d + jitter, loss[order], "o", color="#888888", markersize=3,
            label="linear attention, one run each, best rate")  # fmt: skip
    means = np.array([loss[m == length].mean() for length in lengths])
    spread = [loss[m == length].std(ddof=1) / np.sqrt((m == length).sum()) for length in lengths]
    style = HEADS[1]
    ax.errorbar(
        lengths / d,
        means,
        yerr=2 * np.array(spread),
        linestyle="none",
        zorder=3,
        marker=style["marker"],
        color=style["color"],
        label="their mean, ± 2 standard errors",
    )
    ax.axhline(0.1, color="#444444", linestyle=":", linewidth=1, label="learned below this")
    ax.set(xlabel="position length m / d", ylabel="loss", ylim=(-0.03, 1.05))
    ax.legend(loc="upper right", fontsize=9.5)
    return fig


@figure
def scores_to_weights(score, softmax, linear, support):
    """The same scores after one step turned into weights by the exponential and by nothing.

    Shapes: ``score``, ``softmax``, ``linear`` (d,); ``softmax`` and ``linear`` as shares of the
    total |weight|.  Returns a Figure.  Source: chapter *Why softmax*.
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.2), sharex=True)
    outside = np.setdiff1d(np.arange(len(score)), support)
    for ax, values, title in zip(
        axes, (score, linear, softmax), ("score", "linear weight", "softmax weight"), strict=True
    ):
        ax.plot(outside, values[outside], ".", color="#888888", markersize=3)
        for s, style in zip(support, HEADS, strict=False):
            ax.plot(s, values[s], style["marker"], color=style["color"], markersize=8,
                    label=f"position {s}")  # fmt: skip
        ax.set_title(title)
    axes[1].set_xlabel("position")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


@figure
def saddle(step, losses, labels):
    """Loss over steps of runs that start near the trap, one line each.

    Shapes: ``step`` (t,); ``losses`` a list of (t,); ``labels`` of the same length.  Returns a
    Figure.  Source: chapter *Why softmax*.
    """
    fig, ax = plt.subplots()
    for loss, label, style in zip(losses, labels, HEADS, strict=False):
        ax.plot(step, loss, color=style["color"], linestyle=style["linestyle"],
                marker=style["marker"], markevery=25, label=label)  # fmt: skip
    ax.axhline(0.5, color="#444444", linestyle=":", linewidth=1)
    ax.set(xlabel="step", ylabel="loss", ylim=(-0.03, 1.2))
    ax.legend()
    return fig


@figure
def position_ablation(positions, m, factor, learned, trials):
    """Share learned in one step for each kind of positions, over the rate.

    Shapes: all (n,), one entry a kind and rate.  Returns a Figure.
    Source: chapter *Why softmax*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 4.2))
    colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#444444"]
    kinds = dict.fromkeys(positions.tolist())
    for name, colour, marker, dash in zip(kinds, colours, "os^Dv", ["-", "--", "-.", ":", "-"],
                                          strict=False):  # fmt: skip
        cells = positions == name
        proportion(ax, factor[cells], learned[cells], trials[cells], color=colour, marker=marker,
                   linestyle=dash, label=f"{name}, m = {m[cells][0]}")  # fmt: skip
    ax.set(xscale="log", xlabel="rate / (d²√m), log scale", ylabel="share learned in one step",
           ylim=(-0.03, 1.03))  # fmt: skip
    ax.legend(fontsize=9.5, loc="center right", bbox_to_anchor=(1, 0.36))
    return fig


@figure
def training_ablation(method, rate, learned_at, steps):
    """Share of runs that learn in one step and in ``steps``, for each optimiser, loss and rate.

    Shapes: ``method``, ``rate``, ``learned_at`` (n,), one entry a run (−1: not in ``steps``).
    Rates of gradient descent on the logistic loss are drawn divided by 4.  Returns a Figure.
    Source: chapter *Why softmax*.
    """
    fig, axes = plt.subplots(1, 2, sharey=True, figsize=(7.2, 4.2))
    for name in dict.fromkeys(method.tolist()):
        optimiser, loss = name.split(", ")
        ax, style = axes[int(optimiser == "Adam")], HEADS[int(loss == "logistic")]
        quarter = 4 if loss == "logistic" and optimiser != "Adam" else 1
        rates = np.unique(rate[method == name])
        runs = [learned_at[(method == name) & (rate == r)] for r in rates]
        total = [len(run) for run in runs]
        shift = 1.06 if loss == "logistic" else 1 / 1.06  # so that equal points stay visible
        for limit, fill, dash in ((steps, style["color"], "-"), (1, "white", ":")):
            counts = [((run > 0) & (run <= limit)).sum() for run in runs]
            proportion(ax, shift * rates / quarter, counts, total, color=style["color"],
                       marker=style["marker"], markerfacecolor=fill, linestyle=dash,
                       label=f"{loss}, {limit} step{'s' * (limit > 1)}")  # fmt: skip
        ax.set(title=optimiser, xscale="log", ylim=(-0.03, 1.03))
    axes[0].set(ylabel="share learned", xlabel="rate (logistic: four times this), log scale")
    axes[1].set(xlabel="rate, log scale")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9.5, title="loss")
    return fig
