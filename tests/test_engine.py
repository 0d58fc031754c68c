from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xorlit
from xorlit import engine, kernels
from xorlit.positions import PAGE


def instance(d, m, seed=0, length=1.0, independent=False, dtype="float64", **options):
    make = xorlit.independent_queries if independent else xorlit.antisymmetric_queries
    return (
        xorlit.SparseXOR(d, rng=seed, noise=options.pop("noise", 0.0)),
        xorlit.sphere(d, m, rng=seed, dtype=dtype, **options),
        make(m, length=length, rng=seed),
    )


def two_passes(task, V, q, rate, executor=None, block=engine.BLOCK):
    """Gradient, maxima, sums, heads and best outsider, with a block size of choice."""
    top, sums = engine.gather_all(V, q, task.support, executor, block)
    gradient, _ = engine.gradient(top, sums, q, engine.support_rows(V, task.support), task.noise)
    return gradient, *engine.evaluate_all(V, q, -gradient, rate, task.support, executor, block)


def exact_step(task, V, q, digits=50):
    """Gradient and margins with ``digits`` digits, straight from the definition of the softmax."""
    with mpmath.workdps(digits):
        d, (i, j) = task.d, task.support
        rows = mpmath.matrix(V.array.tolist())
        s = [rows * mpmath.matrix(theta.tolist()) for theta in q]
        e = [[mpmath.exp(x) for x in scores] for scores in s]
        a, b = ([x / sum(row) for x in row] for row in e)
        dot = lambda x, y: mpmath.fsum(u * v for u, v in zip(x, y, strict=True))  # noqa: E731
        slopes = []
        for u, w in ((a, b), (b, a)):
            norm, product = dot(w, w), dot(u, w)
            g = [2 * x * norm + 4 * product * y - 4 * x * y**2 for x, y in zip(u, w, strict=True)]
            g[i] -= 2 * w[j]
            g[j] -= 2 * w[i]
            mean = dot(u, g)
            slopes.append([x * (y - mean) for x, y in zip(u, g, strict=True)])
        gradient = [[dot(slope, rows[:, k]) for k in range(V.m)] for slope in slopes]
        pull = [[-dot(row, rows[n, :]) for n in range(d)] for row in gradient]
        if a[i] * b[j] < a[j] * b[i]:
            i, j = j, i
        match = min(pull[0][i] - pull[0][j], pull[1][j] - pull[1][i])
        own = pull[0][i], pull[1][j]
        best = [max(x for n, x in enumerate(p) if n not in task.support) for p in pull]
        find = min(own[0] - best[0], own[1] - best[1])
        return np.array(gradient, float), float(match), float(find)


@pytest.mark.parametrize(
    ("d", "length", "independent"),
    [(96, 1.0, False), (96, 6.0, False), (96, 6.0, True), (1024, 1.0, False)],
)
def test_two_passes_agree_with_fifty_digits(d, length, independent):
    task, V, q = instance(d, 12, seed=1, length=length, independent=independent)
    gradient, match, find = exact_step(task, V, q)
    out = xorlit.one_step(task, V, q)
    np.testing.assert_allclose(two_passes(task, V, q, 1.0)[0], gradient, rtol=1e-10)
    np.testing.assert_allclose([out.match_margin, out.find_margin], [match, find], rtol=1e-10)


@pytest.mark.parametrize("length", [60.0, 130.0, 400.0])
def test_saturated_attention_falls_back_to_the_jacobian(length):
    task, V, q = instance(96, 12, seed=4, length=length)
    gradient, *_ = exact_step(task, V, q)
    out = xorlit.one_step(task, V, q, rate=0.5)
    scale = np.abs(gradient).max()
    assert scale > 0
    np.testing.assert_allclose((q - out.queries) / 0.5, gradient, atol=1e-13 + 1e-9 * scale)
    assert np.isfinite([out.loss, out.loss_before, out.find_margin, out.match_margin]).all()


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("independent", [False, True])
def test_two_passes_agree_with_the_jacobian_form(noise, independent):
    task, V, q = instance(3000, 24, seed=2, length=2.0, independent=independent, noise=noise)
    gradient, top, sums, heads, outside = two_passes(task, V, q, 3e8, block=700)
    expected = xorlit.query_gradient(task, V, q)
    np.testing.assert_allclose(gradient, expected, rtol=1e-11)
    pull = -expected @ V.array.T
    s = q @ V.array.T + 3e8 * pull
    np.testing.assert_array_equal(heads, s.argmax(axis=1))
    np.testing.assert_allclose(top, s.max(axis=1), rtol=1e-9)
    np.testing.assert_allclose(outside, np.delete(pull, task.support, axis=1).max(axis=1))
    at = np.exp(s[:, task.support] - top[:, None]) / sums[:2, -1:]
    loss = xorlit.population_loss(xorlit.attention("softmax").weights(s), task.support, noise)
    assert engine.loss(sums, at, noise) == pytest.approx(float(loss), abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 1001])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("independent", [False, True])
