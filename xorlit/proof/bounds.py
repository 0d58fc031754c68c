"""The constants of the one-step theorem, its probabilities, and what they add up to."""

import math
from dataclasses import dataclass

import numpy as np

from xorlit import _checks


@dataclass(frozen=True)
class Constants:
    """The constants that hold on the good event of size ρ; made by `constants`.

    ``omega_low``/d ≤ W_l ≤ ``omega``/d; ``lam``/d bounds the slope of W in the score; ``drift``
    bounds |Σ_{l∉S} W_l s_l|; ``kappa`` ≤ (margin + sign(Δ)N)/|Δ| ≤ ``kappa_high``; ``phi`` is what
    the better bit wins by against any outsider; ``radius`` bounds |X|.
    Source: ours; chapter *The proof*.
    """

    omega_low: float
    omega: float
    lam: float
    drift: float
    kappa: float
    kappa_high: float
    phi: float
    radius: float


def constants(d, rho):
    """All constants of the theorem at dimension ``d`` on the good event of size 0 < ``rho`` < 1.1.

    q₋ = ½ + (1−1/d)/cosh²ρ − cosh 2ρ,  ω = 1 + e^{2ρ}(½e^{2ρ} − q₋),  λ = e^{2ρ}(e^{2ρ} − q₋),
    ω₋ = (1−1/d)/cosh²ρ − ½(e^{2ρ}cosh²2ρ − 1),  α = ωρ/√d + λρ²,  R = (1+ρ)ω/√d,
    κ = (1−ρ)(1−λ/d) − α,  κ₊ = (1+ρ)(sinh(2ρ)/2ρ + λ/d) + α,
    φ = (1−3ρ)/2 − ω(1+3ρ)/d − 2ρα − R√((3+5ρ)/2).
    Returns `Constants`; a κ or φ that is not positive means: no statement at this ρ.
    Raises ``ValueError`` for d < 3 or ρ outside (0, 1.1).  Source: ours; chapter *The proof*.

    >>> c = constants(1024, 1 / 6)
    >>> round(c.omega, 3), round(c.lam, 3), round(c.kappa, 3), round(c.phi, 3)
    (1.394, 1.368, 0.787, 0.163)
    """
    d, rho = _checks.integer("d", d, 3), _checks.real("rho", rho, 1e-9, 1.1)
    e, root = math.exp(2 * rho), math.sqrt(d)
    share = (1 - 1 / d) / math.cosh(rho) ** 2
    q_low = 0.5 + share - math.cosh(2 * rho)
    omega = 1 + e * (e / 2 - q_low)
    lam = e * (e - q_low)
    drift = omega * rho / root + lam * rho**2
    radius = (1 + rho) * omega / root
    away = (1 - 3 * rho) / 2 - omega * (1 + 3 * rho) / d
    return Constants(
        omega_low=share - (e * math.cosh(2 * rho) ** 2 - 1) / 2,
        omega=omega,
        lam=lam,
        drift=drift,
        kappa=(1 - rho) * (1 - lam / d) - drift,
        kappa_high=(1 + rho) * (math.sinh(2 * rho) / (2 * rho) + lam / d) + drift,
        phi=away - 2 * rho * drift - radius * math.sqrt((3 + 5 * rho) / 2),
        radius=radius,
    )


def slow_step(d, m, rho, rate, loss=0.1):
    """What a finite rate adds to the failure probability: Λ cosh²ρ/(4κ√(π(1−ρ)) x).

    x = rate/(d²√m) and Λ = ln(8/√loss).  It is infinite, so that the theorem is silent, unless
    the outsiders have lost too: 4x√m φ ≥ cosh²ρ (Λ + ln d + 2ρ).  Returns a float, 0 for an
    infinite rate.  Source: ours; chapter *The proof*.

    >>> round(slow_step(1024, 1000, 1 / 6, rate=64 * 1024**2 * 1000**0.5), 3)
    0.01
    """
    c = constants(d, rho)
    m, loss = _checks.integer("m", m, 3), _checks.real("loss", loss, 1e-300, 1.0)
    if rate == math.inf:
        return 0.0
    x = _checks.real("rate", rate, 0.0) / (d**2 * math.sqrt(m))
    needed, stretch = math.log(8 / math.sqrt(loss)), math.cosh(rho) ** 2
    found = 4 * x * math.sqrt(m) * c.phi >= stretch * (needed + math.log(d) + 2 * rho)
    if not found or c.kappa <= 0:
        return math.inf
    return needed * stretch / (4 * c.kappa * math.sqrt(math.pi * (1 - rho)) * x)


