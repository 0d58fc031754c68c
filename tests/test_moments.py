import numpy as np
import pytest

import xorlit


def enumerated(a, support, noise):
    """Mean and covariance of one example's gradient, over all inputs and both labels."""
    task = xorlit.SparseXOR(a.shape[1], support)
    X, Y = task.enumerate()
    g, weight = [], []
    for flip, chance in ((1, 1 - noise), (-1, noise)):
        u, w = X @ a[0], X @ a[1]
        r = 2 * (flip * Y + u * w)
        g.append(np.concatenate([(r * w)[:, None] * X, (r * u)[:, None] * X], axis=1))
        weight.append(np.full(len(X), chance / len(X)))
    g, weight = np.concatenate(g), np.concatenate(weight)
    mean = weight @ g
    return mean, (g * weight[:, None]).T @ g - np.outer(mean, mean)


@pytest.mark.parametrize(
    ("d", "support", "noise"),
    [(2, (0, 1), 0.0), (3, (0, 2), 0.1), (6, (1, 2), 0.0), (8, (0, 7), 0.4), (10, (3, 8), 0.2)],
)
@pytest.mark.parametrize("spread", [0.1, 1.0, 30.0])
def test_the_covariance_agrees_with_enumeration(d, support, noise, spread):
    rng = np.random.default_rng(d)
    for a in (
        spread * rng.standard_normal((2, d)),
        xorlit.attention("softmax").weights(spread * rng.standard_normal((2, d))),
    ):
        _, expected = enumerated(a, support, noise)
        C = xorlit.gradient_covariance(a, support, noise).reshape(2 * d, 2 * d)
        np.testing.assert_allclose(C, expected, atol=1e-11 * max(1e-3, np.abs(expected).max()))


def test_a_learned_task_has_no_noise_left_unless_its_labels_have():
    a = np.eye(2, 6)
    assert np.abs(xorlit.gradient_covariance(a, (0, 1))).max() == 0
    assert xorlit.gradient_covariance(a, (0, 1), 0.1)[0, 3, 0, 3] == pytest.approx(16 * 0.1)


def test_the_leading_covariance_is_what_is_left_for_spread_weights():
    """Diagonal 4|ã|², cross-head 4 a·ã; off it the rank-one blocks 8 b_l b_k, of order 1/d²."""
    d = 400
    a = xorlit.attention("softmax").weights(np.random.default_rng(0).normal(0, 0.2, (2, d)))
    C = xorlit.gradient_covariance(a, (5, 50))
    np.testing.assert_allclose(C[0, range(d), 0, range(d)] / (4 * a[1] @ a[1]), 1, atol=3 / d)
    np.testing.assert_allclose(C[0, range(d), 1, range(d)] / (4 * a[0] @ a[1]), 1, atol=5 / d)
    outside = [s for s in range(d) if s not in (5, 50)]
    off = C[0, :, 0][np.ix_(outside, outside)] - 8 * np.outer(a[1], a[1])[np.ix_(outside, outside)]
    np.fill_diagonal(off, 0)
    assert np.abs(off).max() < 0.1 * 8 / d**2


@pytest.mark.parametrize(
    ("a", "support"),
    [(np.ones((3, 5)), (0, 1, 2)), (np.ones((2, 5)), (0, 5)), (np.full((2, 5), np.nan), (0, 1))],
)
def test_bad_input_is_refused(a, support):
    with pytest.raises(ValueError, match=r"a must|support"):
        xorlit.gradient_covariance(a, support)
