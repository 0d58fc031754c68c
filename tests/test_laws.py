from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.stats import binom

import xorlit
from xorlit import laws
from xorlit.experiments import scale
from xorlit.results import interval


@pytest.mark.parametrize("x", [0.5, 2, 8, 64])
def test_the_rate_law_agrees_with_drawing_its_two_gaussians(x):
    d, m, n = 256, 128, 400_000
    rng = np.random.default_rng(0)
    g, h = rng.normal(0, np.sqrt(2), n), rng.normal(0, np.sqrt(2 / d), n)
    loss = (1 - np.tanh(2 * x * (g - h)) * np.tanh(2 * x * (g + h))) ** 2 / 2
    measured = np.mean(loss < 0.1)
    law = laws.learned(d, m, x * d**2 * np.sqrt(m))
    assert abs(law - measured) < 4.5 * np.sqrt(law * (1 - law) / n) + 1e-6


def test_at_a_large_rate_only_collisions_are_left():
    for d in (64, 1024, 16384):
        np.testing.assert_allclose(
            1 - laws.learned(d, 64, 1e4 * d**2 * 8), laws.collision(d), atol=2e-4
        )


def test_a_rate_of_zero_learns_nothing():
    assert laws.learned(64, 16, 0.0) == 0.0


def test_the_finite_size_collision_law_tends_to_the_leading_one():
    assert laws.collision(10**8, m=10**8) == pytest.approx(laws.collision(10**8), rel=1e-6)
    assert laws.collision(512, m=64, length=2.0) < laws.collision(512, m=64)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: laws.capacity(1), "d must"),
        (lambda: laws.collision(0), "d must"),
        (lambda: laws.collision(4, m=0), "m must"),
        (lambda: laws.collision(4, length=0), "length"),
        (lambda: laws.rate(4, 0.5), "m must"),
        (lambda: laws.collision_independent(4, 4, noise=0.5), "noise"),
        (lambda: laws.collision_balanced(2, 4), "d must"),
        (lambda: laws.cap_count(4, 1), "m must"),
        (lambda: laws.found(4, 2), "m must"),
        (lambda: laws.capacity_at(4, level=1.0), "level"),
        (lambda: laws.ffnn_floor(4, 5), "r must"),
        (lambda: laws.linear_floor(4, 5, 1), "k must"),
        (lambda: laws.linear_floor(4, 2, -1), "D must"),
        (lambda: laws.correlation_samples(4, 0.5), "noise"),
        (lambda: laws.elimination_samples(4, 1.0), "failure"),
        (lambda: laws.mismatch(4, 4, 0), "n must"),
        (lambda: laws.mismatch(4, 4, 4, noise=0.5), "noise"),
        (lambda: laws.found_from(2, 4, 4), "d must"),
        (lambda: laws.samples_to_find(4, 0), "m must"),
        (lambda: laws.samples_to_match(1, 4), "d must"),
        (lambda: laws.information_bound(4, k=5), "k must"),
        (lambda: laws.learned(4, 4, -1.0), "rate"),
        (lambda: laws.learned(4, 4, float("inf")), "rate"),
        (lambda: laws.learned(4, 4, 1.0, threshold=0.5), "threshold"),
    ],
)
def test_bad_input_is_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize(("d", "m"), [(8, 3), (64, 10), (1024, 20)])
def test_found_agrees_with_drawing_the_two_directions(d, m):
    """The law's own event, drawn: no outsider beyond either head's bit along its direction."""
    rng = np.random.default_rng(1)
    trials, hits = 3000, 0
    for _ in range(trials):
        V = rng.standard_normal((d + 1, m))
        V /= np.linalg.norm(V, axis=1, keepdims=True)
        theta, u, w, rest = V[0], V[1], V[2], V[3:]
        delta = abs(theta @ (u - w))
        both = np.array([[np.exp(delta), np.exp(-delta)], [np.exp(-delta), np.exp(delta)]])
        directions = both @ np.array([u, w])
        own = directions[0] @ u, directions[1] @ w
        hits += (rest @ directions.T < own).all()
    law = laws.found(d, m)
    assert abs(hits / trials - law) < 4.5 * np.sqrt(law * (1 - law) / trials)


