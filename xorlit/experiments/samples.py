"""Chapters *Learning from examples* and *Three thresholds*: how many examples a step needs."""

import numpy as np

import xorlit
from xorlit import laws, randomness, samples
from xorlit.attentions import attention
from xorlit.experiments import experiment
from xorlit.population import population_gradient, population_loss
from xorlit.step import scores

SOFTMAX = attention("softmax")
LENGTHS = {"64": lambda d: 64, "4 log2 d": lambda d: round(4 * np.log2(d)), "d": lambda d: d}
# Where the share of successes of many steps is about a half, to place the grid of n: (factor,
# power) of d.  Only the grid depends on it.
CENTRES = {"64": (0.2, 1.5), "4 log2 d": (0.3, 1.55), "d": (0.8, 1.2)}


def instance(d, m, seed):
    """Task, positions and antisymmetric queries of one trial, all from one seed."""
    return (
        xorlit.SparseXOR(d, rng=seed),
        xorlit.sphere(d, m, rng=seed),
        xorlit.antisymmetric_queries(m, rng=seed),
    )


def verdict(pulls, support):
    """Whether the heads find the support and whether they match it, at as large a rate as it takes.

    Then each head ends on the position it is pulled to most.  Shapes: pulls (..., 2, d) →
    two bool arrays (...).
    """
    heads = pulls.argmax(axis=-1)
    found = np.isin(heads, support).all(axis=-1)
    return found, found & (heads[..., 0] != heads[..., 1])


def surrogate_pulls(task, V, q, n, seed):
    """The pulls −∂L/∂s of the surrogate for several n, from one draw of its noise."""
    mean = scores(V, xorlit.query_gradient(task, V, q))
    noise = scores(V, xorlit.surrogate_gradient(task, V, q, 1, rng=seed)) - mean
    return -(mean + noise / np.sqrt(np.asarray(n, float))[:, None, None])


@experiment(
    "samples-check",
    sizes=[[32, 32], [32, 128], [64, 24], [64, 64], [96, 26], [96, 96]],
    powers=[1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5],
    trials=300,
    first_seed=0,
)
def check(sizes, powers, trials, first_seed):
    """One step on n = d^power real examples, and on the surrogate, with other seeds.

    Columns: ``d``, ``m``, ``n``, ``trials`` and, out of them, ``found`` and ``matched`` on real
    examples, ``surrogate_found`` and ``surrogate_matched``.
    """
    rows = []
    for d, m in sizes:
        n = [round(d**power) for power in powers]
        counts = np.zeros((4, len(n)), int)
        for seed in range(first_seed, first_seed + trials):
            task, V, q = instance(d, m, seed)
            pulls = [-scores(V, xorlit.empirical_gradient(task, V, q, c, rng=seed)) for c in n]
            counts[:2] += verdict(np.array(pulls), task.support)
            seed += 10**6
            task, V, q = instance(d, m, seed)
            counts[2:] += verdict(surrogate_pulls(task, V, q, n, seed), task.support)
        rows += [(d, m, c, trials, *k) for c, k in zip(n, counts.T.tolist(), strict=True)]
    names = ("d", "m", "n", "trials", "found", "matched", "surrogate_found", "surrogate_matched")
    return _columns(names, rows)


@experiment(
    "gradient-convergence",
    d=256,
    m=32,
    n=[4**p for p in range(4, 11)],
    trials=12,
    first_seed=0,
)
def convergence(d, m, n, trials, first_seed):
    """Distance of the empirical gradient from the population's, relative to the latter's norm.

    Columns: ``n``, ``seed``, ``error``."""
    rows = []
    for seed in range(first_seed, first_seed + trials):
        task, V, q = instance(d, m, seed)
        exact = xorlit.query_gradient(task, V, q)
        for count in n:
            g = xorlit.empirical_gradient(task, V, q, count, rng=seed)
            rows.append((count, seed, np.linalg.norm(g - exact) / np.linalg.norm(exact)))
    return _columns(("n", "seed", "error"), rows)


@experiment(
    "one-step-thresholds",
    d=[2**p for p in range(5, 13)],
    lengths=list(LENGTHS),
    factors=[0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0],
    trials=[200, 200, 200, 200, 200, 200, 100, 60],
    first_seed=0,
)
def one_step(d, lengths, factors, trials, first_seed):
    """One step on the surrogate, n being a factor times the n of `laws.samples_to_find` and
    `laws.samples_to_match`.

    Columns: ``length`` (the rule for m), ``d``, ``m``, ``target`` ("find" or "match"), ``n``,
    ``trials`` and, out of them, ``successes``.
    """
    rows = []
    for rule in lengths:
        for size, repeats in zip(d, trials, strict=True):
            m = LENGTHS[rule](size)
            centres = [laws.samples_to_find(size, m), laws.samples_to_match(size, m)]
            n = np.outer(centres, factors).round().astype(int)
            counts = np.zeros(n.shape, int)
            for seed in range(first_seed, first_seed + repeats):
                task, V, q = instance(size, m, seed)
                found, matched = verdict(surrogate_pulls(task, V, q, n.ravel(), seed), task.support)
                counts += np.stack([found[: len(factors)], matched[len(factors) :]])
            for target, ns, ks in zip(("find", "match"), n.tolist(), counts.tolist(), strict=True):
                rows += [(rule, size, m, target, *c, repeats) for c in zip(ns, ks, strict=True)]
    return _columns(("length", "d", "m", "target", "n", "successes", "trials"), rows)


