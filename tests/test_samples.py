import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import xorlit
from xorlit import experiments, fits, samples
from xorlit.model import _WEIGHTS
from xorlit.step import scores
from xorlit.task import PAGE

SOFTMAX = xorlit.attention("softmax")


def instance(d=64, m=16, seed=0, dtype="float64", heads=2, **task):
    return (
        xorlit.SparseXOR(d, k=heads, rng=seed, **task),
        xorlit.sphere(d, m, rng=seed, dtype=dtype),
        xorlit.independent_queries(m, heads, rng=seed),
    )


def by_autograd(task, V, q, x, y, kind="softmax"):
    queries = torch.tensor(q, requires_grad=True)
    x, y = torch.from_numpy(x).double(), torch.from_numpy(y).double()
    f = -(x @ _WEIGHTS[kind](queries @ torch.tensor(V.array).T).T).prod(dim=1)
    ((y - f) ** 2).mean().backward()
    return queries.grad.numpy()


@settings(max_examples=25)
@given(
    d=st.integers(3, 200),
    n=st.integers(1, 2 * PAGE + 100),
    seed=st.integers(0, 2**40),
    heads=st.integers(1, 3),
    noise=st.sampled_from([0.0, 0.3]),
    kind=st.sampled_from(["softmax", "linear", "erf"]),
)
def test_the_gradient_agrees_with_autograd_on_the_same_examples(d, n, seed, heads, noise, kind):
    task, V, q = instance(d, 5, seed, heads=heads, noise=noise)
    expected = by_autograd(task, V, q, *task.sample(n, rng=seed), kind)
    g = xorlit.empirical_gradient(task, V, q, n, rng=seed, attention=kind)
    np.testing.assert_allclose(g, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


def test_chunks_and_workers_do_not_change_a_bit_of_it():
    task, V, q = instance(d=100, noise=0.1)
    n = 5 * PAGE + 17
    reference = xorlit.empirical_gradient(task, V, q, n, rng=3)
    for chunk in (1, PAGE, PAGE + 1, 3 * PAGE, 10**9):
        same = xorlit.empirical_gradient(task, V, q, n, rng=3, chunk=chunk)
        np.testing.assert_array_equal(same, reference)
    for pool in (partial(ThreadPoolExecutor, 3), partial(ProcessPoolExecutor, 2)):
        with pool() as executor:
            same = xorlit.empirical_gradient(task, V, q, n, rng=3, chunk=1, executor=executor)
        np.testing.assert_array_equal(same, reference)
    assert (xorlit.empirical_gradient(task, V, q, n, rng=4) != reference).all()


def test_stored_examples_give_the_same_loss_and_gradient_as_streamed_ones():
    task, V, q = instance(d=70, noise=0.2)
    x, y = task.sample(5000, rng=1)
    a = SOFTMAX.weights(scores(V, q))
    key = xorlit.randomness.key(1, "SparseXOR.sample")
    loss, gradient = samples.streamed(task, a, 5000, key)
    f = -(x @ a.T).prod(axis=1)
    assert loss == pytest.approx(np.mean((y - f) ** 2), rel=1e-12)
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-4)):
        same_loss, same = samples.stored(x.astype(dtype), y.astype(dtype), a)
        assert same_loss == pytest.approx(loss, rel=tolerance)
        np.testing.assert_allclose(same, gradient, atol=tolerance * np.abs(gradient).max())


def test_memory_does_not_grow_with_the_number_of_examples():
    task, V, q = instance(d=512)
    peaks = []
    for pages in (20, 80):
        tracemalloc.start()
        xorlit.empirical_gradient(task, V, q, pages * PAGE, rng=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] < 2**24


def test_the_error_falls_as_the_square_root_of_the_number_of_examples():
    n = [4**p for p in range(3, 9)]
    r = experiments.run("gradient-convergence", d=32, m=16, n=n, trials=20)
    error = [np.sqrt(np.mean(r["error"][r["n"] == count] ** 2)) for count in n]
    slope, _, _ = fits.exponent(n, error)
    assert abs(slope + 0.5) < 0.05


def test_a_generator_gives_up_exactly_one_draw():
    task, V, q = instance()
    for function in (xorlit.empirical_gradient, xorlit.surrogate_gradient):
        used, twin = np.random.default_rng(3), np.random.default_rng(3)
        function(task, V, q, 9000, rng=used)
        twin.integers(2**63)
        assert used.integers(2**63) == twin.integers(2**63)


def test_the_surrogate_tends_to_the_population_gradient():
    task, V, q = instance(noise=0.1)
    for exact in (False, True):
        g = xorlit.surrogate_gradient(task, V, q, 10**40, rng=0, exact=exact)
        np.testing.assert_allclose(g, xorlit.query_gradient(task, V, q), rtol=1e-10)


def test_the_exact_surrogate_has_the_covariance_of_enumeration():
    d, m, n, trials = 6, 3, 50, 4000
    task, V, q = instance(d, m, noise=0.1)
    X, Y = task.enumerate()
    g, weight = [], []
    for flip, chance in ((1, 0.9), (-1, 0.1)):
        g += [by_autograd(task, V, q, x[None], flip * y[None]) for x, y in zip(X, Y, strict=True)]
        weight += [chance / len(X)] * len(X)
    g, weight = np.reshape(g, (-1, 2 * m)), np.array(weight)
    expected = np.cov(g.T, aweights=weight, ddof=0) / n
    draws = np.array([
        xorlit.surrogate_gradient(task, V, q, n, rng=seed, exact=True).ravel()
        for seed in range(trials)
    ])  # fmt: skip
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.abs((np.cov(draws.T) - expected) / scale).max() < 5 * np.sqrt(2 / trials)
    error = (draws.mean(axis=0) - weight @ g) / np.sqrt(np.diag(expected) / trials)
    assert np.abs(error).max() < 4