def test_the_cap_count_agrees_with_counting():
    rng = np.random.default_rng(0)
    v = rng.standard_normal((200_000, 8))
    share = np.mean(v[:, 0] > np.linalg.norm(v, axis=1) / np.sqrt(2))
    assert laws.cap_count(1002, 8) / 1000 == pytest.approx(share, rel=0.05)


def test_capacity_grows_by_two_for_each_doubling():
    lengths = [laws.capacity_at(2**p) for p in (8, 12, 16, 20)]
    assert all(8 <= b - a <= 9 for a, b in pairwise(lengths))
    assert laws.capacity_at(256, 0.5) < laws.capacity_at(256, 0.99)
    assert (
        laws.found(256, laws.capacity_at(256) - 1) < 0.99 <= laws.found(256, laws.capacity_at(256))
    )


@pytest.mark.parametrize(
    ("make", "queries", "law"),
    [
        (xorlit.sphere, xorlit.antisymmetric_queries, laws.collision(64, m=24)),
        (xorlit.sphere, xorlit.independent_queries, laws.collision_independent(64, 24)),
        (xorlit.balanced, xorlit.antisymmetric_queries, laws.collision_balanced(64, 24)),
    ],
)
def test_collisions_happen_as_often_as_the_law_says(make, queries, law):
    trials = 16_000
    independent = queries is xorlit.independent_queries
    count = sum(
        scale.collisions(V, supports, scale.queries(rng, 24, independent)).sum()
        for rng, V, supports in scale.draws(64, 24, trials, 50_000, make)
    )
    low, high = interval(count, trials, level=0.9999)
    assert low < law < high


def test_the_laws_of_collision_agree_where_they_meet():
    assert laws.collision_independent(10**8, 10**6) == pytest.approx(
        laws.collision(10**8) * np.sqrt(2), rel=0.01
    )
    assert laws.collision_independent(4096, 32, noise=0.4) > laws.collision_independent(4096, 32)
    assert laws.collision_balanced(1024, 64) < laws.collision(1024, 64) / 10


def test_counting_collisions_agrees_with_one_step():
    collided = 0
    for independent in (False, True):
        rng, V, supports = next(scale.draws(64, 8, 16, 3))
        q = scale.queries(rng, 8, independent)
        heads = [
            xorlit.one_step(xorlit.SparseXOR(64, support=s), V, q[t], rate=1e12).heads
            for t, s in enumerate(supports.tolist())
        ]
        ended = np.array([set(h) <= set(s) for h, s in zip(heads, supports.tolist(), strict=True)])
        expected = np.array([a == b for a, b in heads])
        np.testing.assert_array_equal(scale.collisions(V, supports, q)[ended], expected[ended])
        collided += (expected & ended).sum()
    assert 0 < collided < 16


def best_error_of_a_reader(d, read, support):
    """The oracle: the error of the mean label of the inputs that agree on the bits read."""
    X, Y = xorlit.SparseXOR(d, support).enumerate()
    cell = X[:, read].astype(int) @ (1 << np.arange(len(read)))
    _, cell = np.unique(cell, return_inverse=True)
    f = np.bincount(cell, weights=Y) / np.bincount(cell)
    return np.mean((Y - f[cell]) ** 2)


@pytest.mark.parametrize("read", [(), (3,), (1, 4), (0, 2, 5), (0, 1, 3, 5), tuple(range(6))])
def test_the_ffnn_floor_is_the_average_error_of_the_best_reader(read):
    supports = list(combinations(range(6), 2))
    average = np.mean([best_error_of_a_reader(6, read, s) for s in supports])
    assert average == pytest.approx(laws.ffnn_floor(6, len(read)), abs=1e-12)


