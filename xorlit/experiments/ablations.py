"""Chapter *Why softmax*: other positions, another optimiser, another loss."""

import numpy as np

import xorlit
from xorlit import laws
from xorlit.experiments import experiment
from xorlit.experiments.softmax import _columns, fate


def sinusoidal(d, m):
    """Sinusoidal positions, scaled to unit length: pairs (sin ω_p l, cos ω_p l)·√(2/m).

    The frequencies fall geometrically, ω_p = 10000^(−2p/m), as in the first Transformer.
    Shapes: m even; returns (d, m) in float64.  Source: Vaswani et al. (2017).

    >>> V = sinusoidal(10, 4)
    >>> V.shape, bool(np.allclose(np.linalg.norm(V, axis=1), 1))
    ((10, 4), True)
    """
    angle = np.arange(d)[:, None] * 10000.0 ** (-2 * np.arange(m // 2) / m)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1) * np.sqrt(2 / m)


def learned_step(task, V, q, rate):
    """One step on queries *and* positions; returns the attention (h, d) after it.

    ∂L/∂q = (∂L/∂s) V and ∂L/∂V = (∂L/∂s)ᵀ q.  Shapes: V (d, m), q (h, m).
    Source: chapter *Why softmax*.
    """
    kind = xorlit.attention("softmax")
    s = q @ V.T
    pull = kind.pullback(s, xorlit.population_gradient(kind.weights(s), task.support))
    return kind.weights((q - rate * pull @ V) @ (V - rate * pull.T @ q).T)


POSITIONS = {
    "sphere": lambda d, m, seed: xorlit.sphere(d, m, rng=seed, dtype="float64").array,
    "balanced": lambda d, m, seed: xorlit.balanced(d, m, rng=seed, dtype="float64").array,
    "sinusoidal": lambda d, m, seed: sinusoidal(d, m),
    "one-hot": lambda d, m, seed: np.eye(d),
    "learned": lambda d, m, seed: xorlit.sphere(d, m, rng=seed, dtype="float64").array,
}


@experiment(
    "ablation-positions",
    d=256,
    m=64,
    positions=list(POSITIONS),
    factors=[4.0**p for p in range(-1, 9)],
    trials=400,
)
def positions(d, m, positions, factors, trials):
    """One softmax step with other positions, at rates factor·d²√m with the m they have.

    Columns: ``positions``, ``m``, ``factor``, ``trials`` and the counts ``learned`` (loss < 0.1)
    and, after the step, ``collapsed`` and ``missed`` heads.
    """
    rows = []
    for name in positions:
        for factor in factors:
            outcomes = [_position_trial(name, d, m, factor, seed) for seed in range(trials)]
            learned, fates, length = zip(*outcomes, strict=True)
            rows.append(
                {"positions": name, "m": length[0], "factor": factor, "trials": trials,
                 "learned": sum(learned), "collapsed": fates.count("collapsed"),
                 "missed": fates.count("missed")}
            )  # fmt: skip
    return _columns(rows)


def _position_trial(name, d, m, factor, seed):
    task = xorlit.SparseXOR(d, rng=seed)
    V = POSITIONS[name](d, m, seed)
    q = xorlit.antisymmetric_queries(V.shape[1], rng=seed)
    rate = factor * laws.rate(d, V.shape[1]) / 64
    if name == "learned":
        a = learned_step(task, V, q, rate)
    else:
        a = xorlit.attention("softmax").weights(
            (q - rate * xorlit.query_gradient(task, V, q)) @ V.T
        )
    learned = bool(xorlit.population_loss(a, task.support) < 0.1)
    return learned, fate(task.support, a.argmax(axis=1)), V.shape[1]


_GD = [laws.rate(64, 64) / 4**p for p in range(5, -1, -1)]
_ADAM = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]


@experiment(
    "ablation-training",
    d=64,
    m=64,
    rates={
        "gradient descent, squared": _GD,
        "gradient descent, logistic": [4 * rate for rate in _GD],
        "Adam, squared": _ADAM,
        "Adam, logistic": _ADAM,
    },
    steps=40,
    batch=16384,
    seeds=20,
)
def training(d, m, rates, steps, batch, seeds):
    """Softmax on fresh batches, with gradient descent or Adam, squared or logistic loss.

    Columns: ``method``, ``rate``, ``seed`` and, for that run, ``learned_at`` (first step with
    exact mean squared error < 0.1, −1 if none), ``first`` and ``last`` (that error after one step
    and after all), ``fate`` of the heads at the end.
    """
    return _columns(
        [
            {"method": method, "rate": rate, "seed": seed}
            | _fit(method, d, m, rate, steps, batch, seed)
            for method in rates
            for rate in rates[method]
            for seed in range(seeds)
        ]
    )


def _fit(method, d, m, rate, steps, batch, seed):
    import torch
    from torch.nn import functional

    from xorlit.model import TwoHeadAttention

    task, rng = xorlit.SparseXOR(d, rng=seed), np.random.default_rng(seed)
    V, q = xorlit.sphere(d, m, rng=seed), xorlit.antisymmetric_queries(m, rng=seed)
    net = TwoHeadAttention(V.array, q)
    make = torch.optim.Adam if "Adam" in method else torch.optim.SGD
    optimiser = make(net.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        x, y = (torch.from_numpy(t) for t in task.sample(batch, rng))
        if "logistic" in method:
            loss = functional.softplus(-y * net(x)).mean()
        else:
            loss = functional.mse_loss(net(x), y.float())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        weights = net.attention().detach()
        losses.append(float(xorlit.population_loss(weights, task.support)))
    learned = np.flatnonzero(np.array(losses) < 0.1)
    return {
        "learned_at": int(learned[0]) + 1 if len(learned) else -1,
        "first": round(losses[0], 6),
        "last": round(losses[-1], 6),
        "fate": fate(task.support, weights.argmax(dim=1)),
    }
