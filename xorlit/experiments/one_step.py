"""Chapter *One step*: how often one gradient step learns."""

import numpy as np

import xorlit
from xorlit import laws
from xorlit.experiments import experiment


@experiment(
    "one-step-success",
    d=1024,
    m=[8, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128],
    factors=[2.0**p for p in range(-3, 11)],
    trials=200,
    first_seed=0,
)
def success(d, m, factors, trials, first_seed):
    """Successes of one step on the grid (m, rate), the rate being factor·d²√m.

    A seed fixes support, positions and queries for all rates.  Columns: ``m``, ``factor``,
    ``trials`` and, out of them, ``learned`` (loss < 0.1) and ``found`` (each head on a bit of
    the support, the same one or not).
    """
    rows = []
    for length in m:
        counts = np.zeros((2, len(factors)), int)
        for seed in range(first_seed, first_seed + trials):
            task = xorlit.SparseXOR(d, rng=seed)
            V = xorlit.sphere(d, length, rng=seed)
            q = xorlit.antisymmetric_queries(length, rng=seed)
            for c, factor in enumerate(factors):
                out = xorlit.one_step(task, V, q, rate=factor * laws.rate(d, length) / 64)
                counts[:, c] += out.learned, set(out.heads) <= set(task.support)
        rows += [(length, f, trials, *n) for f, n in zip(factors, counts.T.tolist(), strict=True)]
    names = ("m", "factor", "trials", "learned", "found")
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
