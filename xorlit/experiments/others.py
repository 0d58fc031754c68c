"""Chapters *Why a linear readout is not enough* and *What needs no network*."""

import contextlib

import numpy as np

import xorlit
from xorlit import baselines
from xorlit.experiments import experiment


def tasks_of(d, trials, first_seed, noise=0.0):
    """One task for each seed, its support drawn from that seed."""
    seeds = range(first_seed, first_seed + trials)
    return [xorlit.SparseXOR(d, noise=noise, rng=seed) for seed in seeds]


def _table(names, rows):
    columns = zip(*rows, strict=True)
    return {name: np.array(column) for name, column in zip(names, columns, strict=True)}


@experiment(
    "linear-embeddings",
    d=10,
    k=[2, 3, 4],
    sizes=[2, 4, 8, 16, 32, 46, 64, 96, 128, 192, 256],
    trials=10,
    first_seed=0,
)
def embeddings(d, k, sizes, trials, first_seed):
    """The exact average error of the best linear readout of each embedding.

    Columns: ``kind``, ``k``, ``D`` the dimension it really has, ``seed``, ``error``.
    """
    from xorlit.baselines import linear

    X, _ = xorlit.SparseXOR(d, rng=0).enumerate()
    rows = []
    for bits in k:
        for kind in linear.KINDS:
            drawn = kind not in ("raw bits", "all products")
            for seed in range(first_seed, first_seed + (trials if drawn else 1)):
                for size in sizes if drawn else [1]:
                    features = linear.embedding(kind, size, bits, rng=seed).fit_transform(X)
                    error = linear.average_error(features, d, bits)
                    rows.append((kind, bits, features.shape[1], seed, error))
    return _table(("kind", "k", "D", "seed", "error"), rows)


@experiment(
    "label-noise",
    d=64,
    noise=[0.0, 0.05, 0.1, 0.2, 0.3, 0.4],
    n=200,
    m=64,
    trials=200,
    networks=20,
    steps=4000,
    first_seed=0,
)
def label_noise(d, noise, n, m, trials, networks, steps, first_seed):
    """Who still learns when labels are flipped with probability p; the verdict is on clean labels.

    Columns: ``method``, ``noise``, ``trials``, ``successes``, ``samples``.  One step sees every
    input (samples 0); correlation and elimination see n samples; a feed-forward network may draw
    64 a step and succeeds when it is right on 95 % of fresh clean samples, ``samples`` being the
    median number until then (−1: under half succeed).
    """
    rows = []
    for p in noise:
        tasks = tasks_of(d, trials, first_seed, p)
        rows += [
            ("one step", p, trials, sum(map(_steps, tasks, range(trials), [m] * trials)), 0),
            ("correlation", p, trials, found("pair_correlation", tasks, n), n),
            ("elimination", p, trials, found("gf2_solve", tasks, n), n),
            ("feed-forward", p, networks, *_networks(tasks[:networks], steps, first_seed)),
        ]
    return _table(("method", "noise", "trials", "successes", "samples"), rows)


def _steps(task, seed, m):
    V, q = xorlit.sphere(task.d, m, rng=seed), xorlit.antisymmetric_queries(m, rng=seed)
    return xorlit.one_step(task, V, q).learned


def found(name, tasks, n):
    """How many of the tasks the function ``name`` of `baselines.classical` solves from n samples.

    Sample seeds are 0, 1, …; an elimination that finds no pair counts as a failure.
    """
    count = 0
    for seed, task in enumerate(tasks):
        with contextlib.suppress(ValueError):
            count += getattr(baselines.classical, name)(*task.sample(n, rng=seed)) == task.support
    return count


def _networks(tasks, steps, seed):
    run = baselines.ffnn.train(tasks, steps=steps, every=50, rng=seed)
    right = run.accuracy >= 0.95
    looks = np.where(right.any(axis=0), right.argmax(axis=0), -1)
    samples = np.where(looks >= 0, 64.0 * run.step[looks], np.inf)
    median = np.median(samples)
    return right.any(axis=0).sum(), int(median) if np.isfinite(median) else -1
