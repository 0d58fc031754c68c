"""Figures of the part *What others pay*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure, proportion

# Up to five things on one axis: colour, marker and dash all differ.
KINDS = (
    *HEADS,
    {"color": "#CC79A7", "marker": "D", "linestyle": ":"},
    {"color": "#444444", "marker": "v", "linestyle": (0, (5, 1))},
)


@figure
def training_curves(step, loss, train_accuracy, accuracy, batch):
    """Fresh loss, and training against fresh accuracy, of many networks while they train.

    Shapes: ``step`` (t,), the others (t, n); ``batch`` samples a step.  Lines are medians, bands
    hold all networks.  Returns a Figure.  Source: chapter *What a feed-forward network pays*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    samples = np.asarray(step) * batch
    left.plot(samples, loss, color="#bbbbbb", linewidth=0.7, linestyle="-")
    left.plot(samples, np.median(loss, axis=1), color=HEADS[0]["color"], label="median network")
    left.axhline(0.1, color="#444444", linestyle=":", label="learned: below a tenth")
    left.set(xlabel="fresh samples used", ylabel="mean squared error, fresh", ylim=(0, None))
    for curves, style, label in ((train_accuracy, HEADS[1], "training batch"),
                                 (accuracy, HEADS[0], "fresh samples")):  # fmt: skip
        right.plot(samples, np.median(curves, axis=1), color=style["color"], label=label,
                   linestyle=style["linestyle"])  # fmt: skip
        right.fill_between(samples, curves.min(axis=1), curves.max(axis=1),
                           color=style["color"], alpha=0.15, linewidth=0)  # fmt: skip
    right.set(xlabel="fresh samples used", ylabel="share of right signs", ylim=(0.3, 1.02))
    left.legend(fontsize=9)
    right.legend(loc="lower right", fontsize=9)
    return fig


@figure
def reading_floor(r, error, d, floor):
    """Average error of networks that read r of d bits, against the floor of all such predictors.

    Shapes: ``r``, ``error`` (n,); ``floor`` a function of (d, r).  Returns a Figure.
    Source: chapter *What a feed-forward network pays*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.4))
    grid = np.arange(0, d + 1)
    ax.step(grid, [floor(d, read) for read in grid], where="mid", color=HEADS[0]["color"],
            linestyle="-", label="floor, any predictor")  # fmt: skip
    ax.plot(r, error, HEADS[1]["marker"], color=HEADS[1]["color"], markerfacecolor="none",
            label="trained networks")  # fmt: skip
    ax.set(xlabel=f"bits read, of d = {d}", ylabel="mean squared error,\naverage over supports")
    ax.legend()
    return fig


@figure
def smallest_networks(families, floor, capacity):
    """Trainable parameters of the smallest network that learns, against d, both axes log.

    ``families`` name → (d, parameters, low, high), each (n,); an infinite ``high`` is drawn as an
    arrow.  ``floor`` and ``capacity`` are functions of d drawn as lines.  Returns a Figure.
    Source: chapter *What a feed-forward network pays*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 4.2))
    sizes = np.concatenate([d for d, *_ in families.values()])
    grid = np.geomspace(sizes.min(), sizes.max(), 50)
    ax.plot(grid, [floor(d) for d in grid], color=HEADS[1]["color"], linestyle="--",
            label="floor for a trained first layer (proved)")  # fmt: skip
    ax.plot(grid, [capacity(d) for d in grid], color=HEADS[0]["color"], linestyle=":",
            label="capacity law, 2m = 4 log₂ d")  # fmt: skip
    for (name, (d, size, low, high)), style in zip(families.items(), HEADS[1::-1], strict=False):
        known = np.isfinite(high)
        error = np.array([size - low, np.where(known, high, size) - size])
        ax.errorbar(d, size, yerr=error, linestyle="none", marker=style["marker"],
                    color=style["color"], label=f"{name} (measured)")  # fmt: skip
        ax.plot(d[~known], size[~known] * 1.25, "^", color=style["color"])
    ax.set(xscale="log", yscale="log", xlabel="number of bits d (log scale)",
           ylabel="trainable parameters (log scale)")  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.legend(fontsize=9)
    return fig


@figure
def training_cost(d, samples, multiply_adds):
    """Samples and multiply-adds until learned against d: a point a network, both axes log.

    Shapes: ``d``, ``samples``, ``multiply_adds`` (n,).  Dotted guides of slope 1 and 2 run
    through the first median.  Returns a Figure.
    Source: chapter *What a feed-forward network pays*.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.4))
    sizes = np.unique(d)
    for power, (ax, cost, style) in enumerate(
        zip(axes, (samples, multiply_adds), HEADS, strict=False), 1
    ):
        medians = np.array([np.median(cost[d == size]) for size in sizes])
        ax.plot(d, cost, ".", color="#bbbbbb", label="one network")
        ax.plot(sizes, medians, style["marker"], color=style["color"], label="median")
        ax.set_xscale("log", base=2)
        ax.set(yscale="log", xlabel="number of bits d (log scale)")
        ax.plot(sizes, medians[0] * (sizes / sizes[0]) ** power, color="#444444", linestyle=":",
                label=("∝ d (guide)", "∝ d² (guide)")[power - 1])  # fmt: skip
        ax.legend(fontsize=9)
    axes[0].set_ylabel("fresh samples (log scale)")
    axes[1].set_ylabel("multiply-adds (log scale)")
    return fig


@figure
def symptoms(names, train, fresh):
    """Training and fresh accuracy of differently broken trainings, a row each.

    Shapes: ``names`` (n,), ``train`` and ``fresh`` (n, trials).  Returns a Figure.
    Source: chapter *What a feed-forward network pays*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 0.55 * len(names) + 1))
    rows = np.arange(len(names))[::-1]
    for values, style, label, shift in ((train, HEADS[1], "its own training samples", 0.14),
                                        (fresh, HEADS[0], "fresh samples", -0.14)):  # fmt: skip
        median = np.median(values, axis=1)
        error = [median - values.min(axis=1), values.max(axis=1) - median]
        ax.errorbar(median, rows + shift, xerr=error, linestyle="none", marker=style["marker"],
                    color=style["color"], label=label)  # fmt: skip
    ax.axvline(0.5, color="#444444", linestyle=":")
    ax.set_yticks(rows, names)
    ax.set(xlabel="share of right signs (marker: median, bar: all trials)", xlim=(0.3, 1.03))
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, 1.16), ncols=2, fontsize=9)
    return fig


