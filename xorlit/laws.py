"""What theory predicts: pure formulas, each with its source.  No function here runs a model."""

import math

from xorlit import _checks


def capacity(d):
    """The smallest position length that tells the support from everything else: m* = 2 log₂ d.

    Leading order in d; at a fixed failure level the correction is O(√log d).  Units: dimensions.
    Raises ``ValueError`` for d < 2.  Source: ours; chapter *How small can it be*.

    >>> capacity(1024)
    20.0
    """
    return 2 * math.log2(_checks.integer("d", d, 2))


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
