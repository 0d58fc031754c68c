"""The experiments of *Why softmax* and its neighbours, in small, against independent oracles."""

from itertools import combinations

import numpy as np
import pytest
import torch

import xorlit
from xorlit import experiments, laws
from xorlit.experiments.ablations import learned_step, sinusoidal
from xorlit.experiments.softmax import STARTS, fate


def test_the_fate_of_two_heads():
    assert fate((2, 5), np.array([2, 5])) == "matched"
    assert fate((2, 5), [5, 5]) == "collapsed"
    assert fate((2, 5), [5, 6]) == fate((2, 5), [6, 6]) == "missed"


def test_identical_queries_are_identical():
    q = STARTS["identical"](5, rng=0)
    assert (q[0] == q[1]).all()


@pytest.mark.parametrize("kind", ["softmax", "linear", "erf"])
def test_identical_heads_are_trapped_whatever_the_attention(kind):
    for seed in range(10):
        task, V = xorlit.SparseXOR(8, rng=seed), xorlit.sphere(8, 16, rng=seed, dtype="float64")
        rate = 50.0 if kind == "softmax" else 0.05
        hist = xorlit.train(task, V, STARTS["identical"](16, seed), 60, rate, kind)
        np.testing.assert_array_equal(hist.queries[:, 0], hist.queries[:, 1])
        assert hist.loss.min() >= 0.5 - 1e-9
        assert (hist.accuracy == 0.5).all()


def test_sinusoidal_positions_are_those_of_the_definition():
    V = sinusoidal(7, 6)
    for place in range(7):
        for p in range(3):
            angle = place / 10000 ** (2 * p / 6)
            expected = np.array([np.sin(angle), np.cos(angle)]) * np.sqrt(2 / 6)
            np.testing.assert_allclose(V[place, [p, p + 3]], expected, atol=1e-15)
    overlaps = V @ V.T  # they depend on the distance of two places alone
    np.testing.assert_allclose(np.diag(overlaps, 2), overlaps[0, 2])


def test_the_step_on_positions_agrees_with_autograd():
    task = xorlit.SparseXOR(10, rng=2)
    V = xorlit.sphere(10, 6, rng=2, dtype="float64").array
    q = xorlit.independent_queries(6, rng=2)
    positions, queries = (torch.tensor(t, requires_grad=True) for t in (V, q))
    loss = xorlit.population_loss(torch.softmax(queries @ positions.T, dim=1), task.support)
    loss.backward()
    with torch.no_grad():
        moved = (queries - 30 * queries.grad) @ (positions - 30 * positions.grad).T
    np.testing.assert_allclose(learned_step(task, V, q, 30.0), torch.softmax(moved, 1), rtol=1e-9)


def test_the_rank_floor_is_that_of_the_projection():
    """Exactly: what the span of the m(m+1)/2 products leaves of each label, on all 2^d inputs."""
    d, m = 7, 3
    X, _ = xorlit.SparseXOR(d, support=(0, 1)).enumerate()
    Z = X @ xorlit.sphere(d, m, rng=0, dtype="float64").array
    features = np.stack([Z[:, a] * Z[:, b] for a in range(m) for b in range(a, m)], axis=1)
    errors = []
    for support in combinations(range(d), 2):
        y = xorlit.SparseXOR(d, support).label(X).astype(float)
        residual = y - features @ np.linalg.lstsq(features, y)[0]
        errors.append(np.mean(residual**2))
    assert laws.rank_floor(d, m) <= np.mean(errors) < laws.rank_floor(d, m) + 0.1
    pairs_only = features - features.mean(axis=0)  # without constants the bound is attained
    y = [xorlit.SparseXOR(d, s).label(X) for s in combinations(range(d), 2)]
    kept = [np.linalg.lstsq(pairs_only, t.astype(float))[0] for t in y]
    left = [np.mean((t - pairs_only @ c) ** 2) for t, c in zip(y, kept, strict=True)]
    assert np.mean(left) == pytest.approx(laws.rank_floor(d, m), abs=1e-12)


def test_normalised_erf_attention_cannot_leave_the_start():
    rng = np.random.default_rng(0)
    for _ in range(200):
        a = xorlit.attention("erf").weights(10 ** rng.uniform(-1, 2) * rng.standard_normal((2, 9)))
        assert xorlit.population_loss(a / 9, (2, 5)) >= 1 - 4 / 81


def test_a_small_loss_can_be_read():
    """The theorem of *Reading the attention*, near its edge: few positions, many temperatures."""
    rng = np.random.default_rng(1)
    read = 0
    for _ in range(4000):
        a = rng.dirichlet(np.full(4, 10 ** rng.uniform(-2.5, 0.5)), size=2)
        loss = float(xorlit.population_loss(a, (0, 2)))
        peaks = a.argmax(axis=1).tolist()
        if loss < 0.25:
            read += 1
            assert sorted(peaks) == [0, 2]
            assert a.max(axis=1).min() >= 1 - np.sqrt(loss) - 1e-7  # loss: to rounding
        if sorted(peaks) == [0, 2]:
            assert loss <= 4 * (2 - a.max(axis=1).sum()) ** 2 + 1e-12
    assert read > 100


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("attention-kinds", {"d": 10, "m": 6, "rates": {"linear": [0.1, 9.0]}, "seeds": 2}),
        ("attention-curves", {"d": 10, "m": 6, "seeds": 3, "steps": 5}),
        ("linear-rank", {"d": 10, "m": [4, 20], "seeds": 2, "rates": [0.1, 0.2], "steps": 150}),
        ("ablation-positions", {"d": 16, "m": 8, "factors": [64.0], "trials": 4}),
        ("ablation-training", {"d": 8, "m": 8, "steps": 3, "batch": 64, "seeds": 1}),
        ("attention-peaks", {"d": [32], "trials": 5}),
        ("transformer-paths", {"d": 4, "m": 3, "steps": 3, "seeds": 2}),
    ],
)
def test_every_experiment_runs_in_small_and_repeats(name, changes):
    first, second = (experiments.run(name, **changes) for _ in range(2))
    assert len({len(column) for column in first.values()}) == 1
    for column, values in first.items():
        np.testing.assert_array_equal(values, second[column])


def test_linear_attention_learns_with_twice_as_many_dimensions_as_positions_only():
    columns = experiments.run("linear-rank", d=10, m=[4, 20], seeds=2, rates=[0.1, 0.2], steps=150)
    learned = columns["learned_at"] >= 0
    assert learned[columns["m"] == 20].all()
    assert not learned[columns["m"] == 4].any()


def test_matrices_beside_the_queries_change_the_path():
    columns = experiments.run("transformer-paths", d=6, m=4, steps=5, seeds=2)
    end = columns["step"] == 5
    alone = columns["variant"] == "queries"
    assert columns["distance"][alone].max() < 1e-12
    assert columns["distance"][end & ~alone].min() > 1e-4