@pytest.mark.parametrize(
    ("d", "m", "n", "sharper"), [(64, 16, 1000, 1), (128, 64, 4000, 1), (128, 64, 4000, 6)]
)
def test_mean_and_covariance_of_the_surrogate_are_those_of_real_examples(d, m, n, sharper):
    trials = 600
    task, V = xorlit.SparseXOR(d, rng=1), xorlit.sphere(d, m, rng=1, dtype="float64")
    q = xorlit.antisymmetric_queries(m, rng=1)
    q[1] *= sharper  # then |ã|² is larger than |a|², and the noise of head 1 than that of head 2
    real, surrogate = (
        np.array([f(task, V, q, n, rng=seed).ravel() for seed in range(trials)])
        for f in (xorlit.empirical_gradient, xorlit.surrogate_gradient)
    )
    exact = xorlit.query_gradient(task, V, q).ravel()
    for draws in (real, surrogate):
        z = (draws.mean(axis=0) - exact) / (draws.std(axis=0) / np.sqrt(trials))
        assert np.abs(z).max() < 4.5
    # variances along fixed directions: each head alone, their sum, their difference, and mixtures
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((40, 2, m))
    directions[:10, 1], directions[10:20, 0] = 0, 0
    directions[20:25, 1], directions[25:30, 1] = directions[20:25, 0], -directions[25:30, 0]
    one, two = ((g @ directions.reshape(40, -1).T).var(axis=0) for g in (real, surrogate))
    assert np.abs(np.log(one / two)).max() < 4 * np.sqrt(2 * 2 / trials)
    assert np.log(one / two).mean() == pytest.approx(0, abs=0.06)


def test_success_rates_of_the_surrogate_are_those_of_real_examples():
    """Two proportions from independent seeds, in units of their standard error."""
    for d, m, trials in ((64, 64, 500), (128, 28, 500)):
        r = experiments.run("samples-check", sizes=[[d, m]], powers=[1.5, 1.75], trials=trials)
        for what in ("found", "matched"):
            one, two = r[what] / trials, r[f"surrogate_{what}"] / trials
            p = (one + two) / 2
            assert (np.abs(one - two) < 3.7 * np.sqrt(2 * p * (1 - p) / trials)).all()


def test_many_steps_on_a_fixed_sample_are_those_of_train():
    from xorlit.experiments import samples as module

    task, V, q = instance(32, 16, dtype="float32")
    q = q.astype(np.float32)
    x, y = task.sample(300, xorlit.randomness.stream(xorlit.randomness.key(5, "train"), lane=1))
    gradient = partial(samples.stored, x.astype(np.float32), y.astype(np.float32))
    a = module.descend(V.array, q[None], lambda a: gradient(a[0])[1][None], 20, 0.5)[0]
    hist = xorlit.train(task, V, q, 20, 0.5, samples=300, normalised=True, rng=5)
    np.testing.assert_allclose(a[:, task.support], hist.weights[-1], atol=2e-4)


def test_the_surrogate_of_a_fixed_sample_has_its_mean_and_its_variances():
    from xorlit.experiments import samples as module

    task, V, q = instance(40, 16, dtype="float32")
    a = SOFTMAX.weights(scores(V, q)).astype(float)
    n, trials = [500, 2000], 800
    real, fake = (
        np.array([source(task, n, seed)(np.stack([a, a])) for seed in range(trials)])
        for source in (module.fixed_sample, module.fixed_surrogate)
    )
    mean = xorlit.population_gradient(a, task.support)
    for draws in (real, fake):
        z = (draws.mean(axis=0) - mean) / (draws.std(axis=0) / np.sqrt(trials))
        assert np.abs(z).max() < 4.8
    ratio = real.var(axis=0) / fake.var(axis=0)
    assert np.abs(np.log(ratio)).max() < 5 * np.sqrt(4 / trials)
    assert np.log(ratio).mean() == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("function", [xorlit.empirical_gradient, xorlit.surrogate_gradient])
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"n": 0}, "n must"),
        ({"n": 2.5}, "n must"),
        ({"V": np.ones((63, 16))}, "V must"),
        ({"q": np.full((2, 16), np.nan)}, "q"),
        ({"attention": "hard"}, "attention"),
        ({"rng": -1}, "rng"),
    ],
)
def test_bad_input_is_refused_by_name(function, change, name):
    task, V, q = instance()
    with pytest.raises(ValueError, match=name):
        function(**{"task": task, "V": V, "q": q, "n": 10, **change})


def test_what_one_of_them_alone_refuses():
    task, V, q = instance()
    with pytest.raises(ValueError, match="chunk must"):
        xorlit.empirical_gradient(task, V, q, 10, chunk=0)
    with pytest.raises(ValueError, match="two queries"):
        xorlit.surrogate_gradient(*instance(heads=3), 10)
