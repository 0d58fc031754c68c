"""Figures of the chapters *Learning from examples* and *Three thresholds*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure, proportion

GREY = "#444444"


@figure
def sampled_pull(pulls, titles, support):
    """The pull of head 1 on every position, one panel a number of examples, in units of 1/d².

    Shapes: ``pulls`` (panels, d).  Returns a Figure.  Source: chapter *Learning from examples*.
    """
    pulls = np.asarray(pulls) * np.shape(pulls)[1] ** 2
    fig, axes = plt.subplots(1, len(pulls), sharey=True, figsize=(7.2, 3.0))
    for ax, pull, title in zip(axes, pulls, titles, strict=True):
        ax.plot(pull, ".", color="#999999", markersize=3)
        for s, style in zip(support, HEADS, strict=False):
            ax.plot(s, pull[s], style["marker"], color=style["color"], markersize=7,
                    label=f"relevant bit {s}")  # fmt: skip
        ax.set(title=title, xlabel="position")
        ax.title.set_size(10)
    axes[0].set_ylabel("pull × d²")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9)
    return fig


@figure
def convergence(n, error):
    """Relative distance from the population gradient against n, all seeds, and a line n^−½.

    Shapes: ``n``, ``error`` (trials,).  Returns a Figure.  Source: chapter *Learning from
    examples*.
    """
    fig, ax = plt.subplots()
    sizes = np.unique(n)
    root = np.array([np.sqrt(np.mean(error[n == size] ** 2)) for size in sizes])
    ax.plot(n, error, ".", color="#999999", markersize=4, label="one sample")
    ax.plot(sizes, root, HEADS[1]["marker"], color=HEADS[1]["color"], label="root mean square")
    level = np.exp(np.mean(np.log(root * np.sqrt(sizes))))
    ax.plot(sizes, level / np.sqrt(sizes), color=HEADS[0]["color"], label="slope −1/2")
    ax.set(xscale="log", yscale="log", xlabel="number of examples n",
           ylabel="distance / length of the gradient")  # fmt: skip
    ax.legend()
    return fig


@figure
def surrogate_check(result, found=None, matched=None):
    """One step on real examples and on the surrogate, one panel a pair (d, m).

    ``result`` has the columns of the experiment "samples-check"; ``found``, ``matched`` are laws
    (d, m, n) → share, drawn as lines.  Returns a Figure.
    Source: chapter *Learning from examples*.
    """
    d, m, n = result["d"], result["m"], result["n"]
    pairs = sorted(set(zip(d.tolist(), m.tolist(), strict=True)))
    fig, axes = plt.subplots(2, -(-len(pairs) // 2), sharey=True, figsize=(7.6, 5.2))
    for ax, (size, length) in zip(axes.T.flat, pairs, strict=True):
        cells = (d == size) & (m == length)
        for what, law, style in zip(("found", "matched"), (found, matched), HEADS, strict=False):
            kind = {"color": style["color"], "markersize": 5}
            proportion(ax, n[cells], result[what][cells], result["trials"][cells],
                       marker=style["marker"], label=f"{what}, real", **kind)  # fmt: skip
            proportion(ax, 1.12 * n[cells], result[f"surrogate_{what}"][cells],
                       result["trials"][cells], marker=style["marker"], markerfacecolor="white",
                       label=f"{what}, surrogate", **kind)  # fmt: skip
            if law:
                grid = np.geomspace(n[cells].min(), n[cells].max(), 40).round().astype(int)
                shares = [law(size, length, int(c)) for c in grid]
                ax.plot(grid, shares, color=style["color"], linestyle=style["linestyle"],
                        linewidth=1, label=f"{what}, law")  # fmt: skip
        ax.set(xscale="log", title=f"d = {size}, m = {length}", ylim=(-0.03, 1.03))
        ax.title.set_size(10)
    for ax in axes[-1]:
        ax.set_xlabel("examples n")
    for ax in axes[:, 0]:
        ax.set_ylabel("share of trials")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    fig.legend(handles, labels, ncols=3, loc="outside upper center", fontsize=8)
    return fig


@figure
def train_and_population(histories, titles):
    """Loss on the sample and on the population against the step, one panel a run.

    ``histories`` from `xorlit.train`.  Returns a Figure.  Source: chapter *Three thresholds*.
    """
    fig, axes = plt.subplots(1, len(histories), sharey=True, figsize=(7.6, 3.2))
    for ax, hist, title in zip(axes, histories, titles, strict=True):
        for loss, style, label in (
            (hist.sample_loss, HEADS[0], "on the sample"),
            (hist.loss, HEADS[1], "on all inputs"),
        ):
            ax.plot(loss, **style, markevery=max(1, len(loss) // 8), markersize=5, label=label)
        ax.set(title=title, xlabel="step", ylim=(-0.08, 2.2))
        ax.title.set_size(10)
    axes[0].set_ylabel("mean squared error")
    axes[-1].legend(fontsize=8)
    return fig


@figure
def thresholds(curves, lines, rules):
    """The n at which half of the trials succeed against d, one panel a rule for m; both axes log.

    ``curves``: (rule, label, d, n, low, high), measured; ``lines``: (rule or None for every
    panel, label, d, n), from formulas; ``rules``: rule → title.  Returns a Figure.
    Source: chapter *Three thresholds*.
    """
    fig, axes = plt.subplots(1, len(rules), sharex=True, sharey=True, figsize=(7.8, 5.2))
    measured = list(dict.fromkeys(curve[1] for curve in curves))
    drawn = list(dict.fromkeys(line[1] for line in lines))
    dashes = ("-", "--", "-.", ":", (0, (6, 2)), (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
    for ax, (rule, title) in zip(axes, rules.items(), strict=True):
        for where, label, d, n in lines:
            if where in (None, rule):
                ax.plot(d, n, linestyle=dashes[drawn.index(label) % len(dashes)], color=GREY,
                        linewidth=1.1, label=label)  # fmt: skip
        for where, label, d, n, low, high in curves:
            if where == rule:
                c = measured.index(label)
                style = (*HEADS, {"color": "#009E73", "marker": "v"})[c]
                ax.errorbar(d, n, yerr=[np.subtract(n, low), np.subtract(high, n)],
                            linestyle="none", marker=style["marker"], color=style["color"],
                            markersize=5, label=label,
                            markerfacecolor="white" if c > 2 else None)  # fmt: skip
        ax.set(xscale="log", yscale="log", title=title, xlabel="dimension d")
        ax.title.set_size(10)
    axes[0].set_ylabel("examples n at which half of the trials succeed")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, ncols=3, loc="outside upper center", fontsize=8)
    return fig
