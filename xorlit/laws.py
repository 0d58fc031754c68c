"""What theory predicts: pure formulas, each with its source.  No function here runs a model."""

import math

from xorlit import _checks
from xorlit.failures import (  # noqa: F401  (they are laws too)
    cap_count,
    capacity_at,
    collision,
    collision_balanced,
    collision_independent,
    found,
)


def capacity(d):
    """The smallest position length that tells the support from everything else: m* = 2 log₂ d.

    Leading order in d; at a fixed failure level the correction is O(√log d).  Units: dimensions.
    Raises ``ValueError`` for d < 2.  Source: ours; chapter *How small can it be*.

    >>> capacity(1024)
    20.0
    """
    return 2 * math.log2(_checks.integer("d", d, 2))


def rate(d, m):
    """The learning rate that `one_step` uses for softmax: η = 64 d² √m.

    A typical match margin is of order 1/(d²√m) per unit rate, so η must be a multiple of d²√m;
    the multiple 64 leaves only the rare small margins behind (see `learned`).
    Raises ``ValueError`` for d < 2 or m < 1.  Source: ours; chapter *One step*.

    >>> rate(1024, 64)
    536870912.0
    """
    return 64.0 * _checks.integer("d", d, 2) ** 2 * math.sqrt(_checks.integer("m", m, 1))


def learned(d, m, rate, threshold=0.1):
    """P(loss < ``threshold`` after one step): the rate law, for m above `capacity`.

    With x = rate/(d²√m), g ~ N(0, 2) and h ~ N(0, 2/d) the two heads end with log-odds
    4x(g−h) and 4x(g+h), so loss = ½(1 − tanh 2x(g−h)·tanh 2x(g+h))²: g is the gap between the
    two scores, h the pull of the mean position.  The probability is the double integral over
    (g, h), done by quadrature in h and in closed form in g.
    Valid once 2x√m is well above ln d, so that every other position has lost.
    Raises ``ValueError`` for a rate that is negative or not finite, or a threshold outside
    (0, ½).  Source: ours; chapter *One step*.

    >>> round(learned(256, 128, rate=8 * 256**2 * 128**0.5), 3)
    0.937
    """
    from scipy.integrate import quad
    from scipy.optimize import brentq

    d = _checks.integer("d", d, 2)
    x = _checks.real("rate", rate, 0.0) / (d**2 * math.sqrt(_checks.integer("m", m, 1)))
    threshold = _checks.real("threshold", threshold, 1e-12, 0.5)
    target = 1 - math.sqrt(2 * threshold)
    if x == 0:
        return 0.0

    def excess(g, h):
        return math.tanh(2 * x * (g - h)) * math.tanh(2 * x * (g + h)) - target

    def given(t):
        """P(|g| large enough) for |h| = t·√(2/d), times the density of t."""
        h = t * math.sqrt(2 / d)
        far = h + 20 / x  # both factors are 1 to rounding there
        smallest = brentq(excess, h, far, args=(h,))
        return math.erfc(smallest / 2) * math.sqrt(2 / math.pi) * math.exp(-t * t / 2)

    return quad(given, 0, 10, epsabs=1e-10)[0]


def mismatch(d, m, n=None, noise=0.0):
    """P(both heads take the same bit) when the one step is taken on n examples.

    (2/π)·arctan √(1/d + d(d+m)/(4nλ²)), λ = 1 − 2·noise, given that both found the support: the
    two heads see nearly the same sampling noise, so it acts as the mean position does in
    `collision`, to which this tends, at leading order, as n grows (n=None).  One half at
    n ≈ d(d+m)/4.  Raises ``ValueError`` for sizes below d = 2, m = 1, n = 1 or a bad noise.
    Source: ours; chapter *Learning from examples*.

    >>> round(mismatch(64, 64, 2048), 3), mismatch(64, 64) == collision(64)
    (0.502, True)
    """
    d, m = _checks.integer("d", d, 2), _checks.integer("m", m, 1)
    signal = 1 - 2 * _checks.real("noise", noise, 0.0, 0.5)
    sampling = 0.0 if n is None else d * (d + m) / (4 * _checks.integer("n", n, 1) * signal**2)
    return 2 / math.pi * math.atan(math.sqrt(1 / d + sampling))


