"""Chapter *A hundred million positions*: one very large step, and what float32 costs."""

import os
import time

import numpy as np

import xorlit
from xorlit.experiments import experiment
from xorlit.experiments.scale import as_columns


@experiment("hundred-million", d=10**8, m=64, seed=0)
def hundred_million(d, m, seed):
    """One step on position vectors that are never stored.

    Columns, one row: support and heads, two columns each, ``loss``, ``seconds``, ``cpu_seconds``,
    ``cores`` and ``megabytes``, the most memory that the whole process ever used.
    """
    import resource

    task = xorlit.SparseXOR(d, rng=seed)
    V = xorlit.sphere(d, m, rng=seed, stored=False)
    q = xorlit.antisymmetric_queries(m, rng=seed)
    start, cpu = time.perf_counter(), time.process_time()
    out = xorlit.one_step(task, V, q)
    seconds = round(time.perf_counter() - start, 1), round(time.process_time() - cpu, 1)
    row = {
        "first": task.support[0], "second": task.support[1],
        "head 1": out.heads[0], "head 2": out.heads[1],
        "loss": out.loss, "seconds": seconds[0], "cpu_seconds": seconds[1],
        "cores": os.cpu_count(),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip
    return {name: np.array([value]) for name, value in row.items()}


@experiment("precision", d=[2**p for p in range(8, 21, 2)], m=48, trials=5, first_seed=0)
def precision(d, m, trials, first_seed):
    """One step in float32 and in float64 on the same vectors, rounded.

    Columns: ``d``, ``trials``, ``same_heads`` (how often), and the largest relative difference of
    the ``find`` and ``match`` margins.
    """
    rows = []
    for size in d:
        same, errors = 0, np.zeros(2)
        for seed in range(first_seed, first_seed + trials):
            task, q = xorlit.SparseXOR(size, rng=seed), xorlit.antisymmetric_queries(m, rng=seed)
            narrow, wide = (
                xorlit.one_step(task, xorlit.sphere(size, m, rng=seed, dtype=dtype), q)
                for dtype in ("float32", "float64")
            )
            same += narrow.heads == wide.heads
            pairs = (
                (narrow.find_margin, wide.find_margin),
                (narrow.match_margin, wide.match_margin),
            )
            errors = np.maximum(errors, [abs(a / b - 1) for a, b in pairs])
        rows.append((size, trials, same, *errors.tolist()))
    return as_columns(("d", "trials", "same_heads", "find", "match"), rows)
