"""The inequalities of the one-step theorem, each as a function that returns its two sides.

Every lemma takes an `Instance` on which the good event of size ρ holds and returns `Sides` with
left ≤ right entry by entry.  ``CHECKS`` lists them in the order of the proof.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from xorlit.attentions import attention
from xorlit.population import population_loss
from xorlit.proof.bounds import constants


@dataclass(frozen=True)
class Sides:
    """The two sides of an inequality, left ≤ right; arrays of one shape.

    ``holds`` up to rounding; ``tightness`` the largest left/right where both are positive (1
    means equality, 0 that there is no such entry).  Source: chapter *The proof*.

    >>> Sides(np.array([1.0, 3.0]), np.array([2.0, 4.0])).tightness
    0.75
    """

    left: np.ndarray
    right: np.ndarray

    @property
    def holds(self):
        scale = np.maximum(np.abs(self.left), np.abs(self.right))
        return bool(np.all(self.left <= self.right + 1e-11 * scale + 1e-15))

    @property
    def tightness(self):
        both = (self.left > 0) & (self.right > 0)
        return float(np.max(self.left[both] / self.right[both], initial=0.0))


def event(x, rho):
    """The parts of the good event of size ρ, name → whether it holds for the instance ``x``.

    scores: |s_l| ≤ ρ; overlaps: |v_i·v_j|, |v_k·v_i|, |v_k·v_j| ≤ ρ; centre: |Σ_{l∉S} s_l| ≤ ρ√d;
    spread: |X| ≤ (1+ρ)ω/√d for both heads.  Together they fail with probability at most
    6d e^{−mρ²/2}.  Source: ours; chapter *The proof*.
    """
    sizes, length = _sizes(x), np.linalg.norm(x.spread, axis=1).max()
    parts = {name: bool(size <= rho) for name, size in sizes.items()}
    return parts | {"spread": bool(length <= constants(len(x.V), rho).radius)}


def smallest_rho(x):
    """The smallest ρ whose good event holds for the instance ``x``: where the lemmas are sharpest.

    Source: ours; chapter *The proof*.
    """
    rho, length = max(_sizes(x).values()), np.linalg.norm(x.spread, axis=1).max()

    def room(r):
        return constants(len(x.V), r).radius - length

    return rho if room(rho) >= 0 else brentq(room, rho, 1.0) + 1e-12


def _sizes(x):
    i, j = x.support
    overlaps = np.abs(x.V @ x.V[[i, j]].T)[x.outside]
    return {
        "scores": np.abs(x.scores[0]).max(),
        "overlaps": max(overlaps.max(), abs(x.overlap)),
        "centre": abs(x.scores[0, x.outside].sum()) / np.sqrt(len(x.V)),
    }


def partition_sums(x, rho):
    """d² ≤ ZZ̃ ≤ d²cosh²ρ and ZZ̃ ≤ Z₂Z̃₂ ≤ ZZ̃·cosh²2ρ.

    Source: ours; chapter *The proof*.
    """
    low, high = len(x.V) ** 2, (len(x.V) * np.cosh(rho)) ** 2
    return Sides(
        np.array([low, x.product, x.product, x.squares]),
        np.array([x.product, high, x.squares, x.product * np.cosh(2 * rho) ** 2]),
    )


def weights_size(x, rho):
    """ω₋/d ≤ W_l ≤ ω/d for every position, and for a score of 0.

    Source: ours; chapter *The proof*.
    """
    c, d = constants(len(x.V), rho), len(x.V)
    W = np.append(x.weights.ravel(), x.rest)
    low, high = np.full_like(W, c.omega_low / d), np.full_like(W, c.omega / d)
    return Sides(np.concatenate([low, W]), np.concatenate([W, high]))


def weights_slope(x, rho):
    """|W_l − W(0)| ≤ λ|s_l|/d and |W_i − W_j| ≤ λ|Δ|/d.

    Source: ours; chapter *The proof*.
    """
    d, (i, j) = len(x.V), x.support
    left = np.abs(np.column_stack([x.weights - x.rest[:, None], x.weights[:, i] - x.weights[:, j]]))
    right = np.abs(np.column_stack([x.scores, x.delta]))
    return Sides(left, constants(d, rho).lam / d * right)


def drift(x, rho):
    """|Σ_{l∉S} W_l s_l| ≤ α = ωρ/√d + λρ².

    Source: ours; chapter *The proof*.
    """
    left = np.abs((x.weights * x.scores)[:, x.outside].sum(axis=1))
    return Sides(left, np.full_like(left, constants(len(x.V), rho).drift))


def match(x, rho):
    """κ|Δ| − sign(Δ)N ≤ margin ≤ κ₊|Δ| − sign(Δ)N, both heads.

    Source: ours; chapter *The proof*.
    """
    c, size = constants(len(x.V), rho), np.abs(x.delta)
    clear = x.margin + np.sign(x.delta) * x.noise
    return Sides(np.append(c.kappa * size, clear), np.append(clear, c.kappa_high * size))


def find(x, rho):
    """φ ≤ pull·(½(v_i + v_j) − v_k) for every outsider k and both heads.

    Source: ours; chapter *The proof*.
    """
    pulls = x.pull @ x.V.T
    gap = pulls[:, list(x.support)].mean(axis=1, keepdims=True) - pulls[:, x.outside]
    return Sides(np.full_like(gap, constants(len(x.V), rho).phi), gap)


def mass(x, rho, rate=None):
    """ε ≤ e^{−aM} + d e^{2ρ−aφ}, a = 4·rate/(d cosh ρ)²: attention off the bit of each head.

    After a step of the given ``rate`` (None: 2d²√m); M is the margin.
    Source: ours; chapter *The proof*.
    """
    d, m = x.V.shape
    rate = 2 * d**2 * np.sqrt(m) if rate is None else rate
    a = 4 * rate / (d * np.cosh(rho)) ** 2
    right = -a * x.margin, np.full(2, np.log(d) + 2 * rho - a * constants(d, rho).phi)
    _, off = _after(x, rate)
    return Sides(off, np.exp(np.minimum(logsumexp(right, axis=0), 700.0)))


def loss_after(x, rho=None, rate=None):
    """loss ≤ 4(ε₁ + ε₂)² after a step of the given ``rate`` (None: 2d²√m); needs no event.

    Source: ours; chapter *The proof*.
    """
    d, m = x.V.shape
    gamma, off = _after(x, 2 * d**2 * np.sqrt(m) if rate is None else rate)
    return Sides(
        np.atleast_1d(population_loss(gamma, x.support)), np.atleast_1d(4 * off.sum() ** 2)
    )


def _after(x, rate):
    """Attention after the step, and its mass off the bit each head should take."""
    scores = x.scores + 4 * rate / x.product * (x.pull @ x.V.T)
    gamma = attention("softmax").weights(scores)
    i, j = x.support
    bits = np.where(x.delta > 0, i, j)
    others = np.arange(len(x.V)) != bits[:, None]
    return gamma, np.where(others, gamma, 0.0).sum(axis=1)


CHECKS = {
    "sums": partition_sums,
    "weights": weights_size,
    "slope": weights_slope,
    "drift": drift,
    "match": match,
    "find": find,
    "mass": mass,
    "loss": loss_after,
}
