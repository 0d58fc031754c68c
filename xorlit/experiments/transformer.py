"""Chapter *The Transformer inside*: what is trained besides the query matrices, and its price."""

import numpy as np

import xorlit
from xorlit.experiments import experiment
from xorlit.experiments.softmax import _columns


def descend(big, task, rate, steps, trained=("query",)):
    """Gradient descent of torch on the matrices ``trained`` of a Transformer, over all inputs.

    Returns the queries K_hᵀ Q_h u/√m it stands for, (steps + 1, 2, m), and its losses
    (steps + 1,); once they are not finite both are inf.  Changes ``big``.
    Source: chapter *The Transformer inside*.
    """
    import torch

    X, Y = (torch.from_numpy(t) for t in task.enumerate())
    for name, parameter in big.named_parameters():
        parameter.requires_grad_(name in trained)
    optimiser = torch.optim.SGD([getattr(big, name) for name in trained], lr=rate)
    queries = np.full((steps + 1, *big.merged_queries().shape), np.inf)
    losses = np.full(steps + 1, np.inf)
    for step in range(steps + 1):
        loss = torch.nn.functional.mse_loss(big(X), Y.to(big.cls.dtype))
        if not torch.isfinite(loss):
            break
        queries[step], losses[step] = big.merged_queries(), loss.item()
        if step < steps:
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return queries, losses


@experiment(
    "transformer-paths",
    d=8,
    m=16,
    factor=0.03,
    steps=50,
    seeds=20,
    variants={
        "queries": ["query"],
        "queries and keys": ["query", "key"],
        "queries and CLS": ["query", "cls"],
        "queries and values": ["query", "value"],
        "everything": ["query", "key", "value", "cls"],
    },
)
def paths(d, m, factor, steps, seeds, variants):
    """How far a trained Transformer strays from descent on the two queries alone.

    Columns: ``variant``, ``step`` and over the seeds the medians of ``distance``, |θ_big − θ|/|θ|,
    and ``loss`` (both cut at 10⁶), and how many runs ``diverged`` up to that step.  The rate is
    factor·d²√m for the queries, divided by |u|² for the Transformer.
    """
    rows = []
    for variant, trained in variants.items():
        runs = [_compare(d, m, factor, steps, seed, trained) for seed in range(seeds)]
        distance, loss = np.minimum(np.moveaxis(runs, 1, 0), 1e6)
        rows += [
            {"variant": variant, "step": t, "distance": np.median(distance[:, t]),
             "loss": np.median(loss[:, t]), "diverged": int((loss[:, t] == 1e6).sum())}
            for t in range(steps + 1)
        ]  # fmt: skip
    return _columns(rows)


def _compare(d, m, factor, steps, seed, trained):
    """Distance and loss after each step, (2, steps + 1), of one Transformer; inf: diverged."""
    from xorlit.model import Transformer, TwoHeadAttention

    task = xorlit.SparseXOR(d, rng=seed)
    V = xorlit.sphere(d, m, rng=seed, dtype="float64")
    q = xorlit.antisymmetric_queries(m, rng=seed)
    rate = factor * d**2 * m**0.5
    hist = xorlit.train(task, V, q, steps, rate)
    big = Transformer.from_two_head(TwoHeadAttention(V.array, q), rng=seed)
    path, loss = descend(big, task, rate / float(big.cls[1:].norm() ** 2), steps, trained)
    with np.errstate(over="ignore"):
        gap = np.linalg.norm(path - hist.queries, axis=(1, 2))
    return gap / np.linalg.norm(hist.queries, axis=(1, 2)), loss
