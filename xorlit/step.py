"""Initial queries, one gradient step on the population loss, and its verdict.

Chapter *One step* of the book derives what is computed here.
"""

from dataclasses import dataclass
from itertools import permutations
from math import inf, prod

import numpy as np

from xorlit import _checks, engine, laws, randomness
from xorlit.attentions import attention as attention_kind
from xorlit.population import population_gradient, population_loss
from xorlit.positions import Positions

# Above this weight the six sums of the first pass cancel, and the Jacobian form takes their place.
SATURATED = 0.5


def antisymmetric_queries(m, length=1.0, rng=None):
    """The paper's initial queries: θ uniform on the sphere of radius ``length``, θ̃ = −θ.

    Returns an array (2, m) of float64.  Raises ``ValueError`` for m < 1 or a bad length.
    Source: the paper's initialisation (P4); chapter *One step*.

    >>> q = antisymmetric_queries(m=16, rng=0)
    >>> bool((q[1] == -q[0]).all()), round(float(np.linalg.norm(q[0])), 12)
    (True, 1.0)
    """
    theta = _on_sphere(1, m, length, randomness.key(rng, "antisymmetric_queries"))[0]
    return np.stack([theta, -theta])


def independent_queries(m, heads=2, length=1.0, rng=None):
    """Queries drawn independently and uniformly on the sphere of radius ``length``.

    Returns an array (heads, m) of float64.  Raises ``ValueError`` for m < 1, heads < 1 or a bad
    length.  Source: ours; chapters *One step* and *When one step fails*.

    >>> independent_queries(m=16, heads=3, rng=0).shape
    (3, 16)
    """
    heads = _checks.integer("heads", heads, 1)
    return _on_sphere(heads, m, length, randomness.key(rng, "independent_queries"))


def _on_sphere(rows, m, length, key):
    m = _checks.integer("m", m, 1)
    length = _checks.real("length", length, 0.0)
    g = randomness.stream(key).standard_normal((rows, m))
    return length * g / np.linalg.norm(g, axis=1, keepdims=True)


def scores(V, q):
    """Scores s_{h,l} = q_h·v_l in the dtype of ``V``.  Shapes: V (d, m), q (h, m) → (h, d).

    Source: chapter *The model*.

    >>> scores(Positions.of(np.eye(3)), np.array([[1.0, 2.0, 3.0]]))
    array([[1., 2., 3.]])
    """
    q = q.astype(V.dtype)
    if V.stored:
        return q @ V.array.T
    return np.concatenate([q @ rows.T for _, rows in V.blocks()], axis=1)


def query_gradient(task, V, q, attention="softmax"):
    """The population gradient ∂L/∂q = (∂L/∂s) V, with ∂L/∂s pulled back through the attention.

    Shapes: V `Positions` or (d, m), q (heads, m) with one head for each relevant bit; returns
    (heads, m) in float64.  Products are taken in the dtype of V, block by block, and blocks are
    added in float64.  Raises ``ValueError`` for shapes that do not fit, NaN or infinity.
    Source: chapter *One step*.

    >>> from xorlit import SparseXOR
    >>> query_gradient(SparseXOR(d=4, support=(0, 1)), np.eye(4), np.zeros((2, 4))).round(4)
    array([[-0.0625, -0.0625,  0.0625,  0.0625],
           [-0.0625, -0.0625,  0.0625,  0.0625]])
    """
    V, q = _arguments(task, V, q)
    return _query_gradient(task, V, scores(V, q), attention_kind(attention))


def _query_gradient(task, V, s, kind):
    s = s.astype(np.float64)
    g = kind.pullback(s, population_gradient(kind.weights(s), task.support, task.noise))
    g = g.astype(V.dtype)
    return sum((g[:, block] @ rows).astype(np.float64) for block, rows in V.blocks())


@dataclass(frozen=True)
class Step:
    """What one gradient step did; made by `one_step`.

    ``queries`` (heads, m) after the step; ``loss_before``, ``loss`` E(y − f)² before and after
    (against noisy labels if the task has noise); ``heads`` the position of the largest |weight|
    of each head, ``peak`` (heads,) that weight; ``match_margin``, ``find_margin`` how much more
    −(∂L/∂q)·v favours, per unit rate, the bit a head should take over the other relevant bit and
    over the best outsider, the smallest over heads (negative match margin: both heads are drawn
    to the same bit); ``learned`` whether the loss against clean labels is below 0.1.
    Source: chapter *One step*.
    """

    queries: np.ndarray
    loss_before: float
    loss: float
    heads: tuple[int, ...]
    peak: np.ndarray
    find_margin: float
    match_margin: float
    learned: bool


