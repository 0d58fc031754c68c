import json

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from xorlit import results


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (195, 200)])
def test_intervals_agree_with_scipy(k, n):
    exact = binomtest(k, n).proportion_ci(0.9, method="exact")
    np.testing.assert_allclose(results.interval(k, n, 0.9), (exact.low, exact.high), atol=1e-12)


def test_intervals_cover_at_least_as_often_as_they_say():
    n = 30
    low, high = results.interval(np.arange(n + 1), np.full(n + 1, n))
    for p in np.linspace(0.01, 0.99, 50):
        inside = (low <= p) & (p <= high)
        assert binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ValueError, match="successes"):
        results.interval(k, n)


def test_a_saved_result_comes_back_with_its_provenance(tmp_path):
    saved = results.save("t", {"seeds": [0, 3]}, {"x": np.arange(3), "y": [0.5, 1, 2]}, tmp_path)
    loaded = results.load("t", tmp_path)
    assert loaded == saved
    assert loaded["y"].tolist() == [0.5, 1, 2]
    assert {"version", "commit", "python", "numpy"} <= set(loaded.provenance)
    assert json.loads((tmp_path / "t.json").read_text())["config"] == {"seeds": [0, 3]}


def test_ragged_columns_and_unknown_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="columns"):
        results.save("t", {}, {"x": [1], "y": [1, 2]}, tmp_path)
    with pytest.raises(ValueError, match="name must be a saved result"):
        results.load("nothing", tmp_path)


def test_the_smallest_size_brackets_where_the_share_is_crossed():
    size, trials = np.array([1, 2, 4, 8]), np.full(4, 200)
    assert results.smallest_size(size, np.array([0, 155, 165, 200]), trials) == (4, 2, 8)
    assert results.smallest_size(size, np.array([0, 1, 2, 3]), trials) == (np.inf,) * 3
    assert results.smallest_size(size[:1], np.array([200]), trials[:1]) == (1, 1, 1)
