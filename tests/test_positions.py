import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

import xorlit
from xorlit.positions import PAGE


@pytest.mark.parametrize("make", [xorlit.sphere, xorlit.balanced])
@pytest.mark.parametrize("size", [1, 7, 1000, PAGE, 5000])
def test_blocks_never_change_a_vector(make, size):
    stored = make(2500, 8, rng=0)
    for V in (stored, make(2500, 8, rng=0, stored=False)):
        seen = np.zeros(2500, int)
        for block, rows in V.blocks(size):
            np.testing.assert_array_equal(rows, stored.array[block])
            seen[block] += 1
        assert (seen == 1).all()


@pytest.mark.parametrize("make", [xorlit.sphere, xorlit.balanced])
def test_float32_is_float64_rounded(make):
    wide, narrow = (make(1500, 5, rng=2, dtype=t).array for t in ("float64", "float32"))
    np.testing.assert_array_equal(narrow, wide.astype(np.float32))


def test_more_positions_begin_with_the_fewer():
    few, many = xorlit.sphere(1100, 6, rng=4).array, xorlit.sphere(4000, 6, rng=4).array
    np.testing.assert_array_equal(few, many[:1100])


def test_sphere_is_uniform():
    V = xorlit.sphere(20_000, 3, rng=0, dtype="float64").array
    np.testing.assert_allclose(np.linalg.norm(V, axis=1), 1, atol=1e-14)
    for direction in (np.eye(3)[0], np.ones(3) / np.sqrt(3)):
        # Archimedes: in three dimensions any coordinate of a uniform point is uniform on [-1, 1]
        assert kstest(V @ direction, "uniform", args=(-1, 2)).pvalue > 1e-3


@given(d=st.integers(8, 400), m=st.integers(4, 40), seed=st.integers(0, 10**6))
def test_balanced_has_unit_norm_and_zero_mean(d, m, seed):
    V = xorlit.balanced(d, m, rng=seed, dtype="float64").array
    np.testing.assert_allclose(np.linalg.norm(V, axis=1), 1, atol=1e-14)
    assert np.abs(V.mean(axis=0)).max() < 1e-12


def test_points_that_cannot_be_balanced_say_so():
    # rng=0 draws a triangle with an angle above 120 degrees: its geometric median is that corner.
    with pytest.raises(ValueError, match="d must be larger"):
        xorlit.balanced(3, 2, rng=0)


def test_positions_that_are_not_stored_have_no_array():
    V = xorlit.sphere(10, 4, rng=0, stored=False)
    assert not V.stored
    with pytest.raises(ValueError, match="not stored"):
        _ = V.array


def test_stored_rows_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        xorlit.sphere(10, 4, rng=0).array[0] = 0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"d": 1, "m": 4}, "d must"),
        ({"d": 4, "m": 0}, "m must"),
        ({"d": 4, "m": 2.5}, "m must"),
        ({"d": 4, "m": 4, "dtype": "int8"}, "dtype"),
        ({"d": 4, "m": 4, "rng": "x"}, "rng"),
    ],
)
@pytest.mark.parametrize("make", [xorlit.sphere, xorlit.balanced])
def test_bad_sizes_are_refused_by_name(make, arguments, name):
    with pytest.raises(ValueError, match=name):
        make(**arguments)


@pytest.mark.parametrize(
    "V", [np.ones(4), np.ones((4, 2), int), np.full((4, 2), np.nan), np.ones((5, 2))]
)
def test_bad_arrays_of_positions_are_refused(V):
    with pytest.raises(ValueError, match="V must"):
        xorlit.Positions.of(V, d=4)
