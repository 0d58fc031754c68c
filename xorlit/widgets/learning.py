"""Interactive figures of training: three kinds of attention, and the signal in n examples."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

import xorlit
from xorlit import laws
from xorlit.figures.style import HEADS
from xorlit.widgets.attention import trial
from xorlit.widgets.player import Control, Player

KINDS = dict(zip(("softmax", "linear", "erf"), HEADS, strict=True))
STARTS = {0: "opposite queries", 1: "independent queries"}
STEPS = tuple(sorted({*range(11), *np.geomspace(10, 100, 14).round().astype(int).tolist()}))


@cache
def histories(d, m, seed, start, steps):
    """Training with each kind of attention from one start: name → `xorlit.training.History`.

    Rates: ¼·d²√m for softmax, 0.1 for linear and erf.

    >>> sorted(histories(8, 16, 0, 1, 2))
    ['erf', 'linear', 'softmax']
    """
    task, V, q = trial(d, m, seed)
    if start == 1:
        q = xorlit.independent_queries(m, rng=seed)
    rates = {"softmax": laws.rate(d, m) / 256, "linear": 0.1, "erf": 0.1}
    return {kind: xorlit.train(task, V, q, steps, rates[kind], kind) for kind in KINDS}


def attention_kinds(d=32, m=64, seed=3, steps=STEPS):
    """Softmax, linear and erf attention over training: the loss, and the heads on the support.

    In the lower panels a head is a point: its weight on bit i across, on bit j upwards.  Learned
    means one head near (±1, 0) and the other near (0, ±1).  Parameters: sizes and seed, free in
    Jupyter; ``steps`` the numbers of steps offered.  Returns a `Player`.
    Source: chapter *Why softmax*.

    >>> len(attention_kinds(d=8, m=16, steps=(0, 1, 5)).frames)
    6
    """
    last = max(steps)

    def canvas(d, m, seed):
        fig = plt.figure(figsize=(7.2, 5.4))
        grid = fig.add_gridspec(2, 3, height_ratios=(1, 1.1))
        top = fig.add_subplot(grid[0, :])
        top.axhline(0.5, color="#444444", linestyle=":", linewidth=1)
        top.set_xscale("symlog", linthresh=1)
        top.set(xlabel="training step (log scale from 1)", ylabel="loss", ylim=(-0.05, 2.05),
                xlim=(-0.05, last * 1.1))  # fmt: skip
        ticks = [t for t in (0, 1, 3, 10, 30, 100) if t <= last]
        top.set_xticks(ticks, [str(t) for t in ticks])
        for kind, style in KINDS.items():
            top.plot([], [], color=style["color"], linestyle=style["linestyle"], label=kind)
        for h, head in enumerate(HEADS[:2]):
            top.plot([], [], head["marker"], color=head["color"], label=f"head {h + 1} (below)")
        top.legend(loc="upper right", ncols=2)
        for column, kind in enumerate(KINDS):
            ax = fig.add_subplot(grid[1, column])
            ax.axhline(0, color="#444444", linewidth=0.8)
            ax.axvline(0, color="#444444", linewidth=0.8)
            ax.plot([1, 0, -1, 0], [0, 1, 0, -1], "+", color="#444444", markersize=10)
            ax.set(title=kind, xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal",
                   xlabel="weight on bit i")  # fmt: skip
            ax.set_ylabel("weight on bit j" if column == 0 else "")
        return fig

    def frame(axes, step, start, d, m, seed):
        said = []
        for ax, (kind, history) in zip(
            axes[1:], histories(d, m, seed, start, last).items(), strict=True
        ):
            style = KINDS[kind]
            shown = np.clip(history.loss, 0, 2)
            axes[0].plot(shown, color=style["color"], linestyle=style["linestyle"])
            axes[0].plot(step, shown[step], style["marker"], color=style["color"], markersize=9)
            for weights, head in zip(history.weights[step], HEADS, strict=False):
                ax.plot(*np.clip(weights, -1.3, 1.3), head["marker"], color=head["color"])
            loss = "diverged" if not np.isfinite(history.loss[step]) else (
                f"loss {history.loss[step]:.2f}")  # fmt: skip
            said.append(f"{kind} {loss}")
        return f"{STARTS[start].capitalize()}, after {step} steps: {', '.join(said)}."

    controls = (
        Control("step", "training step", tuple(steps), 0, last),
        Control("start", "start", tuple(STARTS), 0, 1, form=STARTS.get),
        Control("d", "number of bits d", (d,), 4, 256),
        Control("m", "position length m", (m,), 2, 256),
        Control("seed", "random seed", (seed,), 0, 9999),
    )
    title = "Loss and attention on the relevant bits while softmax, linear and erf attention train"
    return Player(title, controls, canvas, frame)


def signal_and_noise(d=64, m=64, seed=0, sizes=tuple(2**p for p in range(5, 18))):
    """The pull of one step from n examples on every position: the signal rising from noise.

    The pull of head h on position l is −v_l·∂L̂/∂q_h, shown in units of the largest pull that the
    population has.  Parameters: sizes and seed, free in Jupyter; ``sizes`` the n of the page.
    Returns a `Player`.  Source: chapter *Learning from examples*.

    >>> len(signal_and_noise(d=16, m=8, sizes=(8, 16)).frames)
    2
    """

    @cache
    def pulls(d, m, seed, n=None):
        task, V, q = trial(d, m, seed)
        g = xorlit.empirical_gradient(task, V, q, n, rng=seed) if n else (
            xorlit.query_gradient(task, V, q))  # fmt: skip
        return -g @ V.array.astype(float).T

    def canvas(d, m, seed):
        fig, axes = plt.subplots(2, 1, sharex=True, figsize=(7.2, 4.6))
        support = list(trial(d, m, seed)[0].support)
        exact = pulls(d, m, seed)
        for h, ax in enumerate(axes):
            ax.axhline(0, color="#444444", linewidth=0.8)
            ax.plot(support, exact[h, support] / exact.max(), "_", color="#CC79A7", markersize=22,
                    markeredgewidth=3, label="with every possible example")  # fmt: skip
            ax.plot(support, [-2.3, -2.3], "^", color="#222222")
            ax.set(ylim=(-2.5, 2.5), title=f"head {h + 1}", ylabel="pull")
        axes[1].set_xlabel("position l (▲ the two relevant bits)")
        axes[0].legend(loc="upper right", bbox_to_anchor=(1, 1.25))
        return fig

    def frame(axes, n, d, m, seed):
        task = trial(d, m, seed)[0]
        exact, drawn = pulls(d, m, seed), pulls(d, m, seed, n)
        for ax, row, style in zip(axes, drawn / exact.max(), HEADS, strict=False):
            x, y = np.repeat(np.arange(d), 3), np.zeros(3 * d)
            y[1::3], y[2::3] = np.clip(row, -2.5, 2.5), np.nan
            ax.plot(x, y, color=style["color"], linewidth=1.2)
            best = int(row.argmax())
            ax.plot(best, min(row[best], 2.5), style["marker"], color=style["color"], markersize=9)
        heads = drawn.argmax(axis=1).tolist()
        what = "they find the support and share it" if set(heads) == set(task.support) else (
            "both are drawn to the same relevant bit" if set(heads) < set(task.support)
            else "noise still hides the support")  # fmt: skip
        return (
            f"{n:,} examples: head 1 is pulled most to position {heads[0]}, head 2 to {heads[1]}; "
            f"relevant are {task.support[0]} and {task.support[1]}: {what}."
        )

    controls = (
        Control("n", "number of examples n", tuple(sizes), 1, 2**18),
        Control("d", "number of bits d", (d,), 4, 512),
        Control("m", "position length m", (m,), 2, 512),
        Control("seed", "random seed", (seed,), 0, 9999),
    )
    title = "The pull of one gradient step on every position, from n examples"
    return Player(title, controls, canvas, frame)