def failure_bound(d, m, rho=None, rate=math.inf, loss=0.1):
    """The theorem: P(the loss after one step is above ``loss``) is at most

    6d e^{−mρ²/2} + (2/π)(1+ρ)ω/(κ√d) + `slow_step`(rate).

    For sphere positions and antisymmetric unit queries; ``rho=None`` takes the best ρ of a grid.
    Returns a probability, 1 where the theorem says nothing.  Raises ``ValueError`` for d < 3 or
    m < 3.  Source: ours; chapter *The proof*.

    >>> round(failure_bound(4096, 1000), 4), failure_bound(4096, 24)
    (0.0238, 1.0)
    """
    d, m = _checks.integer("d", d, 3), _checks.integer("m", m, 3)
    sizes = np.linspace(0.005, 0.33, 326) if rho is None else [rho]
    return min(1.0, *(_failure(d, m, float(r), rate, loss) for r in sizes))


def _failure(d, m, rho, rate, loss):
    c = constants(d, rho)
    if c.kappa <= 0 or c.phi <= 0:
        return 1.0
    event = 6 * d * math.exp(-m * rho**2 / 2)
    return event + 2 / math.pi * c.radius / c.kappa + slow_step(d, m, rho, rate, loss)


def cap(t, n):
    """Both sides of P(u·e ≥ t) ≤ e^{−nt²/2}, u uniform on the unit sphere of R^n, 0 ≤ t ≤ 1.

    Returns (exact, bound); arrays broadcast.  Raises ``ValueError`` for n < 2.
    Source: classical; chapter *The proof* gives a proof through moments.

    >>> exact, bound = cap(0.5, 10)
    >>> round(float(exact), 4), round(float(bound), 4)
    (0.0587, 0.2865)
    """
    from scipy.special import betainc

    n, t = _checks.integer("n", n, 2), np.asarray(t, dtype=float)
    return betainc((n - 1) / 2, 0.5, 1 - t**2) / 2, np.exp(-n * t**2 / 2)


def isotropy(m):
    """c_m·E|u_1| = 1/π for every m: the identity that gives the theorem its constant.

    c_m = Γ(m/2)/(√π Γ((m−1)/2)) is the largest density of one coordinate of a uniform point on
    S^{m−1}, u uniform on S^{m−2}.  Returns (c_m, E|u_1|).  Raises ``ValueError`` for m < 3.
    Source: ours; chapter *The proof*.

    >>> density, mean = isotropy(50)
    >>> round(density * mean * math.pi, 12)
    1.0
    """
    m = _checks.integer("m", m, 3)
    ratio = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(math.pi)
    # E|u_1| on S^{n−1} is Γ(n/2)/(√π Γ((n+1)/2)), with n = m − 1
    mean = math.exp(math.lgamma((m - 1) / 2) - math.lgamma(m / 2)) / math.sqrt(math.pi)
    return ratio, mean


def norm_tail(rho, m):
    """Both sides of (1+ρ)^n exp(−(n/2)(2ρ+ρ²)) ≤ e^{−mρ²/2}, n = m − 1 ≥ 2, 0 < ρ ≤ ½.

    The left side bounds the probability that a sum of isotropic vectors in R^n is (1+ρ) times
    longer than its root mean square bound.  Returns (left, right).
    Source: ours; chapter *The proof*.

    >>> left, right = norm_tail(0.2, 400)
    >>> bool(left < right)
    True
    """
    n, rho = _checks.integer("m", m, 3) - 1, np.asarray(rho, dtype=float)
    left = np.exp(n * np.log1p(rho) - n / 2 * (2 * rho + rho**2))
    return left, np.exp(-m * rho**2 / 2)


def collision_limit(d, length=1.0):
    """Limit of P(fail) as m → ∞ for fixed d: (2/π)·arctan(√(d−2)/(length·(d − ½ − 1/d))).

    For sphere positions, antisymmetric queries of the given ``length`` and a large rate.
    Raises ``ValueError`` for d < 3 or length ≤ 0.  Source: ours; chapter *The collision theorem*.

    >>> round(collision_limit(32), 4)
    0.1097
    """
    d, length = _checks.integer("d", d, 3), _checks.real("length", length, 1e-12)
    return 2 / math.pi * math.atan(math.sqrt(d - 2) / (length * (d - 0.5 - 1 / d)))
