import ast
import inspect
import math
import sys
import types

import numpy as np
import pytest
from mpmath import mp
from scipy.integrate import quad

import xorlit
from xorlit import experiments, proof, results
from xorlit.proof import bounds, draw, exact, lemmas

SIZES = [(16, 8), (64, 64), (256, 64), (256, 600), (1024, 300)]


def gradient(x):
    """(ZZ̃/4)(−∇L) of an instance by the route that knows nothing of the proof."""
    task = xorlit.SparseXOR(len(x.V), support=x.support)
    return -xorlit.query_gradient(task, x.V, np.stack([x.theta, -x.theta])) * x.product / 4


def identities(x):
    """The largest relative error of everything that the proof says is equal."""
    i, j = x.support
    true = gradient(x)
    w = x.V[i] - x.V[j]
    sign, bent = np.sign(x.delta), np.sinh(x.delta) - (x.weights[:, i] - x.weights[:, j])
    drift = (x.weights * x.scores)[:, x.outside].sum(axis=1)
    split = sign * ((1 - x.overlap) * bent - x.delta * drift - x.noise)
    # the score-0 weight is that of a position orthogonal to θ, put in by hand
    s = np.column_stack([x.scores, np.zeros(2)])
    Z, Z2 = np.exp(x.scores).sum(axis=1), np.exp(2 * x.scores).sum(axis=1)
    p, d = 1 / Z.prod(), len(x.V)
    bracket = Z2[::-1, None] * np.exp(2 * s) + 2 * (d - 1)
    bracket = bracket - (Z2.prod() + 2 * d * (d - 1)) * np.exp(s) / Z[:, None]
    W = np.cosh(x.delta)[:, None] * np.exp(s) / Z[:, None] + p / 2 * bracket
    pairs = [
        (x.pull, true),
        (x.margin, sign * (true @ w)),
        (x.margin, split),
        (x.noise, x.spread @ w),
        (x.spread @ x.theta, np.zeros(2)),
        (x.weights.sum(axis=1), np.cosh(x.delta)),
        (x.weights, W[:, :-1]),
        (x.rest, W[:, -1]),
        (x.product, Z.prod()),
        (x.squares, Z2.prod()),
    ]
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-3)) for a, b in pairs)


def corners(d, rho):
    """The constants again: the worst corner of the box in which the proof puts each quantity."""
    e, C, c = math.exp(2 * rho), math.cosh(2 * rho), math.cosh(rho)
    shares = [(1 - 1 / d) / c**2, 1 - 1 / d]
    qs = [Y / 2 + share - cosh for Y in (1, C * C) for share in shares for cosh in (1, C)]
    omega = max(g * (g / 2 - q) + 1 for g in (1 / e, e) for q in qs)
    # downwards the share in q has its 1/d dropped against the −1 of cosh Δ
    low = min(shares) + min(g * (1 / e - C * C) / 2 for g in (1 / e, e))
    lam = max(abs(g * (t - q)) for g in (1 / e, e) for t in (1 / e, e) for q in qs)
    drift = omega / d * rho * math.sqrt(d) + lam / d * rho * rho * d
    signs = (-1, 1)
    margins = [
        (1 + a * rho) * (bend + b * lam / d) + k * drift
        for a in signs for b in signs for k in signs for bend in (1, math.sinh(2 * rho) / 2 / rho)
    ]  # fmt: skip
    radius = (1 + rho) * math.sqrt(d) * omega / d
    longest = math.sqrt(max((1 + a * rho) / 2 + 1 + 2 * rho for a in signs))
    outside = min((1 + a * rho) / 2 - rho for a in signs)
    own = 2 * omega / d * max((1 + a * rho) / 2 + rho for a in signs)
    phi = outside - own - 2 * rho * drift - radius * longest
    return bounds.Constants(low, omega, lam, drift, min(margins), max(margins), phi, radius)


@pytest.mark.parametrize(("d", "m"), SIZES)
def test_the_decomposition_is_exact(d, m):
    for seed in range(10):
        assert identities(draw(d, m, seed)) < 1e-12


