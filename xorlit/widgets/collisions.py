"""Interactive figure of a collision: two heads that are drawn to one bit."""

from dataclasses import dataclass
from functools import cache

import matplotlib.pyplot as plt
import numpy as np

import xorlit
from xorlit.figures.style import HEADS
from xorlit.widgets.attention import step_from, trial
from xorlit.widgets.player import Control, Player


@dataclass(frozen=True)
class Geometry:
    """Two relevant bits and a direction for the query: made by `collision_geometry`."""

    task: xorlit.SparseXOR
    V: xorlit.Positions
    w: np.ndarray  # v_i − v_j
    across: np.ndarray  # unit vector orthogonal to w
    c: float  # v̄₀·w, the pull of the mean position


@cache
def collision_geometry(d, m, seed):
    """The plane in which `collision` turns the query: w = v_i − v_j and a direction across.

    >>> place = collision_geometry(16, 8, 0)
    >>> bool(abs(place.w @ place.across) < 1e-12)
    True
    """
    task, V, q = trial(d, m, seed)
    rows = V.array.astype(float)
    w = rows[task.support[0]] - rows[task.support[1]]
    across = q[0] - (q[0] @ w) / (w @ w) * w
    return Geometry(task, V, w, across / np.linalg.norm(across), float(rows.mean(axis=0) @ w))


def collision_queries(place, gap):
    """Unit antisymmetric queries with score gap Δ = θ·w = gap·|c|, as near to it as |θ| = 1 lets.

    >>> q = collision_queries(collision_geometry(16, 8, 0), 1.0)
    >>> bool((q[0] == -q[1]).all())
    True
    """
    length = np.sqrt(place.w @ place.w)
    sine = np.clip(gap * abs(place.c) / length, -1, 1)
    theta = sine * place.w / length + np.sqrt(1 - sine**2) * place.across
    return np.stack([theta, -theta])


def _preference(place, gap):
    """d²·(−∂L/∂q_h·w): how much more head h is drawn to bit i than to bit j, (2,)."""
    gradient = xorlit.query_gradient(place.task, place.V, collision_queries(place, gap))
    return -gradient @ place.w * place.task.d**2


def _collision_canvas(gaps, place):
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), width_ratios=(1, 1.5))
    lines = np.array([_preference(place, gap) for gap in gaps])
    right.axvspan(-1, 1, color="#888888", alpha=0.25)
    right.axhline(0, color="#444444", linewidth=1)
    for h, style in enumerate(HEADS[:2]):
        right.plot(gaps, lines[:, h], color=style["color"], linestyle=style["linestyle"],
                   label=f"head {h + 1}")  # fmt: skip
    right.set(xlabel="score gap Δ / |c|", ylabel="d² × (pull on i − pull on j)", xlim=(-3.1, 3.1))
    right.legend(loc="upper right", bbox_to_anchor=(1, 1.2), ncols=2)
    left.set(xlim=(-0.5, 1.5), ylim=(0, 1.08), ylabel="attention after the step")
    left.set_xticks([0, 1], ["bit i", "bit j"])
    return fig


def _collision_frame(axes, place, gap):
    """The attention of both heads on both bits, and where their preferences stand."""
    _, out, weights = step_from(place.task, place.V, collision_queries(place, gap))
    pulls = _preference(place, gap)
    for h, style in enumerate(HEADS[:2]):
        x, bars = np.arange(2) + 0.2 * h - 0.1, weights[h, list(place.task.support)]
        axes[0].vlines(x, 0, bars, color=style["color"], linestyle=style["linestyle"], linewidth=3)
        axes[0].plot(x, bars, style["marker"], color=style["color"])
        axes[1].plot(gap, pulls[h], style["marker"], color=style["color"], markersize=9)
    bits = ["j" if pull < 0 else "i" for pull in pulls]
    what = "each head takes a bit of its own"
    if bits[0] == bits[1]:
        what = "both heads go to the same bit: a collision"
    return (
        f"Score gap {gap:+.2f} times |c|: head 1 prefers bit {bits[0]}, head 2 bit {bits[1]}; "
        f"{what}. Loss after the step {out.loss:.2f}."
    )


def collision(d=64, m=64, seed=0, steps=41):
    """Two heads, one bit: what each head prefers as the query turns past the tie.

    The score gap of the two relevant bits is Δ = w·θ with w = v_i − v_j.  Head 1 prefers bit i
    by an amount close to a multiple of Δ − c, head 2 by the same multiple of −Δ − c, where
    c = v̄₀·w: for |Δ| < |c| both prefer the same bit.  Parameters: sizes and seed, free in
    Jupyter; ``steps`` frames in the page.  Returns a `Player`.
    Source: chapters *One step* and *When one step fails*.

    >>> len(collision(d=16, m=8, steps=5).frames)
    5
    """
    gaps = tuple(np.linspace(-3, 3, steps).round(2).tolist())
    controls = (
        Control("gap", "score gap Δ / |c|", gaps, -3.0, 3.0, form="{:+.2f}".format),
        Control("d", "number of bits d", (d,), 4, 2048),
        Control("m", "position length m", (m,), 4, 256),
        Control("seed", "random seed", (seed,), 0, 9999),
    )
    return Player(
        "What each head prefers as the gap between the scores of the two bits changes",
        controls,
        lambda d, m, seed: _collision_canvas(gaps, collision_geometry(d, m, seed)),
        lambda axes, gap, d, m, seed: _collision_frame(axes, collision_geometry(d, m, seed), gap),
    )
