"""One step of two softmax heads in two passes over V, in memory or regenerated block by block.

With e_l = e^{s_l−M}, ẽ_l = e^{s̃_l−M̃} (M, M̃ the largest scores so far, as in online softmax) the
first pass adds up six weighted sums, Σ w_l v_l and Σ w_l for w = e, ẽ, e², ẽ², eẽ, e²ẽ²: all that
the gradient needs, because ∂L/∂γ is a polynomial in the weights whose coefficients are such sums.
The second pass evaluates the step.  Sums of blocks merge in any grouping, so any executor can map
the blocks.  Chapter *A hundred million positions* derives it.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from importlib.util import find_spec
from itertools import pairwise

import numpy as np

from xorlit.positions import PAGE

BLOCK = 65536  # rows of a task
FAST_FROM = 2**20  # entries of V from which compiled loops repay the second that loading them takes

# Exponents of (e, ẽ) in the six weights.
POWERS = np.array([(1, 0), (0, 1), (2, 0), (0, 2), (1, 1), (2, 2)])


def gather(rows, q):
    """The sums of the first pass over some rows: maxima (2,) and sums (6, m + 1).

    sums[r] = (Σ_l w_l v_l, Σ_l w_l) for w_l = e_l^a ẽ_l^b, (a, b) = POWERS[r].
    Shapes: rows (n, m), q (2, m), both of one dtype.  Products are taken in that dtype, exponents
    and the last column in float64.  Source: ours; chapter *A hundred million positions*.

    >>> top, sums = gather(np.eye(3), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> top, sums[1]
    (array([1., 0.]), array([1., 1., 1., 3.]))
    """
    top, weights = _weights((q @ rows.T).astype(np.float64))
    vectors = (weights.astype(rows.dtype) @ rows).astype(np.float64)
    return top, np.column_stack([vectors, weights.sum(axis=1)])


def evaluate(rows, q, pull, rate):
    """The second pass over some rows: scores s + η·p with p = v·(−∂L/∂q), and what they add to.

    Shapes: rows (n, m); q, pull (2, m) in their dtype.  Returns the maxima (2,) of the new scores,
    the sums (6, 1) of the new weights, the rows of the maxima (2,) and the largest p (2,).
    Source: ours; chapter *A hundred million positions*.

    >>> evaluate(np.eye(3), np.zeros((2, 3)), np.eye(2, 3), 5.0)[2]
    array([0, 1])
    """
    p = (pull @ rows.T).astype(np.float64)
    s = (q @ rows.T).astype(np.float64) + rate * p
    top, weights = _weights(s)
    return top, weights.sum(axis=1)[:, None], s.argmax(axis=1), p.max(axis=1)


def _weights(s):
    top = s.max(axis=1)
    e, f = np.exp(s - top[:, None])
    return top, np.stack([e, f, e * e, f * f, e * f, (e * f) ** 2])


def merge(first, second):
    """Sums of two sets of rows → sums of both, each shrunk from its own maxima to the common ones.

    Associative up to rounding.  Shapes as in `gather`.
    Source: Milakov & Gimelshein (2018); chapter *A hundred million positions*.

    >>> one = gather(np.eye(2), np.eye(2))
    >>> merge(one, one)[1][0]
    array([2.        , 0.73575888, 2.73575888])
    """
    top = np.maximum(first[0], second[0])
    shrunk = (np.exp(POWERS @ (t - top))[:, None] * sums for t, sums in (first, second))
    return top, sum(shrunk)


def gather_all(V, q, support, executor=None, block=BLOCK):
    """First pass over all of V; returns what `gather` returns.  Shapes: V `Positions`, q (2, m).

    The rows of the support are added in float64, apart from the rest.  ``executor`` is any
    `concurrent.futures.Executor`; None: threads, or none for a single block.
    Source: ours; chapter *A hundred million positions*.

    >>> from xorlit import sphere
    >>> V = sphere(5000, 8, rng=0)
    >>> gather_all(V, np.zeros((2, 8)), support=(3, 4000), block=1000)[1][0, -1]
    np.float64(5000.0)
    """
    function = partial(_gather_block, q=q.astype(V.dtype))
    return reduce(
        merge, _map(function, V, support, executor, block), gather(support_rows(V, support), q)
    )


def evaluate_all(V, q, pull, rate, support, executor=None, block=BLOCK):
    """Second pass over all of V; returns what `evaluate` returns, positions counted in V.

    The last item, the largest p, is over the outsiders alone (−∞ if there is none).
    Shapes: q, pull (2, m); ``support`` two positions.  Executor as for `gather_all`.
    Source: ours; chapter *A hundred million positions*.

    >>> from xorlit import sphere
    >>> V = sphere(5000, 64, rng=0)
    >>> evaluate_all(V, np.zeros((2, 64)), V.array[[3, 4000]], 1.0, (3, 4000), block=1000)[2]
    array([   3, 4000])
    """
    function = partial(_evaluate_block, q=q.astype(V.dtype), pull=pull.astype(V.dtype), rate=rate)
    top, sums, best, _ = evaluate(support_rows(V, support), q, pull, rate)
    first = top, sums, np.asarray(support)[best], np.full(2, -np.inf)
    return reduce(_merge_evaluated, _map(function, V, support, executor, block), first)


def support_rows(V, support):
    """The position vectors of the support, (2, m) in float64.

    Source: chapter *A hundred million positions*.
    """
    return np.concatenate([V.rows(s, s + 1) for s in support]).astype(np.float64)


def _merge_evaluated(first, second):
    wins = second[0] > first[0]
    wins |= (second[0] == first[0]) & (second[2] < first[2])  # the first of equals, as in argmax
    best = np.where(wins, second[2], first[2])
    return *merge(first[:2], second[:2]), best, np.maximum(first[3], second[3])


def gradient(top, sums, q, rows, noise=0.0):
    """∂L/∂q (2, m) and the loss, from the sums of the first pass.

    With γ = e/Z, n_r the normalised sums, A = γ_i γ̃_j, B = γ_j γ̃_i and c = 2E f² − 2λ(A + B):
    ∂L/∂θ = 2|γ̃|² Σγ²v + 4(γ·γ̃) Σγγ̃v − 4 Σγ²γ̃²v − c Σγv − 2λ(A v_i + B v_j), and the twin with
    the heads exchanged.  Shapes: ``rows`` (2, m), the positions of the support.
    Source: ours; chapter *A hundred million positions*.

    >>> V, q = np.eye(4), np.zeros((2, 4))
    >>> slope, loss = gradient(*gather(V, q), q, V[:2])
    >>> slope[0].round(4), round(loss, 4)
    (array([-0.0625, -0.0625,  0.0625,  0.0625]), 0.9062)
    """
    rows = rows.astype(np.float64)
    n = sums / np.prod(sums[:2, -1] ** POWERS, axis=1)[:, None]
    one, other, one_two, other_two, product, square = n[:, :-1]
    norm, twin, dot = n[2:5, -1]
    signal = 1 - 2 * noise
    at = np.exp(q @ rows.T - top[:, None]) / sums[:2, -1:]  # γ and γ̃ on the support
    A, B = at[0, 0] * at[1, 1], at[0, 1] * at[1, 0]
    c = 2 * _square(n) - 2 * signal * (A + B)
    shared = 4 * dot * product - 4 * square
    slope = np.stack([2 * twin * one_two - c * one, 2 * norm * other_two - c * other]) + shared
    slope -= 2 * signal * np.array([[A, B], [B, A]]) @ rows
    return slope, loss(sums, at, noise)


def loss(sums, at, noise=0.0):
    """E(y − f)² = 1 − 2λ(A + B) + E f² from the sums of a pass and the weights on the support.

    Shapes: sums (6, any), of which the last column counts; ``at`` (2, 2), heads first.
    Source: chapter *The loss without sampling*.

    >>> loss(gather(np.eye(3), np.zeros((2, 3)))[1], np.full((2, 2), 1 / 3))
    0.8148148148148149
    """
    n = sums / np.prod(sums[:2, -1] ** POWERS, axis=1)[:, None]
    hits = at[0, 0] * at[1, 1] + at[0, 1] * at[1, 0]
    return float(1 - 2 * (1 - 2 * noise) * hits + _square(n))


def _square(n):
    """E f² = |γ|²|γ̃|² + 2(γ·γ̃)² − 2Σγ²γ̃²."""
    norm, twin, dot, square = n[2:, -1]
    return norm * twin + 2 * dot**2 - 2 * square


def _map(function, V, support, executor, block):
    """``function`` of every block of outsiders, in order."""
    fast = V.d * V.m >= FAST_FROM and V.dtype in (np.float32, np.float64)
    cuts = sorted({*range(0, V.d, block), V.d, *(s + step for s in support for step in (0, 1))})
    # A block takes its rows along, or the recipe that makes them.
    blocks = [  # a list: Dask maps nothing lazier
        (fast, start, stop, V.array[start:stop] if V.stored else V)
        for start, stop in pairwise(cuts)
        if start not in support
    ]
    if executor is not None:
        yield from executor.map(function, blocks)
    elif V.d <= block:
        yield from map(function, blocks)
    else:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            yield from threads.map(function, blocks)


def _gather_block(block, q):
    functions, chunks = _open(*block)
    return reduce(merge, (functions.gather(rows, q) for _, rows in chunks))


def _evaluate_block(block, q, pull, rate):
    functions, chunks = _open(*block)
    parts = ((start, *functions.evaluate(rows, q, pull, rate)) for start, rows in chunks)
    return reduce(
        _merge_evaluated, ((top, sums, best + start, p) for start, top, sums, best, p in parts)
    )


def _open(fast, start, stop, source):
    """The kernels for a block, and its (first position, rows) in pieces that fit a cache."""
    stored = isinstance(source, np.ndarray)
    if fast and find_spec("numba"):
        from xorlit import kernels

        functions, size = kernels, stop - start if stored else PAGE
    else:
        functions, size = sys.modules[__name__], PAGE

    def chunks():
        for low in range(start, stop, size):
            high = min(low + size, stop)
            rows = source[low - start : high - start] if stored else source.rows(low, high)
            rows.flags.writeable = False  # one kind of array, one compiled kernel
            yield low, rows

    return functions, chunks()
