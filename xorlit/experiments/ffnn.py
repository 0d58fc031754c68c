"""Chapter *What a feed-forward network pays*: what its figures were made from."""

from itertools import combinations

import numpy as np

import xorlit
from xorlit import baselines
from xorlit.experiments import experiment
from xorlit.experiments.others import _table, tasks_of


@experiment(
    "ffnn-sweep",
    d=64,
    rates=[0.01, 0.03, 0.1, 0.3],
    batches=[16, 64, 256],
    widths=[4, 32, 64],
    steps=1000,
    trials=20,
    first_seed=0,
)
def sweep(d, rates, batches, widths, steps, trials, first_seed):
    """What was tried before the defaults of `ffnn.train` were chosen.

    Columns: ``rate``, ``batch``, ``width``, ``trials`` and, out of them, ``learned`` and
    ``diverged``; ``samples`` the median number of fresh samples until learned (−1: under half).
    """
    rows = []
    for rate, batch, width in [(r, b, w) for r in rates for b in batches for w in widths]:
        run = baselines.ffnn.train(
            tasks_of(d, trials, first_seed), width, rate, batch, steps, rng=first_seed
        )
        used = np.median(np.where(run.learned, run.samples, np.inf))
        counts = run.learned.sum(), run.diverged.sum()
        rows.append((rate, batch, width, trials, *counts, int(used) if np.isfinite(used) else -1))
    return _table(("rate", "batch", "width", "trials", "learned", "diverged", "samples"), rows)


@experiment("ffnn-cost", d=[32, 64, 128, 256, 512], trials=20, first_seed=0)
def cost(d, trials, first_seed):
    """What one network of the default width pays until its loss is below 0.1, a row a seed.

    Columns: ``d``, ``seed``, ``learned``, ``parameters``, ``samples``, ``steps``,
    ``multiply_adds``.
    """
    rows = []
    for size in d:
        run = baselines.ffnn.train(tasks_of(size, trials, first_seed), rng=first_seed)
        seeds = range(first_seed, first_seed + trials)
        columns = seeds, run.learned, run.samples, run.steps, run.multiply_adds
        for seed, learned, samples, steps, operations in zip(*columns, strict=True):
            rows.append((size, seed, learned, run.network.size, samples, steps, operations))
    names = ("d", "seed", "learned", "parameters", "samples", "steps", "multiply_adds")
    return _table(names, rows)


@experiment(
    "ffnn-width", d=[16, 32, 64, 128, 256], widths=[1, 2, 3, 4], steps=3000, trials=20,
    first_seed=0,
)  # fmt: skip
def width(d, widths, steps, trials, first_seed):
    """How wide a feed-forward network has to be.

    Columns: ``d``, ``width``, ``parameters``, ``trials`` and, out of them, ``learned``.
    """
    rows = []
    for size in d:
        for neurons in widths:
            tasks = tasks_of(size, trials, first_seed)
            run = baselines.ffnn.train(tasks, neurons, steps=steps, rng=first_seed)
            rows.append((size, neurons, run.network.size, trials, run.learned.sum()))
    return _table(("d", "width", "parameters", "trials", "learned"), rows)


@experiment(
    "attention-length",
    d=[16, 32, 64, 128, 256, 1024, 4096],
    m=[4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32],
    trials=200,
    first_seed=0,
)
def length(d, m, trials, first_seed):
    """How long a position vector has to be, for one step at the rate of the law.

    Columns: ``d``, ``m``, ``parameters`` (2m), ``trials`` and, out of them, ``learned``.
    """
    rows = []
    for size in d:
        for dimensions in m:
            learned = 0
            for seed, task in enumerate(tasks_of(size, trials, first_seed), first_seed):
                V = xorlit.sphere(size, dimensions, rng=seed)
                q = xorlit.antisymmetric_queries(dimensions, rng=seed)
                learned += xorlit.one_step(task, V, q).learned
            rows.append((size, dimensions, 2 * dimensions, trials, learned))
    return _table(("d", "m", "parameters", "trials", "learned"), rows)


@experiment("ffnn-masked", d=8, steps=600, width=16, batch=64, trials=10, first_seed=0)
def masked(d, steps, width, batch, trials, first_seed):
    """Networks that read r of the d bits, one trained for every support, exactly evaluated.

    Columns: ``r``, ``trial``, ``error`` the mean squared error over all inputs, averaged over
    all C(d,2) supports.
    """
    import torch

    tasks = [xorlit.SparseXOR(d, support=pair) for pair in combinations(range(d), 2)]
    X, _ = tasks[0].enumerate()
    y = np.stack([task.label(X) for task in tasks])
    rows = []
    for reads in range(1, d + 1):
        run = baselines.ffnn.train(
            tasks * trials,
            width,
            batch=batch,
            steps=steps,
            reads=reads,
            every=steps,
            rng=first_seed,
        )
        with torch.no_grad():
            f = run.network(torch.from_numpy(X)).double().numpy().reshape(trials, *y.shape)
        rows += [(reads, t, error) for t, error in enumerate(((y - f) ** 2).mean(axis=(1, 2)))]
    return _table(("r", "trial", "error"), rows)
