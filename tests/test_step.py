import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import xorlit
from xorlit import laws
from xorlit.model import _WEIGHTS, TwoHeadAttention
from xorlit.results import interval

KINDS = ["softmax", "linear", "erf"]


def instance(d=64, m=16, seed=0, dtype="float64", **task):
    task = xorlit.SparseXOR(d, rng=seed, **task)
    return (
        task,
        xorlit.sphere(d, m, rng=seed, dtype=dtype),
        xorlit.antisymmetric_queries(m, rng=seed),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3])
def test_the_gradient_agrees_with_autograd_over_all_inputs(kind, k):
    task = xorlit.SparseXOR(8, k=k, noise=0.1, rng=1)
    V = xorlit.sphere(8, 5, rng=1, dtype="float64")
    q = xorlit.independent_queries(5, heads=k, length=1.5, rng=1)
    X, Y = (torch.tensor(t, dtype=torch.float64) for t in task.enumerate())
    queries = torch.tensor(q, requires_grad=True)
    f = -(X @ _WEIGHTS[kind](queries @ torch.tensor(V.array).T).T).prod(dim=1)
    (0.9 * (Y - f) ** 2 + 0.1 * (Y + f) ** 2).mean().backward()
    np.testing.assert_allclose(
        xorlit.query_gradient(task, V, q, kind), queries.grad, rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("kind", KINDS)
def test_one_step_is_one_step(kind):
    task, V, q = instance()
    out = xorlit.one_step(task, V, q, rate=30.0, attention=kind)
    np.testing.assert_allclose(
        out.queries, q - 30.0 * xorlit.query_gradient(task, V, q, kind), rtol=1e-13
    )
    weights = xorlit.attention(kind).weights(out.queries @ V.array.T)
    assert out.loss == pytest.approx(float(xorlit.population_loss(weights, task.support)))
    assert out.heads == tuple(np.abs(weights).argmax(axis=1))
    np.testing.assert_allclose(out.peak, [weights[h, s] for h, s in enumerate(out.heads)])


def test_margins_are_the_gaps_of_the_pull():
    task, V, q = instance(seed=3)
    pull = -xorlit.query_gradient(task, V, q) @ V.array.T
    weights = xorlit.attention("softmax").weights(q @ V.array.T)
    i, j = task.support
    if weights[0, i] * weights[1, j] < weights[0, j] * weights[1, i]:
        i, j = j, i
    outside = [s for s in range(task.d) if s not in task.support]
    out = xorlit.one_step(task, V, q)
    assert out.match_margin == pytest.approx(min(pull[0, i] - pull[0, j], pull[1, j] - pull[1, i]))
    assert out.find_margin == pytest.approx(
        min(pull[0, i] - pull[0, outside].max(), pull[1, j] - pull[1, outside].max())
    )


def test_positive_margins_decide_the_fate_of_a_large_rate():
    fates = set()
    for seed in range(150):
        task, V, q = instance(d=48, m=12, seed=seed)
        out = xorlit.one_step(task, V, q, rate=1e12)
        good = out.match_margin > 0 and out.find_margin > 0
        assert out.learned == good
        assert (sorted(out.heads) == list(task.support)) == good
        fates.add((out.match_margin > 0, out.find_margin > 0))
    assert len(fates) == 4


def test_the_rate_zero_learns_nothing():
    task, V, q = instance()
    out = xorlit.one_step(task, V, q, rate=0.0)
    assert not out.learned
    assert out.loss == out.loss_before
    np.testing.assert_array_equal(out.queries, q)


@pytest.mark.parametrize("d", [1024, 4096])
def test_at_the_rate_of_the_law_one_step_learns(d):
    trials, learned = 200, 0
    for seed in range(1000, 1000 + trials):
        task, V, q = instance(d, 64, seed, dtype="float32")
        out = xorlit.one_step(task, V, q)
        good = out.loss < 0.1 and sorted(out.heads) == list(task.support)
        learned += good and out.peak.min() > 0.9
    assert learned >= 0.95 * trials


def test_balanced_positions_beat_sphere_positions_beyond_error_bars():
    trials = 1000
    failures = {}
    for make in (xorlit.sphere, xorlit.balanced):
        task = xorlit.SparseXOR(64, support=(5, 40))
        failures[make.__name__] = sum(
            not xorlit.one_step(
                task,
                make(64, 64, rng=seed),
                xorlit.antisymmetric_queries(64, rng=seed),
                rate=1e4 * laws.rate(64, 64),
            ).learned
            for seed in range(trials)
        )
    assert interval(failures["balanced"], trials)[1] < interval(failures["sphere"], trials)[0]


@settings(max_examples=30)
@given(power=st.floats(-6, 12), seed=st.integers(0, 1000), kind=st.sampled_from(KINDS))
def test_every_rate_gives_finite_numbers_in_float32(power, seed, kind):
    task, V, q = instance(seed=seed, dtype="float32")
    out = xorlit.one_step(task, V, q, rate=10.0**power, attention=kind)
    numbers = [out.loss_before, out.loss, out.find_margin, out.match_margin, *out.peak]
    assert np.isfinite(numbers).all()
    assert np.isfinite(out.queries).all()


def test_float32_and_float64_agree():
    for seed in range(20):
        narrow, wide = (
            xorlit.one_step(*instance(512, 32, seed, t)) for t in ("float32", "float64")
        )
        assert narrow.heads == wide.heads
        assert narrow.match_margin == pytest.approx(wide.match_margin, rel=1e-3, abs=1e-9)


def test_positions_may_be_an_array_or_regenerated():
    task, V, q = instance(d=3000)
    out = xorlit.one_step(task, V, q)
    again = xorlit.one_step(task, V.array, q)
    lazy = xorlit.one_step(task, xorlit.sphere(3000, 16, rng=0, dtype="float64", stored=False), q)
    assert out.heads == again.heads == lazy.heads
    assert out.loss == pytest.approx(again.loss, abs=1e-12) == pytest.approx(lazy.loss, abs=1e-12)


def test_noise_leaves_the_verdict_to_clean_labels():
    task, V, q = instance(256, 32, seed=5, noise=0.2)
    out = xorlit.one_step(task, V, q)
    assert out.learned
    assert out.loss == pytest.approx(2 - 2 * (1 - 2 * 0.2), abs=0.05)


def test_one_step_under_noise_agrees_with_a_step_on_many_noisy_samples():
    task, V, q = instance(16, 8, seed=2, noise=0.2)
    net = TwoHeadAttention(V.array, q)
    x, y = (torch.from_numpy(t) for t in task.sample(400_000, rng=0))
    halves = []
    for part in (slice(None, 200_000), slice(200_000, None)):
        net.zero_grad()
        (net(x[part]) - y[part]).square().mean().backward()
        halves.append(net.queries.grad.numpy().copy())
    rate = 1000.0
    out = xorlit.one_step(task, V, q, rate=rate)
    spread = rate * np.linalg.norm(halves[0] - halves[1]) / 2  # of the mean of the two halves
    sampled = q - rate * (halves[0] + halves[1]) / 2
    assert np.linalg.norm(out.queries - sampled) < 2.5 * spread
    clean = xorlit.one_step(xorlit.SparseXOR(16, task.support), V, q, rate=rate)
    assert np.linalg.norm(clean.queries - sampled) > 10 * spread


def test_with_two_positions_there_is_no_outsider():
    out = xorlit.one_step(*instance(d=2, m=4))
    assert out.find_margin == np.inf


def test_queries_have_the_length_asked_for():
    q = xorlit.independent_queries(10, heads=3, length=2.5, rng=0)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 2.5)
    assert abs(q[0] @ q[1]) < 6


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"V": np.ones((63, 16))}, "V must"),
        ({"V": np.full((64, 16), np.nan)}, "V must"),
        ({"q": np.ones((2, 15))}, "q"),
        ({"q": np.ones((3, 16))}, "q"),
        ({"q": np.full((2, 16), np.inf)}, "q"),
        ({"rate": -1.0}, "rate"),
        ({"rate": np.nan}, "rate"),
        ({"rate": np.inf}, "rate"),
        ({"attention": "hard"}, "attention"),
        ({"attention": "linear"}, "rate must be given"),
    ],
)
def test_bad_input_is_refused_by_name(change, name):
    task, V, q = instance()
    with pytest.raises(ValueError, match=name):
        xorlit.one_step(**{"task": task, "V": V, "q": q, **change})


@pytest.mark.parametrize("make", [xorlit.antisymmetric_queries, xorlit.independent_queries])
def test_bad_queries_are_refused_by_name(make):
    with pytest.raises(ValueError, match="m must"):
        make(0)
    with pytest.raises(ValueError, match="length"):
        make(4, length=-1.0)
