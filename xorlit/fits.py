"""Thresholds and exponents from counts: fits with intervals.  Nothing here knows a model."""

import numpy as np

from xorlit import _checks


def half_point(x, successes, trials, level=0.95):
    """The x at which a share of successes that grows with x is ½: (estimate, low, high).

    Binomial probit regression P(success) = Φ(α + β ln x), with the interval of −α/β by Fieller's
    method, which stays honest when the slope is poorly known.  Shapes: three arrays (n,) →
    three floats.  Raises ``ValueError`` when the counts are impossible, do not straddle ½, or do
    not show that the share grows.
    Source: Fieller (1954); chapter *Three thresholds*.

    >>> [round(v, 1) for v in half_point([1, 2, 4, 8, 16], [1, 10, 50, 90, 99], [100] * 5)]
    [4.0, 3.6, 4.4]
    """
    from scipy.stats import norm

    z, k, n = (np.asarray(t, float) for t in (x, successes, trials))
    z = np.log(z)
    if np.any(k < 0) or np.any(k > n):
        raise ValueError(f"successes must lie in 0..trials, got {successes} of {trials}")
    if not (k / n).min() < 0.5 < (k / n).max():
        raise ValueError(f"successes must pass from below to above half, got shares {k / n}")
    design = np.stack([np.ones_like(z), z - z.mean()])
    beta = np.array([0.0, 1.0 / max(z.std(), 1e-9)])
    for _ in range(200):  # Fisher scoring, damped: the likelihood is concave
        eta = np.clip(beta @ design, -8, 8)
        p = np.clip(norm.cdf(eta), 1e-12, 1 - 1e-12)
        density = norm.pdf(eta)
        information = (design * (n * density**2 / (p * (1 - p)))) @ design.T
        score = design @ (density * (k - n * p) / (p * (1 - p)))
        step = np.linalg.solve(information, score)
        beta = beta + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            break
    roots = _fieller(beta, np.linalg.inv(information), level)
    return tuple(float(np.exp(z.mean() + root)) for root in roots)


def _fieller(beta, covariance, level):
    """−α/β and the ends of {t : (α + βt)² ≤ χ²(level) · var(α + βt)}."""
    from scipy.stats import chi2

    bound = chi2.ppf(level, 1)
    square = beta[1] ** 2 - bound * covariance[1, 1]
    if beta[1] <= 0 or square <= 0:
        raise ValueError("successes must grow with x: the slope is not known to be positive")
    middle = beta[0] * beta[1] - bound * covariance[0, 1]
    last = beta[0] ** 2 - bound * covariance[0, 0]
    spread = np.sqrt(max(middle**2 - square * last, 0.0))
    return -beta[0] / beta[1], (-middle - spread) / square, (-middle + spread) / square


def exponent(x, y, level=0.95):
    """The slope of ln y against ln x by least squares: (estimate, low, high).

    The interval is Student's, from the scatter about the line.  It says how well a power law is
    determined by these points, not whether there is one: curvature widens it.  Shapes: x, y (n,)
    positive, n ≥ 3.  Raises ``ValueError`` otherwise.
    Source: chapter *Three thresholds*.

    >>> [round(v, 6) for v in exponent([1, 2, 4, 8], [3, 12, 48, 192])]
    [2.0, 2.0, 2.0]
    """
    from scipy.stats import linregress, t

    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.shape != y.shape or x.size < 3 or not (x > 0).all() or not (y > 0).all():
        raise ValueError(f"x and y must be three or more positive numbers each, got {x} and {y}")
    level = _checks.real("level", level, 0.0, 1.0)
    fit = linregress(np.log(x), np.log(y))
    half = t.ppf((1 + level) / 2, x.size - 2) * fit.stderr
    return float(fit.slope), float(fit.slope - half), float(fit.slope + half)