def test_compiled_loops_agree_with_numpy(n, dtype, independent):
    _, V, q = instance(1001, 19, seed=n, length=5.0, independent=independent, dtype=dtype)
    rows, q = V.array[:n], q.astype(dtype)
    rtol = 2e-5 if dtype == "float32" else 1e-12
    for mine, theirs in zip(kernels.gather(rows, q), engine.gather(rows, q), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)
    pull = q[::-1] * 1e-3
    mine, theirs = (kind.evaluate(rows, q, pull, 40.0) for kind in (kernels, engine))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=10 * rtol, atol=rtol)


@settings(max_examples=25)
@given(cuts=st.sets(st.integers(1, 59), max_size=8), scale=st.floats(0.1, 900))
def test_sums_merge_in_any_grouping(cuts, scale):
    rows = xorlit.sphere(60, 7, rng=3, dtype="float64").array
    q = xorlit.independent_queries(7, length=scale, rng=3)
    top, sums = engine.gather(rows, q)
    parts = [engine.gather(part, q) for part in np.split(rows, sorted(cuts))]
    while len(parts) > 1:  # from the right, in pairs: a tree, not a chain
        parts = [engine.merge(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)] + (
            [parts[-1]] if len(parts) % 2 else []
        )
    np.testing.assert_array_equal(parts[0][0], top)
    np.testing.assert_allclose(parts[0][1], sums, rtol=1e-12, atol=1e-13 * np.abs(sums).max())


def same(out, reference):
    assert out.heads == reference.heads
    for name in ("find_margin", "match_margin"):
        assert getattr(out, name) == pytest.approx(getattr(reference, name), rel=1e-6)
    for name in ("loss", "loss_before"):
        expected = getattr(reference, name)
        assert abs(getattr(out, name) - expected) <= 1e-5 * max(expected, 1e-3)


def test_stored_or_regenerated_on_threads_processes_or_here():
    d, m = 140_000, 16
    task, V, q = instance(d, m, seed=5, dtype="float32")
    lazy = xorlit.sphere(d, m, rng=5, stored=False)
    for size in (1000, 65536):
        for block, rows in lazy.blocks(size):
            np.testing.assert_array_equal(rows, V.array[block])
    reference = xorlit.one_step(task, V, q)
    same(xorlit.one_step(task, lazy, q), reference)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            same(xorlit.one_step(task, V, q, executor=executor), reference)
            same(xorlit.one_step(task, lazy, q, executor=executor), reference)


@pytest.mark.parametrize("block", [1000, 65536])
@pytest.mark.parametrize("stored", [True, False])
def test_the_block_size_changes_rounding_only(block, stored):
    task, V, q = instance(70_000, 16, seed=6, dtype="float32", stored=stored)
    gradient, *after = two_passes(task, V, q, 1e10, block=block)
    expected, *reference = two_passes(task, V, q, 1e10, block=PAGE)
    np.testing.assert_allclose(gradient, expected, rtol=2e-5)
    np.testing.assert_array_equal(after[2], reference[2])
    np.testing.assert_allclose(after[3], reference[3], rtol=1e-5)


def test_dask_workers_give_the_same_step():
    distributed = pytest.importorskip("distributed")
    task, V, q = instance(100_000, 16, seed=7, dtype="float32")
    lazy = xorlit.sphere(100_000, 16, rng=7, stored=False)
    reference = xorlit.one_step(task, V, q)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        same(xorlit.one_step(task, lazy, q, executor=executor), reference)
        same(xorlit.one_step(task, V, q, executor=executor), reference)
        gradient = two_passes(task, lazy, q, 1e10, executor, block=1000)[0]
    np.testing.assert_allclose(gradient, two_passes(task, V, q, 1e10)[0], rtol=2e-5)


def test_without_numba_the_same_numbers(monkeypatch):
    task, V, q = instance(70_000, 16, seed=8, dtype="float32")
    fast = xorlit.one_step(task, V, q)
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    same(xorlit.one_step(task, V, q), fast)


@pytest.mark.parametrize("support", [(0, 1), (0, 69_999), (65_535, 65_536), (1023, 1024)])
def test_the_support_may_sit_on_the_edge_of_a_block(support):
    _, V, q = instance(70_000, 16, seed=9, dtype="float32", stored=False)
    task = xorlit.SparseXOR(70_000, support=support)
    gradient = two_passes(task, V, q, 1.0)[0]
    np.testing.assert_allclose(gradient, xorlit.query_gradient(task, V, q), rtol=1e-4)


def test_float32_keeps_its_digits_when_both_heads_are_saturated():
    task, V, q = instance(20_000, 48, length=1000.0, dtype="float32")
    exact = xorlit.query_gradient(task, xorlit.sphere(20_000, 48, rng=0, dtype="float64"), q)
    gradient, _ = engine.gradient(
        *engine.gather_all(V, q, task.support), q, engine.support_rows(V, task.support)
    )
    scale = np.abs(exact).max()
    assert np.abs(gradient - exact).max() > 0.1 * scale  # the six sums cancel
    rate = 1 / scale
    step = (q - xorlit.one_step(task, V, q, rate=rate).queries) / rate
    assert np.abs(step - exact).max() < 1e-3 * scale
