"""Figures of the chapters *The proof* and *The collision theorem*."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch

from xorlit import results
from xorlit.figures.style import HEADS, figure, proportion

# Boxes of the drawing: name -> (column, row, text); the arrows lead from a lemma to its users.
_BOXES = {
    "cap": (0, 4, "caps of a sphere\nare small"),
    "exact": (0, 2, "exact decomposition\nof the gradient"),
    "sums": (0, 0, "sums $Z\\tilde Z$,\n$Z_2\\tilde Z_2$"),
    "event": (1, 4, "the good event\nis likely"),
    "weights": (1, 1, "weights $W_l$ are\nflat and small"),
    "isotropy": (1, 2.7, "the noise has\nno direction: $1/\\pi$"),
    "match": (2, 2.7, "match: margin ≥\n$\\kappa|\\Delta|$ − noise"),
    "find": (2, 1, "find: outsiders\nlose by $\\varphi$"),
    "theorem": (3, 3.6, "theorem:\nP(fail)"),
    "rate": (3, 1, "rate: how fast\nthe loss falls"),
}
_ARROWS = [
    ("cap", "event"), ("exact", "weights"), ("exact", "isotropy"), ("sums", "weights"),
    ("weights", "match"), ("weights", "find"), ("isotropy", "match"), ("event", "theorem"),
    ("match", "theorem"), ("find", "theorem"), ("find", "rate"), ("match", "rate"),
]  # fmt: skip


@figure
def lemma_map():
    """Which lemma of the one-step theorem rests on which; arrows lead from a lemma to its users.

    Returns a Figure.  Source: chapter *The proof*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 4.4))
    wide, high, place = 0.78, 0.78, {k: (c, r) for k, (c, r, _) in _BOXES.items()}
    for name, (column, row, text) in _BOXES.items():
        goal = name in ("theorem", "rate")
        box = FancyBboxPatch(
            (column - wide / 2, row - high / 2), wide, high, boxstyle="round,pad=0.02",
            facecolor="#fde8d7" if goal else "#e3eef7", edgecolor="#444444", mutation_aspect=1.5,
            linewidth=2 if goal else 1,
        )  # fmt: skip
        ax.add_patch(box)
        ax.text(column, row, text, ha="center", va="center", fontsize=8.5)
    for start, end in _ARROWS:
        (a, b), (c, e) = place[start], place[end]
        upright = a == c
        tail = (a, b + high / 2 + 0.05) if upright else (a + wide / 2 + 0.02, b)
        head = (c, e - high / 2 - 0.05) if upright else (c - wide / 2 - 0.02, e)
        ax.annotate("", head, tail, arrowprops={"arrowstyle": "-|>", "color": "#444444"})
    ax.set(xlim=(-0.5, 3.5), ylim=(-0.6, 4.6))
    ax.axis("off")
    return fig


@figure
def wedge(delta, noise, ratio):
    """Draws of (Δ, N) of head 1 and the wedge |N| ≥ |Δ| in which the heads collide.

    Shapes: ``delta``, ``noise`` (n,), both in units of their own spread; ``ratio`` is the spread
    of the noise over that of Δ.  Returns a Figure.  Source: chapter *The proof*.
    """
    fig, ax = plt.subplots(figsize=(5.2, 4.4))
    inside = np.abs(noise) * ratio >= np.abs(delta)
    for mask, style, label in ((~inside, HEADS[0], "one bit each"), (inside, HEADS[1], "collide")):
        ax.plot(delta[mask], noise[mask], style["marker"], color=style["color"], linestyle="none",
                markersize=4, alpha=0.7, label=label)  # fmt: skip
    reach = 3.4
    ax.fill([0, ratio * reach, -ratio * reach], [0, reach, reach], color="#D55E00", alpha=0.15)
    ax.fill([0, ratio * reach, -ratio * reach], [0, -reach, -reach], color="#D55E00", alpha=0.15)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set(xlabel="Δ, in units of its spread", ylabel="noise N, in units of its spread")
    ax.legend(loc="upper right", fontsize=9)
    return fig


