"""How often one step fails, constants included; `xorlit.laws` offers these laws too.

The support is missed when another position lies in the way (chapter *How small can it be*), and
both heads take the same bit when something even in the queries outweighs the gap between the two
scores (chapter *When one step fails*).
"""

import math
from bisect import bisect_left

import numpy as np

from xorlit import _checks


def cap_count(d, m):
    """How many of d − 2 outsiders lie within 45° of a direction: (d − 2)·½ I_{1/2}((m−1)/2, ½).

    Two orthogonal bits lie 45° from their bisector; an outsider nearer to it beats them both.
    Returns an expected number.  Raises ``ValueError`` for d < 2 or m < 2.
    Source: ours; chapter *How small can it be*.

    >>> round(cap_count(1024, 20), 2)
    0.17
    """
    from scipy.special import betainc

    d, m = _checks.integer("d", d, 2), _checks.integer("m", m, 2)
    return float((d - 2) / 2 * betainc((m - 1) / 2, 0.5, 0.5))


def found(d, m, length=1.0):
    """P(each head lands on a bit of the support) at a large rate, antisymmetric queries.

    Head 1 moves along e^Δ v_i + e^{−Δ} v_j, head 2 along e^{−Δ} v_i + e^Δ v_j; both have to beat
    d − 2 outsiders: E[(1 − p)^{d−2}] over ρ = v_i·v_j and Δ = |θ·(v_i − v_j)|, where p is the
    chance that a random position lies beyond one of two lines in the plane of v_i and v_j.  The
    pull of the mean position on finding, smaller by 1/√d, is left out.
    Returns a probability.  Raises ``ValueError`` for d < 2, m < 3 or length < 0.
    Source: ours; chapter *How small can it be*.

    >>> round(found(1024, 28), 3)
    0.994
    """
    from scipy.special import roots_gegenbauer, roots_legendre

    d, m = _checks.integer("d", d, 2), _checks.integer("m", m, 3)
    length = _checks.real("length", length, 0.0)
    coordinate, weight = roots_gegenbauer(40, (m - 2) / 2)  # of a uniform unit vector
    weight = weight / weight.sum()
    rho, t = coordinate[:, None], coordinate
    delta = length * np.sqrt(2 - 2 * rho) * np.abs(t)  # head 1 takes the bit it prefers
    norm = 2 * np.cosh(2 * delta) + 2 * rho  # squared length of either direction
    height = np.minimum((np.exp(delta) + np.exp(-delta) * rho) / np.sqrt(norm), 1.0)
    half = np.arccos(np.clip((2 + 2 * rho * np.cosh(2 * delta)) / norm, -1, 1)) / 2
    # In polar coordinates of the plane the region begins at radius height/cos ψ on either side,
    # and a projected unit vector is longer than r with probability (1 − r²)^{(m−2)/2}.
    end = np.arccos(np.maximum(height, -1.0))
    start = -np.minimum(half, end)
    x, w = roots_legendre(80)
    psi = (start + end)[..., None] / 2 + (end - start)[..., None] / 2 * x
    beyond = np.maximum(1 - (height[..., None] / np.cos(psi)) ** 2, 0) ** ((m - 2) / 2)
    p = (beyond @ w) * (end - start) / (2 * math.pi)
    return float(weight @ np.maximum(1 - p, 0.0) ** (d - 2) @ weight)


def capacity_at(d, level=0.99):
    """The smallest m with `found` ≥ ``level``: the capacity at a fixed level, constants included.

    Raises ``ValueError`` for d < 2 or a level outside [0, 1).
    Source: ours; chapter *How small can it be*.

    >>> capacity_at(1024), capacity_at(4096)
    (27, 31)
    """
    level = _checks.real("level", level, 0.0, 1.0)
    lengths = range(3, 10_000)
    return lengths[bisect_left(lengths, level, key=lambda m: found(d, m))]


def collision(d, m=None, length=1.0):
    """P(both heads take the same bit) for sphere positions and antisymmetric queries.

    Leading order (m omitted): (2/π)·arctan(1/√d), whatever m.  With m, at finite size:
    (2/π)·arctan(√(d−2)/(d·length))·(1 + 3/(4m)), where ``length`` is |θ|.
    Returns a probability.  Raises ``ValueError`` for d < 2, m < 1 or length ≤ 0.
    Source: ours; chapters *One step* (the cause) and *When one step fails* (the derivation).

    >>> round(collision(1024), 4), round(collision(512, m=64), 4)
    (0.0199, 0.0284)
    """
    d = _checks.integer("d", d, 2)
    length = _checks.real("length", length, 1e-12)
    if m is None:
        return 2 / math.pi * math.atan(1 / (math.sqrt(d) * length))
    m = _checks.integer("m", m, 1)
    angle = math.atan(math.sqrt(d - 2) / (d * length))
    return 2 / math.pi * angle * (1 + 3 / (4 * m))


def collision_independent(d, m, noise=0.0):
    """P(both heads take the same bit) for sphere positions and independent queries of length 1.

    (2/π)·arctan(r)·(1 + 9/(8m)), r² = 2(d−2)/d² + (κ²/m²)·((1 + m/d)² + m/d)·(1 + 7/(4m)),
    κ = 1 + 3/(2λ)·(1 + 13/(6m)), λ = 1 − 2·noise; κ² tends to 25/4 without label noise.  The first
    part is the mean position, the second the half sum of the two queries, which antisymmetric
    queries do not have.
    Returns a probability.  Raises ``ValueError`` for d < 2, m < 1 or noise outside [0, ½).
    Source: ours; chapter *When one step fails*.

    >>> round(collision_independent(4096, 64), 4)
    0.0303
    """
    d, m = _checks.integer("d", d, 2), _checks.integer("m", m, 1)
    signal = 1 - 2 * _checks.real("noise", noise, 0.0, 0.5)
    weight = 1 + 1.5 / signal * (1 + 13 / (6 * m))
    spread = ((1 + m / d) ** 2 + m / d) * (1 + 7 / (4 * m))
    square = 2 * (d - 2) / d**2 + (weight / m) ** 2 * spread
    return 2 / math.pi * math.atan(math.sqrt(square)) * (1 + 9 / (8 * m))


def collision_balanced(d, m, length=1.0):
    """P(both heads take the same bit) for balanced positions and antisymmetric queries.

    (2/π)·arctan(3·length/(2√2·m√d)): the mean position is gone, and what is left is quadratic in
    the scores.  Returns a probability.  Raises ``ValueError`` for d < 3, m < 2 or length ≤ 0.
    Source: ours; chapter *When one step fails*.

    >>> round(collision_balanced(64, 64), 4)
    0.0013
    """
    d, m = _checks.integer("d", d, 3), _checks.integer("m", m, 2)
    length = _checks.real("length", length, 1e-12)
    return 2 / math.pi * math.atan(3 * length / (2 * math.sqrt(2) * m * math.sqrt(d)))
