"""Balanced positions (unit norm, zero mean): the theorem that they remove the cause of collisions.

Only the query is random here: the bound holds for every fixed set of balanced positions.
"""

import math

import numpy as np

from xorlit import _checks
from xorlit.proof.bounds import constants, isotropy
from xorlit.proof.lemmas import Sides


def balanced_bound(d, m, spread, overlap, rho=None):
    """P(fail) at a large rate, over a uniform unit query, for fixed balanced positions, is at most

    2(d+1)e^{−mρ²/2} + 2c_m (τρ²σ + (δ/2 + h)ρσ² + (1+o)(sinh D − D)/√(2(1−o)))/(1 − o − āσ²).

    ``spread`` σ is the largest singular value of V over √d, ``overlap`` o the largest of
    |v_i·v_j|, |v_k·v_i|, |v_k·v_j|; ρ < 0.4 bounds the scores (None: the best of a grid).
    Returns a probability, 1 where nothing is said.  Raises ``ValueError`` for d < 3, m < 3,
    σ < 0, or o or ρ out of range.  Source: ours; chapter *The collision theorem*.

    >>> round(balanced_bound(256, 64000, spread=255**-0.5, overlap=1 / 255), 4)
    0.0096
    """
    d, m = _checks.integer("d", d, 3), _checks.integer("m", m, 3)
    spread = _checks.real("spread", spread, 0.0)
    overlap = _checks.real("overlap", overlap, 0.0, 1.0)
    if rho is not None:
        return min(1.0, _failure(d, m, spread, overlap, _checks.real("rho", rho, 1e-9, 0.4)))
    sizes = np.geomspace(1e-4, 0.39, 300)
    return min(1.0, *(_failure(d, m, spread, overlap, float(r)) for r in sizes))


def _failure(d, m, spread, overlap, rho):
    a, tau, delta, half = _slopes(d, rho)
    lam, longest = constants(d, rho).lam, math.sqrt((3 + 5 * overlap) / 2)
    room = 1 - overlap - a * spread**2
    if (1 - 3 * overlap) / 2 <= lam * rho * spread * longest or room <= 0:
        return 1.0
    bend, turn = tau * rho**2 * spread, rho * spread**2
    reach = math.sqrt(2 * (1 + overlap)) * (bend + (delta / 2 + lam) * turn) / (1 - overlap)
    if reach > 50:
        return 1.0
    curve = (1 + overlap) * (math.sinh(reach) - reach) / math.sqrt(2 * (1 - overlap))
    event = 2 * (d + 1) * math.exp(-m * rho**2 / 2)
    density, _ = isotropy(m)
    return event + 2 * density * (bend + (delta / 2 + half) * turn + curve) / room


def _slopes(d, rho):
    """The range ā ± h of d·W′(0), the bound τ on d·|W″|, and δ on d·|W′(0) − W̃′(0)|."""
    e, one = math.exp(2 * rho), math.exp(rho)
    q_low = 0.5 + (1 - 1 / d) / math.cosh(rho) ** 2 - math.cosh(2 * rho)
    q_high = math.cosh(2 * rho) ** 2 / 2 - 1 / d
    low = min(1 - q_high, (1 - q_high) / (1 + rho**2 * one / 2))
    high = 1 + 2 * rho**2 * e - q_low
    tau = e * (2 * e - q_low)
    delta = 2 * (math.sinh(2 * rho) - 2 * rho) + 2 * q_high * (math.sinh(rho) - rho)
    return (low + high) / 2, tau, delta, (high - low) / 2


def even_part(x, rho):
    """½|pull₁·w + pull₂·w| ≤ ½(τρ²σ + δρσ²)|w|: all that can make two balanced heads collide.

    w = v_i − v_j.  For an `Instance` with Σ_l v_l = 0, |s_l| ≤ ρ and |θ·VᵀVw| ≤ ρ|VᵀVw|.
    Returns `Sides`.  Source: ours; chapter *The collision theorem*.
    """
    spread, w, _ = _measure(x)
    _, tau, delta, _ = _slopes(len(x.V), rho)
    along = np.sign(x.delta) * x.margin
    right = (tau * rho**2 * spread + delta * rho * spread**2) * np.linalg.norm(w) / 2
    return Sides(np.atleast_1d(abs(along.sum()) / 2), np.atleast_1d(right))


def odd_part(x, rho):
    """|½(pull₁ − pull₂)·w − θ·w′| ≤ (½τρ²σ + hρσ²)|w| + (1−r)|sinh Δ − Δ|.

    w′ = (1−r)w − (ā/d)VᵀVw: the pull that both heads share is almost linear in the query.
    Conditions and return as `even_part`.  Source: ours; chapter *The collision theorem*.
    """
    spread, w, image = _measure(x)
    a, tau, _, half = _slopes(len(x.V), rho)
    along = np.sign(x.delta) * x.margin
    straight = (1 - x.overlap) * w - a / len(x.V) * image
    left = abs((along[0] - along[1]) / 2 - x.theta @ straight)
    bend = (1 - x.overlap) * abs(math.sinh(x.delta[0]) - x.delta[0])
    right = (tau * rho**2 * spread / 2 + half * rho * spread**2) * np.linalg.norm(w) + bend
    return Sides(np.atleast_1d(left), np.atleast_1d(right))


def balanced_rho(x):
    """The smallest ρ for which `even_part` and `odd_part` are claimed of the instance ``x``.

    Source: ours; chapter *The collision theorem*.
    """
    _, _, image = _measure(x)
    return float(max(np.abs(x.scores[0]).max(), abs(x.theta @ image) / np.linalg.norm(image)))


def _measure(x):
    """σ, w and VᵀVw."""
    i, j = x.support
    w = x.V[i] - x.V[j]
    gram = x.V @ x.V.T if len(x.V) < x.V.shape[1] else x.V.T @ x.V
    largest = np.linalg.eigvalsh(gram)[-1]
    return math.sqrt(largest / len(x.V)), w, x.V.T @ (x.V @ w)