def descend(V, q, gradient, steps, rate):
    """Normalised gradient descent of several runs at once; returns their weights at the end.

    Shapes: V (d, m), q (r, 2, m); ``gradient`` takes weights (r, 2, d) to ∂L/∂a → (r, 2, d)."""
    runs, heads, m = q.shape
    for _ in range(steps):
        s = (q.reshape(-1, m) @ V.T).reshape(runs, heads, -1)
        pull = SOFTMAX.pullback(s, gradient(SOFTMAX.weights(s)).astype(V.dtype))
        g = (pull.reshape(runs * heads, -1) @ V).reshape(q.shape)
        norms = np.linalg.norm(g, axis=(1, 2), keepdims=True)
        q = q - rate * g / np.maximum(norms, np.finfo(V.dtype).tiny)
    return SOFTMAX.weights((q.reshape(-1, m) @ V.T).reshape(runs, heads, -1))


def fixed_sample(task, n, seed):
    """The gradient ∂L/∂a (r, 2, d) on fixed samples of n[0], n[1], … real examples, one a run."""
    x, y = (t.astype(np.float32) for t in task.sample(max(n), rng=seed))
    return lambda a: np.stack(
        [samples.stored(x[:c], y[:c], w)[1] for c, w in zip(n, a, strict=True)]
    )


def fixed_surrogate(task, n, seed):
    """The same for n examples that are never drawn: population plus 2 Z a/√n, heads swapped.

    Z is symmetric and Gaussian, of variance 1 off the diagonal and one common value on it: the
    law of √n (1/n Σ_s y_s x_s x_sᵀ − mean) for many examples.  What f² adds to the noise is left
    out, as in `samples.surrogate_gradient`.
    """
    rng = randomness.stream(randomness.key(seed, "fixed_surrogate"))
    Z = rng.standard_normal((task.d, task.d), np.float32)
    Z = (Z + Z.T) / np.float32(np.sqrt(2))
    np.fill_diagonal(Z, rng.standard_normal())
    scale = 2 / np.sqrt(np.array(n, np.float32))[:, None, None]

    def gradient(a):
        mean = np.stack([population_gradient(w, task.support) for w in a])
        return mean + scale * (a[:, ::-1].reshape(-1, task.d) @ Z).reshape(a.shape)

    return gradient


def _many_steps(source, d, lengths, factors, trials, steps, rate, first_seed):
    rows = []
    for rule in lengths:
        factor, power = CENTRES[rule]
        for size, count in zip(d, trials, strict=True):
            m = LENGTHS[rule](size)
            n = [round(f * factor * size**power) for f in factors]
            learned = np.zeros(len(n), int)
            for seed in range(first_seed, first_seed + count):
                task, V, q = instance(size, m, seed)
                start = np.repeat(q[None], len(n), axis=0).astype(np.float32)
                a = descend(V.array, start, source(task, n, seed), steps, rate)
                learned += [population_loss(w, task.support) < 0.1 for w in a]
            rows += [(rule, size, m, *c, count) for c in zip(n, learned.tolist(), strict=True)]
    return _columns(("length", "d", "m", "n", "learned", "trials"), rows)


@experiment(
    "many-steps-real",
    d=[32, 64, 128, 256],
    lengths=list(LENGTHS),
    factors=[0.35, 0.6, 1.0, 1.7, 2.9],
    trials=[40, 40, 40, 40],
    steps=60,
    rate=0.5,
    first_seed=0,
)
def many_real(**settings):
    """Many normalised steps on one fixed sample of n real examples.

    Columns: ``length`` (the rule for m), ``d``, ``m``, ``n``, ``trials`` and, out of them,
    ``learned`` (population loss < 0.1)."""
    return _many_steps(fixed_sample, **settings)


@experiment(
    "many-steps-surrogate",
    d=[2**p for p in range(6, 13)],
    lengths=list(LENGTHS),
    factors=[0.4, 0.8, 1.5, 3.0],
    trials=[40, 40, 40, 40, 30, 16, 8],
    steps=60,
    rate=0.5,
    first_seed=1000,
)
def many_surrogate(**settings):
    """The same on `fixed_surrogate`; columns as `many_real`."""
    return _many_steps(fixed_surrogate, **settings)


def _columns(names, rows):
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
