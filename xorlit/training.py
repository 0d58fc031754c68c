"""Many steps of gradient descent, with a history of what the heads did.

Where the gradient comes from is one function of (step, queries), made by `_source`; everything
else is the same whichever it is: the population, fresh examples at every step, or a fixed sample.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from xorlit import _checks, randomness
from xorlit import samples as _samples
from xorlit.attentions import attention as attention_kind
from xorlit.population import population_loss
from xorlit.step import _arguments, _query_gradient, scores

EXACT = 12  # up to this d the accuracy is a mean over all 2^d inputs
TEST = 4096  # above it, over this many fresh inputs, the same ones at every step


@dataclass(frozen=True)
class History:
    """What `train` saw, entry t after t steps, t = 0 … steps.

    ``loss`` (t,) E(y − f)² over all inputs, against noisy labels if the task has noise;
    ``accuracy`` (t,) P(sign f = y) against clean labels, with sign 0 = +1; ``weights`` (t, h, k)
    of head h on the k relevant positions; ``heads`` (t, h) the position of the largest |weight|;
    ``queries`` (t, h, m); ``sample_loss`` (t,) the mean squared error on the examples that the
    gradient at step t came from (``loss`` itself when that is the population); ``diverged``
    whether a loss or the queries stopped being finite: from there on both losses are inf and
    every other entry keeps its last finite value.
    Source: chapter *Why softmax*.
    """

    loss: np.ndarray
    accuracy: np.ndarray
    weights: np.ndarray
    heads: np.ndarray
    queries: np.ndarray
    sample_loss: np.ndarray
    diverged: bool


def train(
    task, V, q, steps, rate, attention="softmax", samples=None, batch=None, normalised=False,
    rng=None,
):  # fmt: skip
    """Gradient descent q ← q − η ∂L/∂q, ``steps`` times; returns a `History`.

    Parameters: ``task``, ``V``, ``q`` (heads, m) and ``attention`` as in `one_step`; ``steps``
    ≥ 1; ``rate`` η ≥ 0; ``samples`` where the gradient comes from: None for the population,
    "fresh" for ``batch`` new examples at every step, or a number n for one fixed sample, that of
    ``task.sample(n)``; ``normalised`` whether each step has length η, q ← q − η ∂L/∂q / |∂L/∂q|;
    ``rng`` seeds whatever is sampled.  Loss and weights are exact at every step.  The accuracy
    is exact up to d = 12; above that it is estimated on 4096 fresh inputs, drawn once for all
    steps (standard error at most 0.008).  Every rate gives finite numbers or ``diverged``.
    Raises ``ValueError`` for shapes that do not fit, NaN, or a bad number of steps, rate,
    samples or batch.
    Source: the paper, Section 3.2 as summarised (P7); chapter *Why softmax*.

    >>> import xorlit
    >>> task = xorlit.SparseXOR(d=8, support=(1, 5))
    >>> V, q = xorlit.sphere(8, 16, rng=0), xorlit.independent_queries(16, rng=0)
    >>> h = train(task, V, q, steps=100, rate=0.3, attention="linear")
    >>> h.loss.shape, h.loss[-1] < 0.01, h.accuracy[-1], sorted(h.heads[-1].tolist())
    ((101,), np.True_, np.float64(1.0), [1, 5])
    """
    V, q = _arguments(task, V, q)
    kind = attention_kind(attention)
    steps = _checks.integer("steps", steps, 1)
    rate = _checks.real("rate", rate, 0.0)
    key = randomness.key(rng, "train")
    source = _source(task, V, kind, samples, batch, key)
    accuracy = _accuracy(task, randomness.stream(key))
    entries, diverged = [], False
    with np.errstate(over="ignore", invalid="ignore"):
        for step in range(steps + 1):
            entry = _entry(task, V, q, kind, accuracy)
            if entry is None:
                diverged = True
                break
            sample_loss, gradient = source(step, q)
            if samples is None:
                sample_loss = entry[0]
            entries.append((*entry, sample_loss if np.isfinite(sample_loss) else np.inf))
            if normalised:
                gradient = gradient / max(np.linalg.norm(gradient), np.finfo(float).tiny)
            q = q - rate * gradient
    # finite arguments give a finite first entry, unless they are near the end of float64
    if not entries:
        raise ValueError("q (the queries) must be smaller: the loss overflows before any step")
    entries += [(np.inf, *entries[-1][1:-1], np.inf)] * (steps + 1 - len(entries))
    columns = (np.array(column) for column in zip(*entries, strict=True))
    return History(*columns, diverged)


def _source(task, V, kind, samples, batch, key):
    """The function (step, queries) → (loss, ∂L/∂q) on whatever ``samples`` asks for."""
    if (batch is not None) != (isinstance(samples, str) and samples == "fresh"):
        raise ValueError(f'batch must be given with samples="fresh" only, got {batch!r}')
    if samples is None:
        return lambda step, q: (None, _query_gradient(task, V, scores(V, q), kind))
    if batch is not None:
        n = _checks.integer("batch", batch, 1)

        def mean(step, a):
            fresh = randomness.key(randomness.stream(key, page=step, lane=1), "SparseXOR.sample")
            return _samples.streamed(task, a, n, fresh)

    else:
        n = _checks.integer('samples (None, "fresh" or a number)', samples, 1)
        x, y = (t.astype(V.dtype) for t in task.sample(n, randomness.stream(key, lane=1)))

        def mean(step, a):
            return _samples.stored(x, y, a)

    def source(step, q):
        s = scores(V, q).astype(np.float64)
        loss, gradient = mean(step, kind.weights(s))
        return loss, _samples.to_queries(V, s, kind, gradient)

    return source


def _entry(task, V, q, kind, accuracy):
    """Loss, accuracy, weights on the support, heads, queries; None once they are not finite."""
    if not np.isfinite(q).all():
        return None
    a = kind.weights(scores(V, q).astype(np.float64))
    if not np.isfinite(a).all():
        return None
    loss = float(population_loss(a, task.support, task.noise))
    if not np.isfinite(loss):
        return None
    return loss, accuracy(a), a[:, task.support], np.abs(a).argmax(axis=1), q


def _accuracy(task, rng):
    """The function a (h, d) → P(sign f = y), by enumeration or on one fresh test set."""
    x = task.enumerate()[0] if task.d <= EXACT else task.sample(TEST, rng)[0]
    y = task.label(x)
    x = x.astype(np.float64)

    def accuracy(a):
        # from the signs of the factors, whose product −f may overflow or underflow
        factors = np.sign(a @ x.T)
        f_is_positive = prod(factors) <= 0  # 0 counts as positive
        return float(np.mean(f_is_positive == (y > 0)))

    return accuracy
