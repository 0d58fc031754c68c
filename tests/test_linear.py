from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

import xorlit
from xorlit import laws
from xorlit.baselines import linear


def inputs(d):
    return xorlit.SparseXOR(d, support=(0, 1)).enumerate()[0]


def parities(d, k):
    X = inputs(d).astype(float)
    return np.stack([X[:, s].prod(axis=1) for s in combinations(range(d), k)], axis=1)


@settings(max_examples=25)
@given(d=st.integers(2, 7), k=st.integers(1, 4), size=st.integers(1, 20), seed=st.integers(0, 99))
def test_errors_agree_with_least_squares_on_every_support(d, k, size, seed):
    k, rng = min(k, d), np.random.default_rng(seed)
    features = rng.standard_normal((2**d, size))
    features[:, size // 2 :] = features[:, : size - size // 2]  # dependent columns must not count
    for error, y in zip(linear.errors(features, d, k), -parities(d, k).T, strict=True):
        w = np.linalg.lstsq(features, y)[0]
        assert error == pytest.approx(np.mean((y - features @ w) ** 2), abs=1e-10)


@given(d=st.integers(1, 8), seed=st.integers(0, 99))
def test_the_fast_transform_is_the_slow_one(d, seed):
    f = np.random.default_rng(seed).standard_normal((2**d, 3))
    X = inputs(d) if d > 1 else np.array([[-1], [1]])
    members = (1 + inputs(d)) // 2 == 1 if d > 1 else np.array([[False], [True]])
    slow = [(f * X[:, s].prod(axis=1)[:, None]).mean(axis=0) for s in members]
    np.testing.assert_allclose(linear.parity_coefficients(f, d), slow, atol=1e-13)


@settings(max_examples=30)
@given(d=st.integers(2, 8), k=st.integers(1, 4), size=st.integers(1, 40), seed=st.integers(0, 99))
def test_no_embedding_is_below_the_floor(d, k, size, seed):
    k = min(k, d)
    features = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], (2**d, size))
    assert linear.average_error(features, d, k) >= laws.linear_floor(d, k, size) - 1e-12


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("size", [1, 5, 15, 20])
def test_some_of_the_parities_reach_the_floor_exactly(k, size):
    d = 6
    chosen = parities(d, k)[:, : min(size, comb(d, k))]
    mixed = chosen @ np.random.default_rng(0).standard_normal((chosen.shape[1],) * 2)
    for features in (chosen, mixed):
        error = linear.average_error(features, d, k)
        assert error == pytest.approx(laws.linear_floor(d, k, chosen.shape[1]), abs=1e-10)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", linear.KINDS)
def test_embeddings_keep_above_the_floor_and_products_reach_zero(kind, k):
    d, D = 8, 24
    features = linear.embedding(kind, D, k, rng=0).fit_transform(inputs(d))
    error = linear.average_error(features, d, k)
    assert error >= laws.linear_floor(d, k, features.shape[1]) - 1e-12
    if kind == "all products":
        assert features.shape[1] == comb(d, k)
        assert error == pytest.approx(0, abs=1e-12)
    elif kind == "raw bits":
        assert error == pytest.approx(1, abs=1e-12)
    else:
        assert features.shape[1] == D
        assert 0.1 < error < 1


@pytest.mark.parametrize("kind", ["random ReLU", "frozen heads"])
def test_a_larger_embedding_begins_with_the_smaller(kind):
    few, many = (linear.embedding(kind, D, rng=3).fit_transform(inputs(6)) for D in (5, 9))
    np.testing.assert_allclose(few, many[:, :5])


def test_frozen_heads_are_the_model_with_its_queries_frozen():
    features = linear.embedding("frozen heads", 40, rng=0).fit_transform(inputs(6))
    # a product of two linear forms holds pairs and a constant: 16 dimensions for six bits
    assert np.linalg.matrix_rank(features) == 16
    assert linear.average_error(features, 6, 2) == pytest.approx(0, abs=1e-10)


def test_any_classifier_can_be_put_on_the_task():
    task = xorlit.SparseXOR(6, support=(1, 4))
    assert linear.accuracies(KNeighborsClassifier(1), task, 2000, rng=0) == (1.0, 1.0)
    train, fresh = linear.accuracies(RidgeClassifier(), xorlit.SparseXOR(50, rng=0), 60, rng=0)
    assert train > 0.8
    assert fresh < 0.6


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: linear.errors(np.ones((7, 2)), 3, 2), "features"),
        (lambda: linear.errors(np.full((8, 2), np.nan), 3, 2), "features"),
        (lambda: linear.average_error(np.ones((8, 2)), 3, 4), "k must"),
        (lambda: linear.parity_coefficients(np.ones((8, 2)), 21), "d must"),
        (lambda: linear.embedding("deep", 5), "kind"),
        (lambda: linear.embedding("raw bits", 0), "D must"),
        (lambda: linear.accuracies(None, xorlit.SparseXOR(4, rng=0), 0), "n must"),
    ],
)
def test_bad_input_is_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()
