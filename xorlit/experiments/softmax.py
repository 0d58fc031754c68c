"""Chapter *Why softmax*: many steps with softmax, linear and erf attention."""

import numpy as np

import xorlit
from xorlit.experiments import experiment

STARTS = {
    "antisymmetric": xorlit.antisymmetric_queries,
    "independent": xorlit.independent_queries,
    "identical": lambda m, rng: np.repeat(xorlit.antisymmetric_queries(m, rng=rng)[:1], 2, axis=0),
}
DOUBLING = [0.005 * 2**p for p in range(10)]  # for linear and erf: from too slow to divergence


def fate(support, heads):
    """Where two heads look: "matched" one to each bit, "collapsed" on one bit, else "missed".

    >>> fate((2, 5), (5, 2)), fate((2, 5), (2, 2)), fate((2, 5), (2, 3))
    ('matched', 'collapsed', 'missed')
    """
    heads = {int(h) for h in heads}
    if heads == set(support):
        return "matched"
    return "collapsed" if heads < set(support) else "missed"


def _run(kind, start, d, m, seed, rate, steps):
    task = xorlit.SparseXOR(d, rng=seed)
    V, q = xorlit.sphere(d, m, rng=seed), STARTS[start](m, rng=seed)
    return task, xorlit.train(task, V, q, steps, rate, kind, rng=seed)


def _summary(task, hist):
    """First step with loss < 0.1 (−1: none), lowest loss, accuracy and fate of the heads then."""
    best = int(hist.loss.argmin())
    learned = np.flatnonzero(hist.loss < 0.1)
    return {
        "learned_at": int(learned[0]) if len(learned) else -1,
        "loss": round(float(hist.loss[best]), 6),
        "accuracy": hist.accuracy[best],
        "fate": fate(task.support, hist.heads[best]),
        "diverged": hist.diverged,
    }


def _columns(rows):
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@experiment(
    "attention-kinds",
    d=64,
    m=64,
    rates={
        "softmax": [xorlit.laws.rate(64, 64) / 4**p for p in range(9, -1, -1)],
        "linear": DOUBLING,
        "erf": DOUBLING,
    },
    starts=["antisymmetric", "independent"],
    steps=150,
    seeds=20,
)
def kinds(d, m, rates, starts, steps, seeds):
    """Every kind from every start at every rate; a seed fixes support, positions and queries.

    Columns: ``kind``, ``start``, ``rate``, ``seed`` and, for that run, ``learned_at`` (first step
    with loss < 0.1, −1 if none), ``loss`` (the lowest), ``accuracy`` and ``fate`` at that step,
    ``diverged``.
    """
    return _columns(
        [
            {"kind": kind, "start": start, "rate": rate, "seed": seed}
            | _summary(*_run(kind, start, d, m, seed, rate, steps))
            for kind in rates
            for start in starts
            for rate in rates[kind]
            for seed in range(seeds)
        ]
    )


@experiment(
    "attention-curves",
    d=64,
    m=64,
    runs=[
        ["softmax", "antisymmetric", xorlit.laws.rate(64, 64) / 4],
        ["softmax", "independent", xorlit.laws.rate(64, 64) / 256],
        ["linear", "antisymmetric", 0.08],
        ["linear", "independent", 0.16],
        ["erf", "antisymmetric", 0.08],
        ["erf", "independent", 0.16],
    ],
    steps=300,
    seeds=20,
)
def curves(d, m, runs, steps, seeds):
    """Loss over steps, for each kind and start at the best rate of "attention-kinds".

    Columns: ``kind``, ``start``, ``step`` and over the seeds ``low``, ``median``, ``high`` (the
    10 %, 50 % and 90 % quantiles of the loss).
    """
    rows = []
    for kind, start, rate in runs:
        loss = [_run(kind, start, d, m, s, rate, steps)[1].loss for s in range(seeds)]
        low, median, high = np.quantile(loss, (0.1, 0.5, 0.9), axis=0, method="nearest")
        rows += [
            {"kind": kind, "start": start, "step": t, "low": low[t], "median": median[t],
             "high": high[t]}
            for t in range(steps + 1)
        ]  # fmt: skip
    return _columns(rows)


@experiment(
    "linear-rank",
    d=64,
    m=[32, 48, 64, 96, 128],
    rates=DOUBLING,
    steps=250,
    seeds=20,
)
def rank(d, m, rates, steps, seeds):
    """Linear attention from independent queries, for positions of length m.

    Columns: ``m``, ``seed``, ``rate`` the best of the rates for this very run (the lowest loss,
    then the fewest steps), and what `kinds` reports for it.
    """
    rows = []
    for length in m:
        for seed in range(seeds):
            runs = [
                {"m": length, "seed": seed, "rate": rate}
                | _summary(*_run("linear", "independent", d, length, seed, rate, steps))
                for rate in rates
            ]
            rows.append(min(runs, key=lambda run: (run["loss"], run["learned_at"])))
    return _columns(rows)