def test_the_decomposition_by_computer_algebra():
    """Symbolically for d = 4: from the mean over all 16 inputs to the weights W_l, head 1."""
    sp = pytest.importorskip("sympy")
    d = 4
    x, y = sp.symbols(f"x:{d}", positive=True), sp.symbols(f"y:{d}", positive=True)
    Z, Zt = sum(x), sum(y)
    bits = list(np.ndindex(*(2,) * d))
    loss = 0
    for row in bits:
        b = [2 * bit - 1 for bit in row]
        f = -sum(u * v for u, v in zip(b, x, strict=True)) * sum(
            u * v for u, v in zip(b, y, strict=True)
        )
        loss += (-b[0] * b[1] - f / (Z * Zt)) ** 2 / len(bits)
    back = {y[i]: 1 / x[i] for i in range(d)}
    Zi, Z2, Z2i = Zt.subs(back), sum(v**2 for v in x), sum(v**-2 for v in x)
    p, cosh = 1 / (Z * Zi), (x[0] / x[1] + x[1] / x[0]) / 2
    for k in range(3):  # the bits and one outsider; the other is its mirror image
        pull = -(x[k] * sp.diff(loss, x[k])).subs(back)  # x = e^s, so ∂/∂s = x ∂/∂x
        bracket = Z2i * x[k] ** 2 + 2 * (d - 1) - (Z2 * Z2i + 2 * d * (d - 1)) * x[k] / Z
        W = cosh * x[k] / Z + p / 2 * bracket
        own = {0: x[0] / x[1] / 2, 1: x[1] / x[0] / 2}.get(k, 0)
        assert sp.cancel(sp.together(pull - 4 * p * (own - W))) == 0
    A, B = x[0] / x[1] * p, x[1] / x[0] * p
    s, t = sp.symbols("s t", real=True)
    gap = {x[0]: sp.exp(s), x[1]: sp.exp(t)}
    assert sp.simplify(((A - B) / p).subs(gap) - 2 * sp.sinh(s - t).rewrite(sp.exp)) == 0
    assert sp.simplify(A * B - p**2) == 0


def test_the_slope_of_the_weights_at_zero_by_computer_algebra():
    """W′(0) = (d+2)/(2d²): what turns d into d − ½ − 1/d in the collision theorem."""
    sp = pytest.importorskip("sympy")
    d, s = sp.symbols("d s", positive=True)
    W = sp.exp(s) / d + (d * sp.exp(2 * s) + 2 * (d - 1) - 3 * d * sp.exp(s) + 2 * sp.exp(s)) / (
        2 * d**2
    )  # all other scores 0: Z = Z₂ = d
    slope = sp.diff(W, s).subs(s, 0)
    assert sp.simplify(slope - (d + 2) / (2 * d**2)) == 0
    assert sp.simplify(d * (1 - slope) - (d - sp.Rational(1, 2) - 1 / d)) == 0


@pytest.mark.parametrize(("d", "m"), SIZES)
def test_every_inequality_holds_where_the_event_does(d, m):
    for seed in range(20):
        x = draw(d, m, seed)
        rho = proof.smallest_rho(x)
        if rho < 1:
            assert all(proof.event(x, rho).values())
            for size in (rho, min(1.0, 1.3 * rho)):
                broken = [name for name, f in proof.CHECKS.items() if not f(x, size).holds]
                assert not broken


def test_just_below_the_smallest_size_the_event_fails():
    for seed in range(10):
        x = draw(64, 64, seed)
        assert not all(proof.event(x, 0.999 * proof.smallest_rho(x)).values())


@pytest.mark.parametrize("rate", [0.0, 1e3, 1e5, 1e6, 1e8])
def test_mass_and_loss_are_bounded_at_every_rate(rate):
    for seed in range(10):
        x = draw(64, 128, seed)
        rho = proof.smallest_rho(x)
        assert lemmas.mass(x, rho, rate).holds
        assert lemmas.loss_after(x, rho, rate).holds


def test_the_loss_after_the_step_is_that_of_one_step():
    for seed in range(5):
        x = draw(64, 32, seed)
        task = xorlit.SparseXOR(64, support=x.support)
        out = xorlit.one_step(task, x.V, np.stack([x.theta, -x.theta]), rate=3e5)
        assert lemmas.loss_after(x, rate=3e5).left[0] == pytest.approx(out.loss, rel=1e-9)