@figure
def tightness(rows):
    """How close each lemma comes to equality: median largest left/right over the instances.

    ``rows`` maps a lemma's name to a list of (label, tightness), the same labels for all; 1 is
    equality, and values of 0 (the lemma says nothing there) are left out.  Returns a Figure.
    Source: chapter *The proof*.
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.6))
    labels = [label for label, _ in next(iter(rows.values()))]
    for n, label in enumerate(labels):
        style = HEADS[n % 3]
        points = [(dict(cells)[label], y) for y, cells in enumerate(rows.values())]
        points = [(v, y) for v, y in points if v > 1e-6]
        ax.plot(*zip(*points, strict=True), style["marker"], color=style["color"], label=label,
                markersize=8, fillstyle="full" if n < 3 else "none", linestyle="none")  # fmt: skip
    ax.axvline(1, color="#444444", linestyle=":")
    ax.set(xscale="log", xlabel="smaller side / larger side (1: equality)", xlim=(None, 1.3))
    ax.set_yticks(range(len(rows)), list(rows))
    ax.invert_yaxis()
    ax.legend(fontsize=9, loc="lower left")
    return fig


@figure
def failures(d, m, failed, trials, bound):
    """Failures of one step against m, measured with intervals, and the theorem's bound.

    Shapes: all (n,), one entry a cell; one panel for each d.  Returns a Figure.
    Source: chapter *The proof*.
    """
    sizes = np.unique(d)
    fig, axes = plt.subplots(1, len(sizes), figsize=(7.2, 3.4), sharey=True)
    for ax, size in zip(np.atleast_1d(axes), sizes, strict=True):
        cells = d == size
        proportion(ax, m[cells], failed[cells], trials[cells], color=HEADS[0]["color"],
                   label="measured")  # fmt: skip
        ax.plot(m[cells], bound[cells], HEADS[1]["marker"] + "--", color=HEADS[1]["color"],
                label="theorem: at most", markersize=4)  # fmt: skip
        ax.axhline(2 / np.pi / np.sqrt(size), color="#444444", linestyle=":", label="2/(π√d)")
        ax.set(xscale="log", yscale="log", xlabel="position length m", title=f"d = {size}")
        ax.set(xlim=(12, 6000), ylim=(5e-4, 1.6))
    np.atleast_1d(axes)[0].set_ylabel("probability of failure")
    np.atleast_1d(axes)[0].legend(fontsize=8, loc="lower left")
    return fig


@figure
def collision_limits(d, failed, trials, limit, leading, growing):
    """Left: failures for fixed d and long positions over the limit law.  Right: √d·P(fail) when m
    grows with d, and 2/π.

    Shapes: ``d``, ``failed``, ``trials``, ``limit``, ``leading`` (n,), the last two laws;
    ``growing`` = (d, failed, trials) of the second experiment.  Returns a Figure.
    Source: chapter *The collision theorem*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    proportion(left, d, failed, trials, color=HEADS[0]["color"], label="measured")
    left.plot(d, limit, color="#444444", label="limit theorem")
    left.plot(d, leading, "--", color=HEADS[1]["color"], label="without the −½ − 1/d")
    left.set(xscale="log", xlabel="number of bits d", ylabel="probability of failure")
    left.set_xscale("log", base=2)
    left.legend(fontsize=9)
    size, count, number = growing
    low, high = np.sqrt(size) * results.interval(count, number)
    share = count / number * np.sqrt(size)
    right.errorbar(size, share, yerr=[share - low, high - share], linestyle="none",
                   marker="o", color=HEADS[0]["color"], label="measured")  # fmt: skip
    right.axhline(2 / np.pi, color="#444444", label="2/π")
    right.set(xlabel="number of bits d", ylabel="√d · probability of failure", ylim=(0, 1))
    right.set_xscale("log", base=2)
    right.legend(fontsize=9, loc="lower right")
    return fig


@figure
def balanced_failures(m, sphere, balanced, trials, limit, lengths, bound, floor):
    """Left: failures with sphere and with balanced positions.  Right: the proved bound for
    balanced positions falls below the floor of the sphere.

    Shapes: ``m``, ``sphere``, ``balanced``, ``trials`` (n,); ``limit`` the sphere's limit at that
    d; ``lengths``, ``bound`` (r,) and ``floor`` at another d.  Returns a Figure.
    Source: chapter *The collision theorem*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    for counts, style, label in ((sphere, HEADS[0], "sphere"), (balanced, HEADS[1], "balanced")):
        proportion(left, m, counts, trials, color=style["color"], marker=style["marker"],
                   label=label)  # fmt: skip
    left.axhline(limit, color="#444444", linestyle=":", label="sphere, m → ∞")
    left.set(yscale="log", xlabel="position length m", ylabel="probability of failure")
    left.set_xscale("log", base=2)
    left.legend(fontsize=9)
    right.plot(lengths, bound, "--", color=HEADS[1]["color"], label="balanced: at most")
    right.axhline(floor, color="#444444", linestyle=":", label="sphere, m → ∞")
    right.set(xscale="log", yscale="log", xlabel="position length m")
    right.legend(fontsize=9)
    return fig
