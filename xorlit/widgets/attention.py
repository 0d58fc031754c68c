"""Interactive figures of one gradient step: the attention explorer and slow motion."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

import xorlit
from xorlit import laws
from xorlit.figures.style import HEADS
from xorlit.widgets.player import Control, Player

LEARNED = 0.1  # the loss below which the book says that a model has learned
FACTORS = tuple(2.0 ** (p / 2) for p in range(-8, 13))  # rates in units of d²√m


@cache
def trial(d, m, seed):
    """Task, positions and antisymmetric queries of one seed: what the widgets start from.

    >>> trial(16, 4, seed=0)[2].shape
    (2, 4)
    """
    return (
        xorlit.SparseXOR(d, rng=seed),
        xorlit.sphere(d, m, rng=seed),
        xorlit.antisymmetric_queries(m, rng=seed),
    )


def _step(d, m, seed, factor):
    """One step at rate factor·d²√m from the queries of a seed, as `step_from`."""
    return step_from(*trial(d, m, seed), rate=factor * laws.rate(d, m) / 64)


def step_from(task, V, q, rate=None):
    """Task, `Step` and attention (2, d) after one step, default rate `laws.rate`.

    >>> step_from(*trial(16, 4, seed=0), rate=0.0)[2].shape
    (2, 16)
    """
    out = xorlit.one_step(task, V, q, rate=rate)
    weights = xorlit.attention("softmax").weights(out.queries @ V.array.T.astype(float))
    return task, out, weights


def stems(ax, weights, support):
    """Attention weights as stems over l/d, the largest of each head; ▲ marks the support.

    Shapes: ``weights`` (2, d), ``support`` two positions; draws into ``ax``.
    """
    d = weights.shape[1]
    for row, style in zip(weights, HEADS, strict=False):
        shown = np.argsort(row)[-16:]
        shown = np.sort(shown[row[shown] >= 0.01])
        x, y = np.repeat(shown / d, 3), np.zeros(3 * len(shown))
        y[1::3], y[2::3] = row[shown], np.nan  # one line with gaps: up, and on to the next
        ax.plot(x, y, color=style["color"], linestyle=style["linestyle"])
        ax.plot(shown / d, row[shown], style["marker"], color=style["color"])
    ax.plot(np.array(support) / d, [-0.05, -0.05], "^", color="#222222")


def _attention_axes(ax):
    ax.axhline(0, color="#444444", linewidth=0.8)
    for h, style in enumerate(HEADS[:2]):
        ax.plot([], [], marker=style["marker"], color=style["color"],
                linestyle=style["linestyle"], label=f"head {h + 1}")  # fmt: skip
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.1, 1.08), ylabel="attention weight",
           xlabel="position l (▲ the two relevant bits)")  # fmt: skip
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "d/4", "d/2", "3d/4", "d"])
    ax.legend(loc="upper right", bbox_to_anchor=(1, 1.2), ncols=2)


def _verdict(task, out):
    """What a step did, in words."""
    heads = " and ".join(
        f"head {h + 1} puts {peak:.2f} on position {position:,}"
        for h, (position, peak) in enumerate(zip(out.heads, out.peak, strict=True))
    )
    outside = set(out.heads) - set(task.support)
    if out.learned:
        reason = "each on a bit of its own: learned"
    elif out.peak.max() < 0.1:
        reason = "the attention has hardly moved"
    elif out.peak.max() < 0.9:
        reason = "the attention is on its way"
    elif outside:
        reason = "but a position outside the support won: not found"
    elif len(set(out.heads)) == 1:
        reason = "both on the same bit: a collision"
    else:
        reason = "but not yet sharp enough"
    i, j = task.support
    return f"Relevant bits {i:,} and {j:,}. After the step {heads}; {reason}. Loss {out.loss:.2f}."


def _factor(value):
    return "0" if value == 0 else f"{value:,.3g} × d²√m"


def attention_explorer(
    d=(64, 256, 1024),
    m=(4, 8, 16, 32, 64),
    factor=(0.25, 1.0, 4.0, 16.0, 64.0),
    seed=(0, 1, 2, 3),
):
    """The attention after one step for any d, m, rate = factor·d²√m and seed.

    Parameters: the values the published page offers, each a tuple.  Returns a `Player`.
    Source: chapters *One step* and *Reading the attention*.

    >>> attention_explorer(d=(16,), m=(4, 8), factor=(1.0,), seed=(0,)).frames[1]["m"]
    8
    """

    def canvas(**_):
        fig, ax = plt.subplots(figsize=(7.2, 3.2))
        _attention_axes(ax)
        return fig

    def frame(axes, d, m, factor, seed):
        task, out, weights = _step(d, m, seed, factor)
        stems(axes[0], weights, task.support)
        return _verdict(task, out)

    controls = (
        Control("factor", "learning rate", factor, 2.0**-4, 2.0**10, start=len(factor) - 1,
                form=_factor),
        Control("m", "position length m", m, 1, 256, start=len(m) - 1),
        Control("d", "number of bits d", d, 2, 4096, start=len(d) - 1),
        Control("seed", "random seed", seed, 0, 9999),
    )  # fmt: skip
    title = "Attention of the two heads after one gradient step"
    return Player(title, controls, canvas, frame)


def slow_motion(d=1024, m=64, seed=0, factors=FACTORS):
    """One gradient step in slow motion: attention and loss as the rate grows from 0.

    Parameters: sizes and seed, free in Jupyter; ``factors`` the rates of the page, in units of
    d²√m, after 0.  Returns a `Player`.  Source: chapter *One step*.

    >>> len(slow_motion(d=16, m=4, factors=(1.0, 2.0)).frames)
    3
    """
    factors = (0.0, *factors)

    def canvas(d, m, seed):
        fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), width_ratios=(1.5, 1))
        _attention_axes(left)
        losses = [_step(d, m, seed, factor)[1].loss for factor in factors]
        right.plot(factors, losses, color="#444444")
        right.axhline(LEARNED, color="#444444", linestyle=":", label="learned below this")
        right.set_xscale("symlog", base=2, linthresh=factors[1])
        right.set(ylim=(0, 1.1), xlabel="rate / (d²√m)", ylabel="loss")
        ticks = [0, *(tick for tick in (0.25, 1, 4, 16, 64) if factors[1] <= tick <= factors[-1])]
        right.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        right.legend(loc="upper right", bbox_to_anchor=(1, 1.2))
        return fig

    def frame(axes, factor, d, m, seed):
        task, out, weights = _step(d, m, seed, factor)
        stems(axes[0], weights, task.support)
        axes[1].plot(factor, out.loss, "D", color="#CC79A7", markersize=9)
        return _verdict(task, out)

    controls = (
        Control("factor", "learning rate", factors, 0.0, 64.0, form=_factor),
        Control("d", "number of bits d", (d,), 2, 4096),
        Control("m", "position length m", (m,), 1, 256),
        Control("seed", "random seed", (seed,), 0, 9999),
    )
    title = "Attention and loss while the learning rate of one step grows from zero"
    return Player(title, controls, canvas, frame)
