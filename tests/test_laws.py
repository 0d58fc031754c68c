import numpy as np
import pytest

from xorlit import laws


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
        (lambda: laws.learned(4, 4, -1.0), "rate"),
        (lambda: laws.learned(4, 4, float("inf")), "rate"),
        (lambda: laws.learned(4, 4, 1.0, threshold=0.5), "threshold"),
    ],
)
def test_bad_input_is_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()