def found_from(d, m, n, noise=0.0):
    """P(the strongest pull after one step on n examples is on the support), at leading order.

    A relevant bit stands r = λ√n / √(d(1 + d/m)) noise units above the rest, λ = 1 − 2·noise; an
    outsider overlaps with the two relevant positions by a normal amount of variance 2/m of that.
    So P = P(r + max of 2 normals > √(1 + 2r²/m) · max of d − 2 normals), one integral.
    Raises ``ValueError`` for sizes below d = 3, m = 1, n = 1 or a bad noise.
    Source: ours; chapter *Three thresholds*.

    >>> found_from(256, 32, 10**2) < 0.05, found_from(256, 32, 10**6) > 0.95
    (True, True)
    """
    from scipy.integrate import quad
    from scipy.special import log_ndtr, ndtr

    d, m, n = _checks.integer("d", d, 3), _checks.integer("m", m, 1), _checks.integer("n", n, 1)
    signal = 1 - 2 * _checks.real("noise", noise, 0.0, 0.5)
    r = signal * math.sqrt(n / (d * (1 + d / m)))
    spread = math.sqrt(1 + 2 * r * r / m)

    def at(z):  # density of the better bit at r + z, times the chance that no outsider beats it
        density = 2 * ndtr(z) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return density * math.exp((d - 2) * log_ndtr((r + z) / spread))

    return quad(at, -8, 9, epsabs=1e-9, limit=200)[0]


def samples_to_find(d, m, noise=0.0):
    """The n at which one step finds the support half of the time: `found_from` solved for ½.

    About c·d(1 + d/m)·ln d/λ² with c between 1 and 2.  Returns a float; ∞ when no number of
    examples will do, m being too small for d.  Errors as `found_from`.
    Source: ours; chapter *Three thresholds*.

    >>> round(samples_to_find(1024, 1024) / (2 * 1024 * math.log(1024)), 2)
    1.06
    """
    from scipy.optimize import brentq

    def excess(log_n):
        return found_from(d, m, max(1, round(math.exp(log_n))), noise) - 0.5

    return math.exp(brentq(excess, 0.0, 60.0, xtol=1e-6)) if excess(60.0) > 0 else math.inf


def samples_to_match(d, m, noise=0.0):
    """The n at which one step gives each head a bit of its own half of the time.

    `mismatch` = ½ at 1/d + d(d+m)/(4nλ²) = 1, so n = d²(d+m)/(4λ²(d−1)), about d(d+m)/4.
    Errors as `mismatch`.  Source: ours; chapter *Three thresholds*.

    >>> round(samples_to_match(64, 64))
    2081
    """
    d, m = _checks.integer("d", d, 2), _checks.integer("m", m, 1)
    signal = 1 - 2 * _checks.real("noise", noise, 0.0, 0.5)
    return d * d * (d + m) / (4 * signal**2 * (d - 1))


def information_bound(d, k=2):
    """log₂ C(d, k): fewer labels cannot name one of the C(d, k) supports.

    Raises ``ValueError`` for k outside 1..d.  Source: counting; chapter *Three thresholds*.

    >>> round(information_bound(1024), 2)
    19.0
    """
    d = _checks.integer("d", d, 2)
    return math.log2(math.comb(d, _checks.integer("k", k, 1, d)))


