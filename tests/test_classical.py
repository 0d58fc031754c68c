import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xorlit
from xorlit import laws
from xorlit.baselines import classical

TRIALS = 200


def share_found(find, d, n, noise=0.0):
    hits = 0
    for seed in range(TRIALS):
        task = xorlit.SparseXOR(d, noise=noise, rng=seed)
        with contextlib.suppress(ValueError):
            hits += find(*task.sample(n, rng=seed)) == task.support
    return hits / TRIALS


@given(d=st.integers(2, 9), seed=st.integers(0, 999))
def test_all_inputs_give_the_support(d, seed):
    task = xorlit.SparseXOR(d, rng=seed)
    X, Y = task.enumerate()
    assert classical.pair_correlation(X, Y) == task.support
    assert classical.gf2_solve(X, Y) == task.support


@given(seed=st.integers(0, 999))
def test_the_matrix_product_is_the_loop_over_pairs(seed):
    x, y = xorlit.SparseXOR(7, noise=0.3, rng=seed).sample(9, rng=seed)
    score = {(k, j): -sum(y * x[:, k] * x[:, j]) for j in range(7) for k in range(j)}
    assert score[classical.pair_correlation(x, y)] == max(score.values())


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_correlation_finds_the_support_at_the_samples_of_the_law(noise):
    n = laws.correlation_samples(128, noise, failure=0.001)
    assert share_found(classical.pair_correlation, 128, n, noise) >= 0.99


@pytest.mark.parametrize("d", [63, 64, 100])
def test_elimination_finds_the_support_at_the_samples_of_the_law(d):
    n = laws.elimination_samples(d, failure=0.001)
    assert share_found(classical.gf2_solve, d, n) >= 0.99


def test_elimination_does_not_survive_noise():
    n = laws.elimination_samples(100, failure=0.001)
    assert share_found(classical.gf2_solve, 100, n, noise=0.1) == 0


def test_half_the_samples_of_the_laws_are_too_few():
    n = laws.correlation_samples(128, 0.3, failure=0.5) // 2
    assert share_found(classical.pair_correlation, 128, n, 0.3) < 0.8
    x, y = xorlit.SparseXOR(64, rng=0).sample(63, rng=0)
    with pytest.raises(ValueError, match="more samples needed"):
        classical.gf2_solve(x, y)


def test_labels_of_no_pair_are_refused():
    X, Y = xorlit.SparseXOR(6, support=(1, 2, 4)).enumerate()
    with pytest.raises(ValueError, match="no pair fits"):
        classical.gf2_solve(X, -Y)  # a consistent system whose solution has three members
    Y = xorlit.SparseXOR(6, support=(1, 2)).label(X)
    Y[17] *= -1
    with pytest.raises(ValueError, match="no pair fits"):
        classical.gf2_solve(X, Y)


@pytest.mark.parametrize("find", [classical.pair_correlation, classical.gf2_solve])
@pytest.mark.parametrize(
    ("x", "y", "name"),
    [
        (np.array([[0, 1, 1]]), np.array([1]), "x must hold"),
        (np.ones(3), np.array([1]), "x must have"),
        (np.ones((2, 1)), np.ones(2), "x must have"),
        (np.ones((2, 3)), np.zeros(2), "y must hold"),
        (np.ones((2, 3)), np.ones(3), "y must have"),
    ],
)
def test_bad_input_is_refused_by_name(find, x, y, name):
    with pytest.raises(ValueError, match=name):
        find(x, y)
