"""Chapters *When one step fails* and *A hundred million positions*: collisions and rates."""

import numpy as np

import xorlit
from xorlit import laws, randomness
from xorlit.experiments import experiment

SHARED = 16  # supports and queries to a draw of V


def as_columns(names, rows):
    """Rows → columns, name → array."""
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def instances(d, m, trials, first_seed, make=xorlit.sphere):
    """Yield ``trials`` (seed, task, V), a few to a draw of V where drawing V is what costs.

    Trials that share V have supports and queries of their own; what they have in common, the
    length of the mean position, moves their failure rate by less than a tenth, so that a count
    scatters as it would for independent ones.
    """
    shared = max(1, min(SHARED, d * m // 2**13))
    for seed in range(first_seed, first_seed + trials):
        if (seed - first_seed) % shared == 0:
            V = make(d, m, rng=seed)
        yield seed, xorlit.SparseXOR(d, rng=seed), V


def draws(d, m, trials, first_seed, make=xorlit.sphere):
    """Yield (generator, V, supports (16, 2)) until there are ``trials`` supports."""
    for seed in range(first_seed, first_seed + trials // SHARED):
        rng = randomness.stream(randomness.key(seed, "draws"))
        first, step = rng.integers(0, d, SHARED), rng.integers(1, d, SHARED)
        yield rng, make(d, m, rng=seed).array, np.stack([first, (first + step) % d], axis=1)


def queries(rng, m, independent=False):
    """Unit queries (16, 2, m), antisymmetric or independent."""
    q = rng.standard_normal((SHARED, 2, m))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return q if independent else np.stack([q[:, 0], -q[:, 0]], axis=1)


def collisions(V, supports, q):
    """Which of several instances on one V collide: both heads are drawn to the same bit.

    The sign of −∂L/∂θ·(v_i − v_j) for either head, written out; a second implementation beside
    the engine's.  Shapes: V (d, m), supports (t, 2), q (t, 2, m); returns bool (t,).
    """
    each = np.arange(len(supports))
    i, j = supports.T
    along = (V[i] - V[j]) @ V.T  # v_l·w, (t, d)
    a, b = xorlit.attention("softmax").weights(q.swapaxes(0, 1) @ V.T.astype(float))
    signs = []
    for u, w in ((a, b), (b, a)):
        norm, product = (w * w).sum(1, keepdims=True), (u * w).sum(1, keepdims=True)
        g = 2 * u * norm + 4 * product * w - 4 * u * w * w
        g[each, i] -= 2 * w[each, j]
        g[each, j] -= 2 * w[each, i]
        slope = u * (g - (u * g).sum(1, keepdims=True))
        signs.append((slope * along).sum(1) < 0)
    return signs[0] == signs[1]


@experiment("collisions", d=[2**p for p in range(5, 13)], m=64, trials=24_000, first_seed=0)
def both_kinds(d, m, trials, first_seed):
    """Collisions with sphere positions: ``antisymmetric`` and ``independent`` queries.

    Columns: ``d``, ``m``, ``trials`` and the two counts.
    """
    rows = []
    for size in d:
        counts = np.zeros(2, int)
        for rng, V, supports in draws(size, m, trials, first_seed):
            for kind in (0, 1):
                counts[kind] += collisions(V, supports, queries(rng, m, kind == 1)).sum()
        rows.append((size, m, trials, *counts.tolist()))
    return as_columns(("d", "m", "trials", "antisymmetric", "independent"), rows)


@experiment(
    "independent-queries",
    cells=[[1024, 16], [1024, 32], [1024, 64], [1024, 128], [4096, 16], [4096, 32], [4096, 128]],
    trials=16_000,
    first_seed=100_000,
)
def independent(cells, trials, first_seed):
    """Collisions of independent queries against the length m.

    Columns: ``d``, ``m``, ``trials``, ``collided``.
    """
    return _count(cells, trials, first_seed, xorlit.sphere, independent=True)


@experiment(
    "balanced",
    cells=[[32, 16], [64, 16], [128, 16], [256, 16], [64, 64]],
    trials=24_000,
    first_seed=0,
)
def balanced(cells, trials, first_seed):
    """Collisions with balanced positions, antisymmetric queries.

    Columns: ``d``, ``m``, ``trials``, ``collided``.
    """
    return _count(cells, trials, first_seed, xorlit.balanced)


def _count(cells, trials, first_seed, make, independent=False):
    rows = []
    for d, m in cells:
        count = sum(
            int(collisions(V, supports, queries(rng, m, independent)).sum())
            for rng, V, supports in draws(d, m, trials, first_seed, make)
        )
        rows.append((d, m, trials, count))
    return as_columns(("d", "m", "trials", "collided"), rows)


@experiment("query-length", d=512, m=64, length=[0.5, 1, 2, 4, 8], trials=2000, first_seed=0)
def query_length(d, m, length, trials, first_seed):
    """Collisions and, at a large rate, failures to find the support against |θ|.

    Columns: ``length``, ``trials``, ``collided``, ``lost`` (a head outside the support).
    """
    counts = np.zeros((2, len(length)), int)
    for seed, task, V in instances(d, m, trials, first_seed):
        for c, size in enumerate(length):
            q = xorlit.antisymmetric_queries(m, length=size, rng=seed)
            out = xorlit.one_step(task, V, q, rate=1e6 * laws.rate(d, m))
            lost = not set(out.heads) <= set(task.support)
            counts[:, c] += not lost and out.heads[0] == out.heads[1], lost
    return {
        "length": np.array(length),
        "trials": np.full(len(length), trials),
        "collided": counts[0],
        "lost": counts[1],
    }


@experiment(
    "rate-law",
    cells=[[128, 64], [512, 128], [2048, 64], [8192, 128]],
    factors=[2.0**p for p in range(-3, 9)],
    trials=200,
    first_seed=0,
)
def rate_law(cells, factors, trials, first_seed):
    """How often one step learns against the rate, factor·d²√m, for several d and m.

    Columns: ``d``, ``m``, ``factor``, ``trials``, ``learned``.
    """
    rows = []
    for d, m in cells:
        learned = np.zeros(len(factors), int)
        for seed, task, V in instances(d, m, trials, first_seed):
            q = xorlit.antisymmetric_queries(m, rng=seed)
            for c, factor in enumerate(factors):
                learned[c] += xorlit.one_step(task, V, q, factor * d**2 * np.sqrt(m)).learned
        rows += [(d, m, f, trials, n) for f, n in zip(factors, learned.tolist(), strict=True)]
    return as_columns(("d", "m", "factor", "trials", "learned"), rows)


@experiment(
    "loss-collapse",
    cells=[[128, 64], [512, 128], [2048, 64], [8192, 128]],
    gains=[0.5, 1, 2, 3, 4, 6, 8, 12],
    trials=32,
    first_seed=0,
)
def collapse(cells, gains, trials, first_seed):
    """Loss when the rate is chosen so that η times the match margin has a given value, the gain.

    ``log_odds`` between the relevant bits, in the head that has less of them, are that gain and the
    |Δ| it starts with.  Only trials with positive margins take part.  Columns: ``d``, ``m``,
    ``gain``, ``log_odds``, ``loss``, one row a trial and gain.
    """
    rows = []
    for d, m in cells:
        for seed, task, V in instances(d, m, trials, first_seed):
            q = xorlit.antisymmetric_queries(m, rng=seed)
            start = xorlit.one_step(task, V, q, rate=0.0)
            if min(start.match_margin, start.find_margin) > 0:
                i, j = task.support
                delta = abs(float(q[0] @ (V.array[i] - V.array[j])))
                for gain in gains:
                    out = xorlit.one_step(task, V, q, rate=gain / start.match_margin)
                    rows.append((d, m, gain, round(gain + delta, 6), float(f"{out.loss:.4g}")))
    return as_columns(("d", "m", "gain", "log_odds", "loss"), rows)