def ffnn_floor(d, r):
    """The least mean squared error, averaged over all pairs, of a predictor that reads r bits.

    1 − r(r−1)/(d(d−1)): the pair lies among the r coordinates read, fixed before the pair is
    drawn, with probability C(r,2)/C(d,2), and otherwise 0 is the best prediction.  Attained by
    the predictor that is right on those pairs and 0 on the others.  Units: squared labels.
    Raises ``ValueError`` for d < 2 or r outside 0..d.
    Source: ours, for the paper's Ω(d) (P5); chapter *What a feed-forward network pays*.

    >>> round(ffnn_floor(64, 32), 4), ffnn_floor(64, 64)
    (0.754, 0.0)
    """
    d = _checks.integer("d", d, 2)
    r = _checks.integer("r", r, 0, d)
    return 1 - r * (r - 1) / (d * (d - 1))


def linear_floor(d, k, D):
    """The least mean squared error, averaged over supports, of D weights on a fixed embedding.

    max(0, 1 − D/C(d,k)): the C(d,k) parities of k bits are orthonormal, and a space of D
    dimensions holds at most D of their squared lengths.  Attained by D of the parities
    themselves.  Units: squared labels.  Raises ``ValueError`` for d < 2, k outside 1..d or D < 0.
    Source: ours, for the paper's linear bound (P6); chapter *Why a linear readout is not enough*.

    >>> linear_floor(16, 2, 60), round(linear_floor(16, 4, 60), 3)
    (0.5, 0.967)
    """
    d = _checks.integer("d", d, 2)
    parities = math.comb(d, _checks.integer("k", k, 1, d))
    return max(0.0, 1 - _checks.integer("D", D, 0) / parities)


def rank_floor(d, m):
    """The least mean squared error, averaged over pairs, of linear attention with m dimensions.

    max(0, 1 − m(m+1)/(d(d−1))): whatever the two queries, f is a combination of the m(m+1)/2
    products of the m coordinates of Vᵀx, so this is `linear_floor` for that many features.
    Units: squared labels.  Raises ``ValueError`` for d < 2 or m < 1.
    Source: ours, for the paper's remark on linear attention (P7); chapter *Why softmax*.

    >>> round(rank_floor(64, 32), 3), rank_floor(64, 64)
    (0.738, 0.0)
    """
    m = _checks.integer("m", m, 1)
    return linear_floor(d, 2, m * (m + 1) // 2)


def correlation_samples(d, noise=0.0, failure=0.01):
    """Samples at which pair correlation fails with probability at most ``failure``.

    n = ln(C(d,2)/failure) / −ln(½ + √(p(1−p))), rounded up: each wrong pair beats or ties the
    right one with probability at most (½ + √(p(1−p)))ⁿ, Chernoff's bound at its best exponent,
    and there are fewer than C(d,2) of them.  Without noise 2 log₂ d + O(1); towards p = ½ it
    grows as 4/(1−2p)².  Raises ``ValueError`` for d < 2, noise outside [0, ½), failure outside
    (0, 1).  Source: ours; chapter *What needs no network*.

    >>> correlation_samples(1024), correlation_samples(1024, noise=0.1)
    (26, 80)
    """
    d = _checks.integer("d", d, 2)
    p = _checks.real("noise", noise, 0.0, 0.5)
    failure = _checks.real("failure", failure, 1e-300, 1.0)
    return math.ceil(math.log(math.comb(d, 2) / failure) / -math.log(0.5 + math.sqrt(p * (1 - p))))


def elimination_samples(d, failure=0.01):
    """Clean samples at which elimination over GF(2) fails with probability at most ``failure``.

    n = d + log₂(1/failure), rounded up: each of the 2^d − 1 nonzero vectors solves the
    homogeneous system with probability 2⁻ⁿ.  Raises ``ValueError`` for d < 2 or failure outside
    (0, 1).  Source: ours; chapter *What needs no network*.

    >>> elimination_samples(1024)
    1031
    """
    failure = _checks.real("failure", failure, 1e-300, 1.0)
    return _checks.integer("d", d, 2) + math.ceil(-math.log2(failure))
