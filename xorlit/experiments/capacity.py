"""Chapter *How small can it be*: how long position vectors must be to find the support."""

import numpy as np

import xorlit
from xorlit import laws
from xorlit.experiments import experiment
from xorlit.experiments.scale import as_columns, instances


@experiment(
    "capacity",
    d=[2**p for p in range(6, 21, 2)],
    offsets=[-4, -2, 0, 2],
    trials=400,
    level=0.99,
    first_seed=0,
)
def capacity(d, offsets, trials, level, first_seed):
    """How often each head lands on the support, at a large rate, for m near the predicted capacity.

    The lengths m are `laws.capacity_at` for the level, rounded up to an even number, plus the
    offsets.  Columns: ``d``, ``m``, ``trials``, ``found``.
    """
    rows = []
    for size in d:
        centre = -(-laws.capacity_at(size, level) // 2) * 2
        for m in (centre + offset for offset in offsets):
            count = 0
            for seed, task, V in instances(size, m, trials, first_seed):
                q = xorlit.antisymmetric_queries(m, rng=seed)
                out = xorlit.one_step(task, V, q, rate=1e6 * laws.rate(size, m))
                count += set(out.heads) <= set(task.support)
            rows.append((size, m, trials, count))
    return as_columns(("d", "m", "trials", "found"), rows)


def smallest(d, m, found, trials, level=0.99):
    """The smallest m with at least the level found, and its range by the intervals of the counts.

    Returns columns ``d``, ``m``, ``low``, ``high``: ``low`` the smallest length whose upper limit
    reaches the level, ``high`` the smallest whose lower limit does (the largest one tried + 2 if
    none does).  Shapes: all arguments (n,), one entry a cell.
    """
    lower, upper = xorlit.results.interval(found, trials)
    rows = []
    for size in np.unique(d):
        cells = np.flatnonzero(d == size)
        cells = cells[np.argsort(m[cells])]
        first = [
            next((int(m[c]) for c in cells if share[c] >= level), int(m[cells[-1]]) + 2)
            for share in (found / trials, upper, lower)
        ]
        rows.append((int(size), *first))
    return as_columns(("d", "m", "low", "high"), rows)