@pytest.mark.parametrize("rho", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_scores_at_the_ends_of_their_range_keep_the_bounds(rho, share):
    """Two-valued scores ±ρ are the worst case of the sums, and no other lemma needs more."""
    d, m = 100, 40
    s = np.where(np.arange(d) < share * d, rho, -rho)
    rest = np.random.default_rng(0).normal(size=(d, m - 1))
    rest *= np.sqrt((1 - rho**2) / (rest**2).sum(axis=1))[:, None]
    q = np.zeros((2, m))
    q[:, 0] = 1, -1
    for support in ((0, 1), (0, d - 1), (d - 2, d - 1)):
        V = np.column_stack([s, rest])
        x = proof.instance(xorlit.SparseXOR(d, support=support), V, q)
        for lemma in (lemmas.partition_sums, lemmas.weights_size, lemmas.weights_slope):
            assert lemma(x, rho).holds
    if share == 0.5:
        assert lemmas.partition_sums(x, rho).tightness > 1 - 1e-12


@pytest.mark.parametrize("d", [64, 100, 4096])
@pytest.mark.parametrize("rho", [0.01, 1 / 6, 0.3])
def test_the_constants_are_the_worst_corners(d, rho):
    ours, again = vars(proof.constants(d, rho)), vars(corners(d, rho))
    assert ours == pytest.approx(again, rel=1e-12)


def test_the_constants_tend_to_those_of_the_limit():
    c = proof.constants(10**12, 1e-5)
    ours = (c.omega_low, c.omega, c.lam, c.drift, c.kappa, c.kappa_high, c.phi)
    np.testing.assert_allclose(ours, (1, 1, 0.5, 0, 1, 1, 0.5), atol=1e-4)


def mutants(module, names):
    """The module's functions again with one + or − flipped, one term dropped, or one sign lost."""
    source = inspect.getsource(module)
    count = len(_places(ast.parse(source), names))
    for place in range(count):
        for change in ("flip", "drop"):
            tree = ast.parse(source)
            node = _places(tree, names)[place]
            line = f"{module.__name__}:{node.lineno} {ast.unparse(node)} {change}"
            if isinstance(node, ast.UnaryOp):
                node.op = ast.UAdd()
            elif change == "flip":
                node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            else:
                node.right = ast.BinOp(ast.Constant(0.0), ast.Mult(), node.right)
            twin = types.ModuleType("xorlit.proof.mutant")
            # dataclasses look their module up; the class itself is not under test
            exec(compile(ast.fix_missing_locations(tree), line, "exec"), twin.__dict__)
            yield line, twin


def _places(tree, names):
    found = []
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in names:
            for n in ast.walk(function):
                signed = isinstance(n, ast.BinOp) and isinstance(n.op, (ast.Add, ast.Sub))
                minus = isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub)
                inside = not isinstance(getattr(n, "operand", None), ast.Constant)
                if signed or (minus and inside):
                    found.append(n)
    return found


def survivors(module, names, check):
    alive = []
    for line, twin in mutants(module, names):
        try:
            with np.errstate(all="ignore"):
                killed = not check(twin)
        except (ValueError, TypeError, ArithmeticError, AssertionError):
            killed = True
        if not killed:
            alive.append(line)
    return alive


def test_a_sign_or_a_term_wrong_in_the_exact_part_is_seen(monkeypatch):
    monkeypatch.setitem(sys.modules, "xorlit.proof.mutant", types.ModuleType("m"))
    task = xorlit.SparseXOR(24, support=(3, 11))
    V, q = xorlit.sphere(24, 10, rng=1, dtype="float64"), xorlit.antisymmetric_queries(10, rng=1)

    def check(twin):
        return identities(twin.instance(task, V, q)) < 1e-9

    assert check(exact)
    assert survivors(exact, ("instance", "_weights"), check) == []


def test_a_sign_or_a_term_wrong_in_the_constants_is_seen(monkeypatch):
    monkeypatch.setitem(sys.modules, "xorlit.proof.mutant", types.ModuleType("m"))

    def check(twin):
        ours = vars(twin.constants(100, 0.2))
        return ours == pytest.approx(vars(corners(100, 0.2)), rel=1e-12)

    assert check(bounds)
    assert survivors(bounds, ("constants",), check) == []


