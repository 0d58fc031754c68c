"""Figures of the chapters *How small can it be*, *When one step fails* and on scale."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure, proportion

INK = "#444444"


@figure
def caps(m_values, angle=45):
    """How much of a sphere lies within 45° of a direction: a picture and the share against m.

    Shapes: ``m_values`` (n,).  Returns a Figure.  Source: chapter *How small can it be*.
    """
    from scipy.special import betainc

    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4), width_ratios=(1, 1.3))
    turn = np.linspace(0, 2 * np.pi, 200)
    left.plot(np.cos(turn), np.sin(turn), color=INK, linewidth=1)
    wedge = np.radians(np.linspace(90 - angle, 90 + angle, 60))
    left.fill(np.r_[0, np.cos(wedge)], np.r_[0, np.sin(wedge)], color="#F0E442", alpha=0.5)
    for degrees, label, style in ((45, "$v_j$", HEADS[1]), (135, "$v_i$", HEADS[0])):
        x, y = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        left.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": style["color"]})
        left.text(1.12 * x, 1.12 * y, label, ha="center", color=style["color"])
    left.annotate("", (0, 1), (0, 0), arrowprops={"arrowstyle": "->", "linestyle": "--"})
    left.text(0, 1.08, "$v_i+v_j$", ha="center")
    left.set(xlim=(-1.25, 1.25), ylim=(-1.15, 1.35), aspect="equal", title="the cap in the way")
    left.axis("off")
    m = np.asarray(m_values)
    right.plot(m, betainc((m - 1) / 2, 0.5, 0.5) / 2, color=HEADS[0]["color"], label="cap of 45°")
    right.plot(m, 2.0 ** (-m / 2), "--", color=HEADS[1]["color"], label="$2^{-m/2}$")
    right.set(yscale="log", xlabel="position length m", ylabel="share of the sphere")
    right.legend()
    return fig


@figure
def found_curves(table, law):
    """Share of trials with both heads on the support against m, one curve a size d.

    ``table`` has columns d, m, trials, found; ``law(d, m)`` is drawn as a line.
    Returns a Figure.  Source: chapter *How small can it be*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.8))
    sizes = np.unique(table["d"])
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(sizes)))
    for d, colour, marker in zip(sizes, colours, "osD^v<>P", strict=False):
        cells = table["d"] == d
        m = table["m"][cells]
        proportion(ax, m, table["found"][cells], table["trials"][cells], color=colour,
                   marker=marker, label=f"$d=2^{{{int(np.log2(d))}}}$")  # fmt: skip
        fine = np.arange(m.min() - 2, m.max() + 3)
        ax.plot(fine, [law(int(d), int(k)) for k in fine], color=colour, linewidth=1)
    ax.axhline(0.99, color=INK, linestyle=":")
    ax.set(xlabel="position length m", ylabel="share found", ylim=(0.9, 1.002))
    ax.legend(ncols=2, title="points measured, lines law", loc="lower right")
    return fig


@figure
def capacity(smallest, law, leading):
    """The smallest m that finds the support against d, beside the law and its leading term.

    ``smallest`` has columns d, m, low, high; ``law`` and ``leading`` are functions of d.
    Returns a Figure.  Source: chapter *How small can it be*.
    """
    fig, ax = plt.subplots()
    d, m = smallest["d"], smallest["m"]
    error = [m - smallest["low"], smallest["high"] - m]
    ax.errorbar(d, m, yerr=error, linestyle="none", marker="o", color=HEADS[0]["color"],
                label="measured, 99 % found")  # fmt: skip
    ax.plot(d, [law(int(size)) for size in d], "-", color=INK, label="find law")
    ax.plot(d, [leading(int(size)) for size in d], "--", color=HEADS[1]["color"],
            label=r"$2\log_2 d$")  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set(xlabel="number of positions d (log scale)", ylabel="position length m", ylim=(0, None))
    ax.legend()
    return fig


@figure
def collisions(series, xlabel, ylabel="share of collisions"):
    """Measured shares of collisions with intervals beside their laws, log–log.

    ``series`` is a list of (label, x, counts, trials, law or None), the law a sequence on x.
    Returns a Figure.  Source: chapter *When one step fails*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.8))
    for (label, x, counts, trials, law), style in zip(series, HEADS, strict=False):
        proportion(ax, x, counts, trials, color=style["color"], marker=style["marker"],
                   label=label)  # fmt: skip
        if law is not None:
            ax.plot(x, law, linestyle=style["linestyle"], color=style["color"],
                    label=f"law, {label}")  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(fontsize=9)
    return fig


@figure
def query_length(length, collided, lost, trials, law):
    """Collisions and lost supports against the length of the queries, with the law of the first.

    Shapes: (n,) all.  Returns a Figure.  Source: chapter *When one step fails*.
    """
    fig, ax = plt.subplots()
    for counts, style, label in ((collided, HEADS[0], "collided"), (lost, HEADS[1], "lost")):
        proportion(ax, length, counts, trials, color=style["color"], marker=style["marker"],
                   linestyle=":", label=label)  # fmt: skip
    ax.plot(length, law, color=INK, label="collision law")
    ax.set_xscale("log", base=2)
    ax.set(xlabel="length |θ| of the queries (log scale)", ylabel="share of trials")
    ax.set_ylim(bottom=-0.01)
    ax.legend()
    return fig


@figure
def rate_collapse(table, law, losses):
    """Left: share learned against x = η/(d²√m), all (d, m) on one curve; right: loss against
    the log-odds that the slower head has reached.

    ``table`` has columns d, m, factor, trials, learned; ``law(d, m, factor)`` is a line for the
    first cell; ``losses`` has columns d, m, log_odds, loss.  Returns a Figure.
    Source: chapter *When one step fails*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6))
    cells = np.unique(np.stack([table["d"], table["m"]], axis=1), axis=0)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(cells)))
    for (d, m), colour, marker in zip(cells, colours, "osD^", strict=False):
        rows = (table["d"] == d) & (table["m"] == m)
        x = table["factor"][rows]
        label = f"d = {d}, m = {m}"
        proportion(left, x, table["learned"][rows], table["trials"][rows], color=colour,
                   marker=marker, markersize=4, label=label)  # fmt: skip
        left.plot(x, [law(int(d), int(m), f) for f in x], color=colour, linewidth=1)
        rows = (losses["d"] == d) & (losses["m"] == m)
        right.plot(losses["log_odds"][rows], losses["loss"][rows], linestyle="none", color=colour,
                   marker=marker, markersize=3, alpha=0.5)  # fmt: skip
    left.set(xscale="log", xlabel="rate / (d²√m)", ylabel="share learned", ylim=(-0.02, 1.02))
    left.legend(fontsize=8)
    a = np.linspace(0, 6.5, 200)
    for other, dash, label in ((a, "-", "both heads alike"), (np.inf, "--", "other head done")):
        right.plot(a, (1 - np.tanh(a / 2) * np.tanh(other / 2)) ** 2 / 2, dash, color=INK,
                   label=label)  # fmt: skip
    right.set(yscale="log", xlabel="log-odds of the slower head", xlim=(0, 6.5),
              ylabel="loss after the step (log scale)", ylim=(5e-6, 2))  # fmt: skip
    right.legend(fontsize=8)
    return fig