def one_step(task, V, q, rate=None, attention="softmax", executor=None):
    """One step of gradient descent on the population loss, q − η ∂L/∂q, and what came of it.

    Parameters: ``task`` a `SparseXOR`; ``V`` `Positions` or an array (d, m); ``q`` (heads, m),
    one head for each relevant bit; ``rate`` η ≥ 0, None for `laws.rate` (softmax only);
    ``attention`` a kind; ``executor`` any `concurrent.futures.Executor` to map blocks of V with
    (None: threads).  Returns a `Step`.  Weights and losses are computed in float64 from scores in
    the dtype of V, so every rate gives finite numbers.  Two softmax heads need two passes over V
    and the memory of a few blocks; everything else holds (heads, d) arrays and no executor helps.
    Raises ``ValueError`` for shapes that do not fit, NaN, a rate that is negative or not finite,
    and rate=None with another attention than softmax.
    Source: the paper's Theorem 2 (P4); chapter *One step*.

    >>> import xorlit
    >>> task = xorlit.SparseXOR(d=1024, support=(17, 401))
    >>> V, q = xorlit.sphere(1024, 64, rng=0), xorlit.antisymmetric_queries(64, rng=0)
    >>> out = xorlit.one_step(task, V, q)
    >>> out.learned, sorted(out.heads)
    (True, [17, 401])
    """
    V, q = _arguments(task, V, q)
    kind = attention_kind(attention)
    if rate is None:
        if kind.name != "softmax":
            raise ValueError(f"rate must be given for attention {kind.name!r}: no law covers it")
        rate = laws.rate(V.d, V.m)
    rate = _checks.real("rate", rate, 0.0)
    if kind.name == "softmax" and len(q) == 2:
        return _two_passes(task, V, q, rate, executor)
    before = scores(V, q)
    gradient = _query_gradient(task, V, before, kind)
    queries = q - rate * gradient
    a_before = kind.weights(before.astype(np.float64))
    a = kind.weights(scores(V, queries).astype(np.float64))
    peaks = np.abs(a).argmax(axis=1)
    find, match = _margins(task.support, a_before, scores(V, -gradient))
    return Step(
        queries=queries,
        loss_before=float(population_loss(a_before, task.support, task.noise)),
        loss=float(population_loss(a, task.support, task.noise)),
        heads=tuple(peaks.tolist()),
        peak=a[np.arange(len(a)), peaks],
        find_margin=find,
        match_margin=match,
        learned=bool(population_loss(a, task.support) < 0.1),
    )


def _two_passes(task, V, q, rate, executor):
    """`one_step` of two softmax heads by `xorlit.engine`; the numbers agree to rounding."""
    rows = engine.support_rows(V, task.support)
    top, sums = engine.gather_all(V, q, task.support, executor)
    gradient, loss_before = engine.gradient(top, sums, q, rows, task.noise)
    if 1 / sums[:2, -1].min() > SATURATED:
        gradient = _query_gradient(task, V, scores(V, q), attention_kind("softmax"))
    top, sums, heads, outside = engine.evaluate_all(V, q, -gradient, rate, task.support, executor)
    pull = -gradient @ rows.T
    at = np.exp(q @ rows.T + rate * pull - top[:, None]) / sums[:2, -1:]
    a, b = q @ rows.T
    first = 0 if a[0] + b[1] >= a[1] + b[0] else 1  # the bit of head 1, by A against B
    own, other = pull[[0, 1], [first, 1 - first]], pull[[0, 1], [1 - first, first]]
    clean = engine.loss(sums, at)
    return Step(
        queries=q - rate * gradient,
        loss_before=loss_before,
        loss=engine.loss(sums, at, task.noise) if rate else loss_before,
        heads=tuple(heads.tolist()),
        peak=1 / sums[:2, -1],
        find_margin=float(np.min(own - outside)),
        match_margin=float(np.min(own - other)),
        learned=bool(clean < 0.1),
    )


def _margins(support, a, pull):
    """Find and match margin from the weights at the start and the pull −∂L/∂s, both (h, d).

    The bits go to the heads as in the largest term of the permanent: by A against B for two."""
    support = np.asarray(support)
    orders = permutations(support.tolist())
    bits = max(orders, key=lambda order: prod(a[h, s] for h, s in enumerate(order)))
    own = pull[np.arange(len(bits)), bits]
    others = np.array([[s for s in support if s != bit] for bit in bits])
    match = own - np.take_along_axis(pull, others, axis=1).max(axis=1) if len(bits) > 1 else inf
    outside = np.delete(pull, support, axis=1)
    find = own - outside.max(axis=1) if outside.size else inf
    return float(np.min(find)), float(np.min(match))


def _arguments(task, V, q):
    V = Positions.of(V, task.d)
    q = _checks.finite_matrix("q (the queries)", q, len(task.support), V.m)
    return V, q.astype(np.float64)