def test_a_sign_or_a_term_wrong_in_a_lemma_is_seen(monkeypatch):
    monkeypatch.setitem(sys.modules, "xorlit.proof.mutant", types.ModuleType("m"))
    draws = [draw(256, 400, seed) for seed in range(8)]
    sizes = [proof.smallest_rho(x) for x in draws]
    names = ("match", "find", "weights_slope", "drift", "partition_sums")

    def check(twin):
        good = []
        for x, rho in zip(draws, sizes, strict=True):
            sides = [getattr(twin, name)(x, rho) for name in names]
            clear, gap = sides[0].right[:2], sides[1].right
            pulls, support = gradient(x) @ x.V.T, list(x.support)
            mean = pulls[:, support].sum(axis=1, keepdims=True) / 2
            good += [side.holds and side.tightness > 0.01 for side in sides]
            good += [np.allclose(gap, mean - np.delete(pulls, support, axis=1), rtol=1e-9)]
            i, j = support
            across = np.sign(x.delta) * (pulls[:, i] - pulls[:, j] + x.spread @ (x.V[i] - x.V[j]))
            good += [np.allclose(clear, across, rtol=1e-9)]
        return all(good)

    assert check(lemmas)
    assert survivors(lemmas, names, check) == []


def balanced_draw(d, m, seed):
    task, V = xorlit.SparseXOR(d, rng=seed), xorlit.balanced(d, m, rng=seed, dtype="float64")
    return proof.instance(task, V, xorlit.antisymmetric_queries(m, rng=seed))


@pytest.mark.parametrize(("d", "m"), [(16, 16), (64, 32), (256, 64), (100, 100)])
def test_balanced_positions_leave_a_small_even_part(d, m):
    for seed in range(6):
        x = balanced_draw(d, m, seed)
        rho = proof.balanced_rho(x)
        if rho < 1:
            assert proof.even_part(x, rho).holds
            assert proof.odd_part(x, rho).holds
        i, j = x.support
        np.testing.assert_allclose(x.V[x.outside].sum(axis=0) @ (x.V[i] - x.V[j]), 0, atol=1e-12)


def test_sphere_positions_break_the_bound_on_the_even_part():
    broken = 0
    for seed in range(10):
        x = draw(64, 3000, seed)
        broken += not proof.even_part(x, proof.balanced_rho(x)).holds
    assert broken > 0


def test_the_slopes_of_balanced_heads_lie_in_their_range():
    """By finite differences of W, from the same sums with one more position put in by hand."""
    from xorlit.proof.balance import _slopes

    for seed in range(6):
        x = balanced_draw(200, 50, seed)
        rho = proof.balanced_rho(x)
        middle, tau, delta, half = _slopes(200, rho)
        Z, Z2 = np.exp(x.scores).sum(axis=1), np.exp(2 * x.scores).sum(axis=1)
        q = (Z2.prod() + 2 * 200 * 199) / (2 * Z.prod()) - np.cosh(x.delta)
        slope = 200 * (Z2[::-1] / Z.prod() - q / Z)
        assert np.all(np.abs(slope - middle) <= half)
        assert abs(slope[0] - slope[1]) <= delta
        s = np.linspace(-rho, rho, 50)
        bent = 2 * Z2[::-1, None] * np.exp(2 * s) / Z.prod() - (q / Z)[:, None] * np.exp(s)
        assert np.all(np.abs(200 * bent) <= tau)


@pytest.mark.parametrize("d", [16, 64])
def test_balanced_failures_stay_below_their_bound(d):
    """On a regular simplex, balanced by construction, where no overlap is in the way."""
    m, trials = 4000, 2000
    V = np.zeros((d, m))
    V[:, :d] = (np.eye(d) - 1 / d) * np.sqrt(d / (d - 1))
    task, failed = xorlit.SparseXOR(d, support=(0, 1)), 0
    for seed in range(trials):
        theta = xorlit.antisymmetric_queries(m, rng=seed)[:, :d]
        pull = -xorlit.query_gradient(task, V[:, :d], theta) @ V[:, :d].T
        failed += sorted(pull.argmax(axis=1).tolist()) != [0, 1]
    bound = proof.balanced_bound(d, m, (d - 1) ** -0.5, 1 / (d - 1))
    assert results.interval(failed, trials)[0] <= bound
    assert bound < 0.3


