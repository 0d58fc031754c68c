import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xorlit


@given(d=st.integers(2, 10), seed=st.integers(0, 2**40), k=st.integers(1, 4))
def test_labels_are_the_xor_of_the_bits(d, seed, k):
    task = xorlit.SparseXOR(d, k=min(k, d), rng=seed)
    X, Y = task.enumerate()
    for x, y in zip(X.tolist(), Y.tolist(), strict=True):
        assert y == -np.prod([x[s] for s in task.support])


def test_for_two_bits_the_label_is_plus_one_exactly_when_they_differ():
    X, Y = xorlit.SparseXOR(5, support=(1, 3)).enumerate()
    bits = (X + 1) // 2
    np.testing.assert_array_equal((Y + 1) // 2, bits[:, 1] ^ bits[:, 3])


def test_enumeration_is_in_binary_order():
    X, _ = xorlit.SparseXOR(6, support=(0, 1)).enumerate()
    values = ((X + 1) // 2) @ (1 << np.arange(6)[::-1])
    assert values.tolist() == list(range(64))
    assert X.dtype == np.int8


def test_a_random_support_is_uniform_over_pairs():
    counts = {}
    for seed in range(3000):
        support = xorlit.SparseXOR(4, rng=seed).support
        counts[support] = counts.get(support, 0) + 1
    assert len(counts) == 6
    assert max(abs(c - 500) for c in counts.values()) < 5 * np.sqrt(500)


def test_noise_flips_labels_at_its_rate_and_leaves_inputs_alone():
    n = 20_000
    noisy = xorlit.SparseXOR(20, support=(2, 9), noise=0.2)
    x, y = noisy.sample(n, rng=0)
    clean_x, clean_y = xorlit.SparseXOR(20, support=(2, 9)).sample(n, rng=0)
    np.testing.assert_array_equal(x, clean_x)
    assert abs(np.mean(y != clean_y) - 0.2) < 5 * np.sqrt(0.16 / n)


def test_a_longer_sample_begins_with_the_shorter_one():
    task = xorlit.SparseXOR(65, support=(0, 64), noise=0.1)
    x, y = task.sample(9000, rng=1)
    for n in (1, 4096, 5000):
        head_x, head_y = task.sample(n, rng=1)
        np.testing.assert_array_equal(head_x, x[:n])
        np.testing.assert_array_equal(head_y, y[:n])


def test_samples_are_int8_signs():
    x, y = xorlit.SparseXOR(33, support=(4, 5)).sample(10, rng=0)
    assert (x.dtype, y.dtype) == (np.int8, np.int8)
    assert set(np.unique(x)) == {-1, 1}


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"d": 1}, "d must"),
        ({"d": 4.0}, "d must"),
        ({"d": True}, "d must"),
        ({"d": 8, "support": (0, 8)}, "support"),
        ({"d": 8, "support": (-1, 3)}, "support"),
        ({"d": 8, "support": (3, 3)}, "support"),
        ({"d": 8, "support": ()}, "support"),
        ({"d": 8, "support": (0, 1), "k": 3}, "k must"),
        ({"d": 8, "k": 9}, "k must"),
        ({"d": 8, "noise": 0.5}, "noise"),
        ({"d": 8, "noise": -0.1}, "noise"),
        ({"d": 8, "noise": float("nan")}, "noise"),
        ({"d": 8, "rng": -2}, "rng"),
    ],
)
def test_bad_tasks_are_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=name):
        xorlit.SparseXOR(**arguments)


@pytest.mark.parametrize("bits", [[0, 1, 1], [1, 1], 1, [2, -1, 1], [np.nan, 1, 1]])
def test_bits_that_are_not_signs_are_refused(bits):
    with pytest.raises(ValueError, match="x must"):
        xorlit.SparseXOR(3, support=(0, 1)).label(bits)


def test_sizes_that_make_no_sense_are_refused():
    task = xorlit.SparseXOR(21, support=(0, 1))
    with pytest.raises(ValueError, match="d must be at most 20"):
        task.enumerate()
    with pytest.raises(ValueError, match="n must"):
        task.sample(0)
