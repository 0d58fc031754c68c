import numpy as np
import pytest
from scipy.stats import norm

from xorlit import fits


def drawn(half, width, trials, rng, x=None):
    """Counts whose share of successes is Φ((ln x − ln half)/width)."""
    x = half * np.geomspace(0.25, 4, 7) if x is None else x
    n = np.full(len(x), trials)
    return x, rng.binomial(n, norm.cdf(np.log(x / half) / width)), n


@pytest.mark.parametrize(("half", "width", "trials"), [(100.0, 1.0, 40), (7e5, 0.4, 200)])
def test_the_interval_of_a_half_point_covers_it_as_often_as_it_says(half, width, trials):
    rng = np.random.default_rng(0)
    ends = np.array([fits.half_point(*drawn(half, width, trials, rng)) for _ in range(400)])
    assert (ends[:, 1] <= ends[:, 0]).all()
    assert (ends[:, 0] <= ends[:, 2]).all()
    covered = np.mean((ends[:, 1] <= half) & (half <= ends[:, 2]))
    assert abs(covered - 0.95) < 4.5 * np.sqrt(0.05 * 0.95 / 400)
    assert abs(np.log(ends[:, 0] / half).mean()) < 0.05 * width


def test_a_half_point_agrees_with_a_second_implementation():
    """The likelihood maximised by scipy, and an interval from its profile."""
    from scipy.optimize import brentq, minimize, minimize_scalar

    x, k, n = drawn(50.0, 0.8, 100, np.random.default_rng(3))

    def cost(mid, slope):
        eta = slope * (np.log(x) - mid)
        return -(k * norm.logcdf(eta) + (n - k) * norm.logcdf(-eta)).sum()

    best = minimize(lambda t: cost(*t), [np.log(50), 1.0], method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-12})  # fmt: skip

    def excess(mid):
        profile = minimize_scalar(lambda slope: cost(mid, slope), (0.1, 3.0)).fun
        return profile - best.fun - 3.841458820694124 / 2

    estimate, low, high = fits.half_point(x, k, n)
    assert estimate == pytest.approx(np.exp(best.x[0]), rel=1e-6)
    assert low == pytest.approx(np.exp(brentq(excess, best.x[0] - 2, best.x[0])), rel=0.01)
    assert high == pytest.approx(np.exp(brentq(excess, best.x[0], best.x[0] + 2)), rel=0.01)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 4.0])
def test_known_exponents_are_recovered_from_counts(power):
    rng = np.random.default_rng(int(10 * power))
    d = 2.0 ** np.arange(5, 13)
    halves = [fits.half_point(*drawn(0.3 * s**power, 0.7, 200, rng))[0] for s in d]
    slope, low, high = fits.exponent(d, halves)
    assert low < power < high
    assert high - low < 0.1
    assert slope == pytest.approx(power, abs=0.05)


def test_the_interval_of_an_exponent_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(5)
    d = 2.0 ** np.arange(5, 11)
    inside = 0
    for _ in range(1000):
        _, low, high = fits.exponent(d, d**1.5 * np.exp(rng.normal(0, 0.2, len(d))))
        inside += low <= 1.5 <= high
    assert abs(inside / 1000 - 0.95) < 4.5 * np.sqrt(0.05 * 0.95 / 1000)


def test_curvature_widens_the_interval_of_an_exponent():
    d = 2.0 ** np.arange(5, 13)
    straight, curved = fits.exponent(d, d), fits.exponent(d, d * np.log(d))
    assert curved[2] - curved[1] > 100 * (straight[2] - straight[1])
    assert curved[1] > 1  # d log d is no power law, and its fitted power is above 1


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (([1, 2, 4], [0, 1, 11], [10, 10, 10]), "0..trials"),
        (([1, 2, 4], [0, 1, 2], [10, 10, 10]), "from below to above half"),
        (([1, 2, 4], [9, 8, 7], [10, 10, 10]), "from below to above half"),
        (([1, 2, 4], [9, 5, 1], [10, 10, 10]), "grow with x"),
        (([1, 2], [0, 2], [2, 2]), "grow with x"),
    ],
)
def test_counts_that_show_no_threshold_are_refused(counts, words):
    with pytest.raises(ValueError, match=words):
        fits.half_point(*counts)


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2]), ([1, 2, 3], [1, 2, 0]), ([1, 2, 3], [1, 2])]
)
def test_an_exponent_needs_three_positive_points(x, y):
    with pytest.raises(ValueError, match="three or more"):
        fits.exponent(x, y)