def test_balanced_positions_are_provably_below_the_floor_of_the_sphere():
    for d in (64, 256, 1024):
        shape = (d - 1) ** -0.5, 1 / (d - 1)  # spread and overlap of a regular simplex
        values = [proof.balanced_bound(d, m, *shape) for m in (10**4, 10**5, 10**6)]
        assert values == sorted(values, reverse=True)
        assert values[1] < proof.collision_limit(d) / 2
    assert proof.balanced_bound(64, 50, 0.3, 0.1) == 1.0
    assert proof.balanced_bound(64, 10**6, 0.1, 0.34) == 1.0


@pytest.mark.parametrize("n", [2, 3, 10, 200])
def test_the_cap_of_a_sphere(n):
    t = np.linspace(0, 0.999, 40)
    tail, bound = proof.cap(t, n)
    assert np.all(tail <= bound)
    g = np.random.default_rng(0).normal(size=(40_000, n))
    u = g[:, 0] / np.linalg.norm(g, axis=1)
    measured = (u[:, None] >= t).mean(axis=0)
    assert np.all(np.abs(measured - tail) < 5 * np.sqrt(tail / 40_000) + 3e-4)


@pytest.mark.parametrize("m", [4, 9, 60, 1001])
def test_the_density_times_the_mean_is_one_over_pi(m):
    density, mean = proof.isotropy(m)
    area = quad(lambda t: (1 - t * t) ** ((m - 3) / 2), -1, 1)[0]
    assert density == pytest.approx(1 / area, rel=1e-8)
    n = m - 1
    weight = quad(lambda t: (1 - t * t) ** ((n - 3) / 2), -1, 1, epsabs=1e-12, limit=200)[0]
    first = quad(lambda t: t * (1 - t * t) ** ((n - 3) / 2), 0, 1, epsabs=1e-12, limit=200)[0]
    assert mean == pytest.approx(2 * first / weight, rel=1e-5)
    assert density * mean == pytest.approx(1 / math.pi, rel=1e-12)
    assert density <= math.sqrt((m - 1) / (2 * math.pi))


def test_the_norm_of_an_isotropic_sum_in_fifty_digits():
    rho = np.linspace(0.01, 0.5, 25)
    for m in (3, 10, 300):
        left, right = proof.norm_tail(rho, m)
        assert np.all(left <= right)
    with mp.workdps(50):
        r, n = mp.mpf("0.3"), 99
        value = (1 + r) ** n * mp.exp(-mp.mpf(n) / 2 * (2 * r + r**2))
    assert proof.norm_tail(0.3, 100)[0] == pytest.approx(float(value), rel=1e-12)


def test_the_spread_of_the_noise_is_isotropic():
    """Given scores and the two bits, N/(|X||w_⊥|) is one coordinate of a point on S^{m−2}."""
    m = 6
    u = []
    for seed in range(1500):
        x = draw(12, m, seed)
        w = x.V[x.support[0]] - x.V[x.support[1]]
        across = w - (w @ x.theta) * x.theta
        u.append(x.noise[0] / np.linalg.norm(x.spread[0]) / np.linalg.norm(across))
    t = np.linspace(0, 0.9, 10)
    tail, _ = proof.cap(t, m - 1)
    measured = (np.array(u)[:, None] >= t).mean(axis=0)
    assert np.all(np.abs(measured - tail) < 4.5 * np.sqrt(tail * (1 - tail) / 1500) + 1e-3)


def test_the_theorem_is_never_above_what_happens():
    saved = results.load("proof-lemmas")
    for failed, bound in (("failed", "bound"), ("slow_failed", "slow_bound")):
        learned = saved["trials"] - saved[failed]
        assert np.all(1 - saved[bound] <= results.interval(learned, saved["trials"])[1])
        for d in (256, 4096, 16384):
            assert np.any(saved[bound][saved["d"] == d] < 0.5)
    assert np.all(saved["violations"] == 0)