@figure
def embedding_errors(kind, k, D, error, d, floor):
    """Average error of the best linear readout against the dimension, a panel for each k.

    Shapes: ``kind``, ``k``, ``D``, ``error`` (n,); ``floor`` a function of (d, k, D).  Points are
    means over draws, bars hold all draws.  Returns a Figure.
    Source: chapter *Why a linear readout is not enough*.
    """
    sizes = np.unique(k)
    fig, axes = plt.subplots(1, len(sizes), sharey=True, figsize=(7.2, 3.9))
    grid = np.arange(1, D.max() + 1)
    for ax, bits in zip(axes, sizes, strict=True):
        ax.plot(grid, [floor(d, bits, int(size)) for size in grid], color="black",
                linestyle="-", linewidth=1.2, label="floor 1 − D/C(d,k)")  # fmt: skip
        for name, style in zip(dict.fromkeys(kind), KINDS, strict=True):
            here = (kind == name) & (k == bits)
            x = np.unique(D[here])
            draws = [error[here & (size == D)] for size in x]
            mean = np.array([draw.mean() for draw in draws])
            bars = [[m - e.min(), e.max() - m] for m, e in zip(mean, draws, strict=True)]
            # no lines between points: chords of a concave floor would cut below it
            ax.errorbar(x, mean, yerr=np.clip(np.transpose(bars), 0, None), label=name,
                        markersize=5, **style | {"linestyle": "none"})  # fmt: skip
        ax.set(xscale="log", xlabel="dimension D (log scale)", title=f"k = {bits}")
    axes[0].set_ylabel("mean squared error,\naverage over supports")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3,
               fontsize=9)  # fmt: skip
    return fig


@figure
def samples_needed(found):
    """Share of trials in which the support is found against the number of samples.

    ``found`` name → (n, successes, trials, bound): arrays of one length, and a function of n, a
    proved lower bound on the share, drawn as a line from where it says something.  Returns a
    Figure.
    Source: chapter *What needs no network*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.6))
    for (name, (n, successes, trials, bound)), style in zip(found.items(), KINDS, strict=False):
        proportion(ax, n, successes, trials, marker=style["marker"], color=style["color"],
                   label=name)  # fmt: skip
        grid = np.geomspace(n.min(), n.max(), 400)
        proved = np.array([bound(size) for size in grid])
        ax.plot(grid[proved >= 0], proved[proved >= 0], color=style["color"],
                linestyle=style["linestyle"])  # fmt: skip
    ax.set(xscale="log", xlabel="samples n (log scale)", ylabel="share of trials that succeed",
           ylim=(-0.03, 1.03))  # fmt: skip
    ax.set_xticks([5, 10, 20, 50, 100], [5, 10, 20, 50, 100])
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=9)
    return fig


@figure
def noise_endured(method, noise, successes, trials, samples, law):
    """Who learns under label noise (left), and what it costs in samples (right).

    Shapes: all (n,), one entry a method and a noise level; ``samples`` of the feed-forward
    network (−1: under half succeed); ``law`` a function of the noise, drawn as a line: what pair
    correlation needs.  Returns a Figure.  Source: chapter *What needs no network*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.9))
    for shift, (name, style) in enumerate(zip(dict.fromkeys(method), KINDS, strict=False)):
        here = method == name
        left.plot(noise[here], successes[here] / trials[here], color=style["color"],
                  linestyle=style["linestyle"], linewidth=0.9)  # fmt: skip
        proportion(left, noise[here] + 0.004 * (shift - 1.5), successes[here], trials[here],
                   marker=style["marker"], color=style["color"], label=name)  # fmt: skip
        if name == "feed-forward":
            shown = here & (samples > 0)
            right.plot(noise[shown], samples[shown], style["marker"], color=style["color"],
                       label="feed-forward, median")  # fmt: skip
    grid = np.linspace(0, noise.max(), 60)
    right.plot(grid, [law(p) for p in grid], color=KINDS[1]["color"], linestyle="--",
               label="correlation, enough (proved)")  # fmt: skip
    left.set(xlabel="label noise p", ylabel="share of trials that succeed", ylim=(-0.03, 1.03))
    right.set(xlabel="label noise p", ylabel="fresh samples (log scale)", yscale="log")
    fig.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=2, fontsize=9)
    right.legend(fontsize=9)
    return fig