def test_reaching_an_error_takes_a_share_of_the_coordinates():
    for d in (5, 64, 1000):
        for error in (0.0, 0.1, 0.5):
            r = next(r for r in range(d + 1) if laws.ffnn_floor(d, r) <= error)
            assert np.sqrt(1 - error) * d <= r <= np.sqrt(1 - error) * d + 1


@pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 0.45])
def test_the_correlation_law_bounds_the_exact_failures_of_one_pair(p):
    """A wrong pair scores as a fair coin: P(it beats or ties the right one), by convolution."""
    n = laws.correlation_samples(64, p, failure=0.05)
    fair, right = binom.pmf(np.arange(n + 1), n, 0.5), binom.pmf(np.arange(n + 1), n, 1 - p)
    beaten = sum(right[s] * fair[s:].sum() for s in range(n + 1))
    assert 2016 * beaten <= 0.05
    assert 2016 * beaten >= 0.05 / 30  # and not by much: Chernoff loses a factor of order √n


def test_the_elimination_law_bounds_the_exact_chance_of_a_missing_equation():
    for d, failure in ((20, 0.1), (64, 0.01)):
        n = laws.elimination_samples(d, failure)
        full_rank = np.prod(1 - 2.0 ** -np.arange(n - d + 1, n + 1))
        assert failure / 4 < 1 - full_rank <= failure


@pytest.mark.parametrize(("d", "m", "n", "noise"), [(64, 64, 2000, 0.0), (100, 30, 9000, 0.2)])
def test_the_mismatch_law_agrees_with_drawing_its_gaussians(d, m, n, noise):
    """Heads disagree about the bits by ±Δ, a preference they share is stronger or it is not."""
    rng, trials, signal = np.random.default_rng(0), 400_000, 1 - 2 * noise
    preference = rng.normal(0, np.sqrt(2 / m), trials)
    centroid = rng.normal(0, np.sqrt(2 / (d * m)), trials)
    unit = 4 * signal / d**2  # of the margins, per unit of Δ
    sampling = rng.normal(0, np.sqrt(4 / (d**3 * n) * 2 * (1 + d / m)) / unit, trials)
    measured = np.mean(np.abs(centroid + sampling) > np.abs(preference))
    law = laws.mismatch(d, m, n, noise)
    assert abs(law - measured) < 4.5 * np.sqrt(law * (1 - law) / trials)


@pytest.mark.parametrize(("d", "m", "n", "noise"), [(20, 8, 100, 0.0), (200, 40, 3000, 0.1)])
def test_the_find_law_agrees_with_drawing_its_gaussians(d, m, n, noise):
    rng, trials = np.random.default_rng(0), 20_000
    r = (1 - 2 * noise) * np.sqrt(n / (d * (1 + d / m)))
    z = rng.standard_normal((trials, d))
    outside = z[:, 2:] + r * rng.normal(0, np.sqrt(2 / m), (trials, d - 2))
    measured = np.mean(r + z[:, :2].max(axis=1) > outside.max(axis=1))
    assert abs(laws.found_from(d, m, n, noise) - measured) < 4.5 * 0.5 / np.sqrt(trials)


def test_half_of_the_steps_succeed_at_the_number_of_samples_of_the_laws():
    for d, m, noise in ((64, 64, 0.0), (1000, 50, 0.1), (5000, 5000, 0.3)):
        n = laws.samples_to_find(d, m, noise)
        assert laws.found_from(d, m, round(n), noise) == pytest.approx(0.5, abs=2e-3)
        n = laws.samples_to_match(d, m, noise)
        assert laws.mismatch(d, m, round(n), noise) == pytest.approx(0.5, abs=1e-3)
    assert laws.samples_to_find(4096, 8) == np.inf


def test_below_the_information_bound_labels_cannot_name_the_support():
    for d in (5, 40):
        labels = 2.0 ** np.floor(laws.information_bound(d) - 1e-9)
        assert labels < d * (d - 1) / 2 <= 2 * labels
