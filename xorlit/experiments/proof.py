"""Chapters *The proof* and *The collision theorem*: lemmas on many instances, and the limits."""

import math

import numpy as np

import xorlit
from xorlit import laws, proof
from xorlit.experiments import experiment


@experiment(
    "proof-lemmas",
    cells=[[256, m, 400] for m in (16, 32, 64, 128, 256, 400, 600, 1000, 2000, 4000)]
    + [[4096, m, 100] for m in (24, 48, 100, 200, 400, 600, 1000, 2000)]
    + [[4096, 4000, 30]]
    + [[16384, m, 50] for m in (28, 100, 400, 800)],
    first_seed=0,
)
def lemmas(cells, first_seed):
    """Every lemma, the good event and the verdict of the step, on ``cells`` [d, m, trials].

    Columns: ``d``, ``m``, ``trials``; ``rho`` that the theorem would choose (1/6 where it is
    silent), ``bound`` and ``slow_bound`` on the failure probability at an infinite rate and at
    64 d²√m; ``failed``, ``slow_failed`` trials; ``event`` and its parts: trials in which it holds
    at ``rho``; ``violations`` of any lemma, ``size`` the median smallest ρ and, for each lemma,
    the median tightness there.
    """
    rows = []
    for d, m, trials in cells:
        rho = best_rho(d, m)
        row = {"d": d, "m": m, "trials": trials, "rho": rho, "violations": 0}
        row["bound"] = proof.failure_bound(d, m)
        row["slow_bound"] = proof.failure_bound(d, m, rate=laws.rate(d, m))
        seeds = range(first_seed, first_seed + trials)
        each = [_one(d, m, rho, seed) for seed in seeds]
        counts = [c for c, _ in each]
        for name in counts[0]:
            row[name] = sum(c[name] for c in counts)
        for name in each[0][1]:
            row[name] = float(np.median([t[name] for _, t in each]))
        rows.append(row)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def best_rho(d, m):
    """The size of the good event at which the theorem is strongest; 1/6 where it is silent."""
    sizes = np.linspace(0.005, 0.33, 326)
    bounds = [proof.failure_bound(d, m, rho) for rho in sizes]
    return float(sizes[np.argmin(bounds)]) if min(bounds) < 1 else 1 / 6


def _one(d, m, rho, seed):
    """Counts (0 or 1 each) and tightnesses of one instance."""
    x = proof.draw(d, m, seed)
    parts = proof.event(x, rho)
    size = proof.smallest_rho(x)
    sides = {name: lemma(x, size) for name, lemma in proof.CHECKS.items()} if size < 1 else {}
    rate = laws.rate(d, m)
    counts = {
        "failed": sorted(x.heads) != list(x.support),
        "slow_failed": float(proof.CHECKS["loss"](x, rate=rate).left[0]) > 0.1,
        "event": all(parts.values()),
        "violations": sum(not s.holds for s in sides.values()),
    } | parts
    tight = {name: sides[name].tightness if sides else 0.0 for name in proof.CHECKS}
    return counts, {"size": size} | {f"tight_{name}": value for name, value in tight.items()}


@experiment("collision-fixed-d", d=[3, 4, 8, 16, 32, 64], m=512, trials=10000, first_seed=0)
def fixed_d(d, m, trials, first_seed):
    """Failures at an infinite rate for fixed d and large m, beside `xorlit.proof.collision_limit`.

    Columns: ``d``, ``trials``, ``failed``, ``limit``.
    """
    failed = [_failures(size, m, trials, first_seed, xorlit.sphere) for size in d]
    limits = [proof.collision_limit(size) for size in d]
    return {"d": np.array(d), "trials": np.full(len(d), trials), "failed": failed, "limit": limits}


@experiment("collision-growing-d", d=[64, 256, 1024], trials=10000, first_seed=0)
def growing_d(d, trials, first_seed):
    """Failures at an infinite rate when m = (log₂ d)² grows faster than log d.

    Columns: ``d``, ``m``, ``trials``, ``failed``.
    """
    m = [math.ceil(math.log2(size) ** 2) for size in d]
    failed = [
        _failures(size, length, trials, first_seed, xorlit.sphere)
        for size, length in zip(d, m, strict=True)
    ]
    return {"d": np.array(d), "m": m, "trials": np.full(len(d), trials), "failed": failed}


@experiment("collision-balanced", d=16, m=[8, 16, 32, 64], trials=4000, first_seed=0)
def balanced(d, m, trials, first_seed):
    """Failures at an infinite rate with sphere and with balanced positions, as m grows.

    Columns: ``m``, ``trials``, ``sphere``, ``balanced``.
    """
    columns = {
        make.__name__: [_failures(d, length, trials, first_seed, make) for length in m]
        for make in (xorlit.sphere, xorlit.balanced)
    }
    return {"m": np.array(m), "trials": np.full(len(m), trials)} | columns


def _failures(d, m, trials, first_seed, make):
    task, failed = xorlit.SparseXOR(d, support=(0, 1)), 0
    for seed in range(first_seed, first_seed + trials):
        V = make(d, m, rng=seed, dtype="float64")
        q = xorlit.antisymmetric_queries(m, rng=seed)
        pull = -xorlit.query_gradient(task, V, q) @ V.array.T
        failed += sorted(pull.argmax(axis=1).tolist()) != [0, 1]
    return failed