def test_the_event_is_as_likely_as_claimed():
    saved = results.load("proof-lemmas")
    claim = 1 - 6 * saved["d"] * np.exp(-saved["m"] * saved["rho"] ** 2 / 2)
    assert np.all(claim <= results.interval(saved["event"], saved["trials"])[1])


def test_the_saved_counts_are_those_of_a_live_run():
    saved = results.load("proof-lemmas")
    live = experiments.run("proof-lemmas", cells=[[256, 600, 20]])
    assert live["violations"] == [0]
    cell = np.flatnonzero((saved["d"] == 256) & (saved["m"] == 600))[0]
    np.testing.assert_allclose(live["bound"], saved["bound"][cell])
    np.testing.assert_allclose(live["tight_match"], saved["tight_match"][cell], rtol=0.2)


def test_the_bound_falls_with_length_and_rate():
    values = [proof.failure_bound(4096, m) for m in (100, 300, 500, 2000, 10**6)]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[-1] == pytest.approx(2 / math.pi / 64, rel=0.03)
    slow = [
        proof.failure_bound(1024, 800, rate=x * 1024**2 * 800**0.5) for x in (0.1, 4, 64, 1e4, 1e9)
    ]
    assert slow == sorted(slow, reverse=True)
    assert slow[0] == 1.0
    assert slow[-1] == pytest.approx(proof.failure_bound(1024, 800), rel=1e-6)


def test_the_collision_limit_for_few_bits():
    saved = results.load("collision-fixed-d")
    low, high = results.interval(saved["failed"], saved["trials"], level=0.999)
    assert np.all((low < saved["limit"]) & (saved["limit"] < high))
    leading = 2 / math.pi * np.arctan(np.sqrt(saved["d"] - 2) / saved["d"])
    assert np.any(leading < low)  # the correction d − ½ − 1/d is measurable


def test_growing_d_tends_to_two_over_pi():
    saved = results.load("collision-growing-d")
    low, high = results.interval(saved["failed"], saved["trials"], level=0.999)
    root = np.sqrt(saved["d"])
    assert low[-1] * root[-1] < 2 / math.pi < high[-1] * root[-1]


def test_balanced_positions_lose_the_floor():
    saved = results.load("collision-balanced")
    low, _ = results.interval(saved["sphere"], saved["trials"])
    _, high = results.interval(saved["balanced"], saved["trials"])
    assert np.all(high[1:] < low[1:])
    assert saved["balanced"][-1] < 0.2 * saved["balanced"][0]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: proof.constants(2, 0.1), "d must"),
        (lambda: proof.constants(100, 0.0), "rho must"),
        (lambda: proof.constants(100, 1.5), "rho must"),
        (lambda: proof.failure_bound(100, 2), "m must"),
        (lambda: proof.slow_step(100, 50, 0.1, 1e9, loss=2.0), "loss must"),
        (lambda: proof.slow_step(100, 50, 0.1, -1.0), "rate must"),
        (lambda: proof.cap(0.1, 1), "n must"),
        (lambda: proof.isotropy(2), "m must"),
        (lambda: proof.norm_tail(0.1, 2), "m must"),
        (lambda: proof.collision_limit(2), "d must"),
        (lambda: proof.balanced_bound(8, 8, -1.0, 0.1), "spread must"),
        (lambda: proof.balanced_bound(8, 8, 0.1, 1.0), "overlap must"),
        (lambda: proof.balanced_bound(8, 8, 0.1, 0.1, rho=0.5), "rho must"),
        (lambda: proof.collision_limit(8, length=0), "length must"),
        (lambda: _instance(support=(0, 1, 2)), "task must"),
        (lambda: _instance(noise=0.1), "task must"),
        (lambda: _instance(scale=2.0), "q must"),
        (lambda: _instance(make=xorlit.independent_queries), "q must"),
    ],
)
def test_bad_input_is_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def _instance(support=(0, 1), noise=0.0, scale=1.0, make=xorlit.antisymmetric_queries):
    task = xorlit.SparseXOR(16, support=support, noise=noise)
    return proof.instance(task, xorlit.sphere(16, 4, rng=0), scale * make(4, rng=0))
