"""The gradient from n examples: drawn, and averaged exactly, or drawn from its own Gaussian law.

One example moves the gradient in the weights by g_h = 2(y − f) ∏_{g≠h}(a_g·x) x, because
f(x) = −∏_h (a_h·x).  `empirical_gradient` averages g over fresh examples; `surrogate_gradient`
adds to the population gradient Gaussian noise with the covariance of that average.
Chapter *Learning from examples* derives both.
"""

from itertools import islice
from math import sqrt

import numpy as np

from xorlit import _checks, randomness
from xorlit.attentions import attention as attention_kind
from xorlit.moments import gradient_covariance
from xorlit.population import population_gradient
from xorlit.step import _arguments, scores
from xorlit.task import PAGE


def empirical_gradient(
    task, V, q, n, rng=None, attention="softmax", chunk=16 * PAGE, executor=None
):
    """∂/∂q of the mean squared error on n fresh examples, (1/n) Σ_s ∂(y_s − f(x_s))²/∂q.

    The examples are those of ``task.sample(n, rng)``, read page by page as packed bits, so no
    more than a few pages are ever held.  Shapes: V `Positions` or (d, m), q (heads, m) → (heads,
    m) in float64.  ``chunk`` examples, in whole pages, are one piece of work; pieces go through
    ``executor.map`` (None: one after another).  Pages are added in order, so neither changes a
    bit of the result.  Raises ``ValueError`` for shapes that do not fit, n < 1 or chunk < 1.
    Source: ours; chapter *Learning from examples*.

    >>> from xorlit import SparseXOR
    >>> task, q = SparseXOR(d=4, support=(0, 1)), np.zeros((2, 4))
    >>> empirical_gradient(task, np.eye(4), q, n=10**5, rng=0).round(2)
    array([[-0.06, -0.06,  0.06,  0.06],
           [-0.06, -0.06,  0.06,  0.06]])
    """
    V, q = _arguments(task, V, q)
    kind, s = attention_kind(attention), scores(V, q).astype(np.float64)
    key = randomness.key(rng, "SparseXOR.sample")
    _, gradient = streamed(task, kind.weights(s), n, key, chunk, executor)
    return to_queries(V, s, kind, gradient)


def streamed(task, a, n, key, chunk=16 * PAGE, executor=None):
    """Mean squared error and its gradient ∂/∂a over the first n examples of ``key``'s pages.

    Shapes: a (heads, d) → a float and (heads, d).  The rest as `empirical_gradient`.
    Source: chapter *Learning from examples*.

    >>> from xorlit import SparseXOR
    >>> task, key = SparseXOR(d=4, support=(0, 1)), randomness.key(0, "SparseXOR.sample")
    >>> streamed(task, np.zeros((2, 4)), 10**4, key)[0]
    1.0
    """
    n, pages = _checks.integer("n", n, 1), -(-_checks.integer("chunk", chunk, 1) // PAGE)
    padded = np.concatenate([a, np.zeros((len(a), -task.d % 64))], axis=1)
    work = _PageSums(task, key, n, _tables(padded.T))
    last = -(-n // PAGE)
    pieces = (range(p, min(p + pages, last)) for p in range(0, last, pages))
    apply, loss, gradient = (executor.map if executor else map), 0.0, np.zeros(a.shape)
    while window := list(islice(pieces, 64)):  # so that of any n only a part is ever queued
        for sums in apply(work, window):
            for page_loss, page_gradient in sums:
                loss += page_loss
                gradient += page_gradient
    return loss / n, gradient / n


def stored(x, y, a):
    """Mean squared error and its gradient ∂/∂a over given examples, in the dtype of x.

    Shapes: x (n, d) floats of ±1, y (n,), a (heads, d) → a float and (heads, d).
    Source: chapter *Learning from examples*.

    >>> x, y = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([-1.0, 1.0])
    >>> loss, gradient = stored(x, y, np.eye(2))
    >>> loss, bool((gradient == 0).all())
    (0.0, True)
    """
    loss, residual = _residual(x @ a.T.astype(x.dtype), y)
    return float(loss) / len(x), (residual.T @ x / len(x)).astype(np.float64)


def _residual(u, y):
    """Σ_s (y_s − f_s)², and r_h = 2(y − f) ∏_{g≠h} u_g, so that Σ_s r_s x_s is its gradient."""
    error = y + u.prod(axis=1)
    others = np.stack([np.delete(u, h, axis=1).prod(axis=1) for h in range(u.shape[1])], axis=1)
    return np.square(error).sum(dtype=np.float64), 2 * error[:, None] * others


def to_queries(V, s, kind, gradient):
    """∂L/∂q = (∂L/∂s) V from ∂L/∂a, pulled back through the attention ``kind`` at the scores s.

    Shapes: s and ``gradient`` (heads, d), V `Positions` → (heads, m).
    Source: chapter *Learning from examples*.

    >>> from xorlit.positions import Positions
    >>> V, linear = Positions.of(np.eye(2)), attention_kind("linear")
    >>> to_queries(V, np.zeros((1, 2)), linear, np.array([[3.0, 4.0]]))
    array([[3., 4.]])
    """
    g = kind.pullback(s, gradient).astype(V.dtype)
    return sum((g[:, block] @ rows).astype(np.float64) for block, rows in V.blocks())


class _PageSums:
    """Σ_s g(x_s) over each of some pages; picklable, so that any executor will do.

    Both products with the bits are table look-ups on the packed octets: u_h = a_h·x reads the
    bits of one example, Σ_s r_s x_s the bits of eight examples at one position.
    """

    def __init__(self, task, key, n, tables):
        self.task, self.key, self.n, self.tables = task, key, n, tables

    def __call__(self, pages):
        return [self._page(page) for page in pages]

    def _page(self, page):
        words, flip = self.task.packed_page(self.key, page, min(PAGE, self.n - page * PAGE))
        octets = words.astype("<u8", copy=False).view(np.uint8)
        u = _look_up(self.tables, np.ascontiguousarray(octets.T))
        y = -np.prod([_signs(words, s) for s in self.task.support], axis=0)
        loss, residual = _residual(u, np.where(flip, -y, y))
        residual = np.concatenate([residual, np.zeros((-len(u) % 8, u.shape[1]))])
        gradient = _look_up(_tables(residual), _transposed(octets)).T
        return float(loss), gradient[:, : self.task.d]


def _signs(words, position):
    return 2.0 * (words[:, position // 64] >> np.uint64(position % 64) & np.uint64(1)) - 1


def _tables(values):
    """All 256 signed sums of each eight rows.  Shapes: (8B, h) → (B, 256, h)."""
    values = values.reshape(-1, 8, values.shape[1])
    low, high = _half_table(values[:, :4]), _half_table(values[:, 4:])
    tables = np.empty((len(values), 16, 16, values.shape[2]))
    np.add(high[..., :, None], low[..., None, :], out=np.moveaxis(tables, 3, 0))
    return tables.reshape(len(values), 256, -1)


def _half_table(values):
    """The 16 signed sums of each four rows: bit b of the index is the sign of row b."""
    sums = np.zeros((values.shape[2], len(values), 1))
    for row in values.transpose(1, 2, 0)[..., None]:
        sums = np.concatenate([sums - row, sums + row], axis=2)
    return sums


def _look_up(tables, codes):
    """Σ_b tables[b, codes[b]].  Shapes: (B, 256, h), codes (B, r) uint8 → (r, h)."""
    r, heads = codes.shape[1], tables.shape[2]
    total, size = np.zeros((r, heads)), 2**14 // r if r < 2048 else 1
    for start in range(0, len(codes), size):
        part, code = tables[start : start + size], codes[start : start + size]
        if size == 1:
            total += part[0].take(code[0], axis=0)
        else:  # short rows go several at a time, or the calls would cost more than the look-ups
            code = code + 256 * np.arange(len(part))[:, None]
            total += part.reshape(-1, heads).take(code, axis=0).sum(axis=0)
    return total


def _transposed(octets):
    """Eight examples at one position in an octet: (r, B) uint8 → (⌈r/8⌉, 8B) uint8."""
    padded = np.zeros((len(octets) + -len(octets) % 8, octets.shape[1]), np.uint8)
    padded[: len(octets)] = octets
    blocks = np.ascontiguousarray(padded.reshape(-1, 8, octets.shape[1]).transpose(0, 2, 1))
    square = blocks.view("<u8")[..., 0].astype(np.uint64)
    # the 8 × 8 bits of a word are transposed by three rounds of swaps across the diagonal
    for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0xF0F0F0F0)):
        swap = (square ^ (square >> np.uint64(shift))) & np.uint64(mask)
        square ^= swap ^ (swap << np.uint64(shift))
    return square.astype("<u8", copy=False).view(np.uint8).reshape(len(square), -1)


def surrogate_gradient(task, V, q, n, rng=None, attention="softmax", exact=False):
    """`empirical_gradient` in law, for two heads, with no examples drawn: population + noise.

    The noise in the weights is Gaussian with covariance C/n.  Leading order, right while both
    heads are spread over many positions: C = 4 [[|ã|², a·ã], [a·ã, |a|²]] ⊗ I, at a cost O(dm)
    whatever n.  ``exact=True`` takes C from `gradient_covariance` at a cost O(d³).
    Shapes, returns and errors as `empirical_gradient`.
    Source: ours; chapter *Learning from examples*.

    >>> from xorlit import SparseXOR
    >>> task, q = SparseXOR(d=4, support=(0, 1)), np.zeros((2, 4))
    >>> surrogate_gradient(task, np.eye(4), q, n=10**15, rng=0).round(4)
    array([[-0.0625, -0.0625,  0.0625,  0.0625],
           [-0.0625, -0.0625,  0.0625,  0.0625]])
    """
    V, q = _arguments(task, V, q)
    n = _checks.integer("n", n, 1)
    if len(q) != 2:
        raise ValueError(f"q must hold two queries, got {len(q)}: the law is known for two heads")
    kind, s = attention_kind(attention), scores(V, q).astype(np.float64)
    a = kind.weights(s)
    z = randomness.stream(randomness.key(rng, "surrogate_gradient")).standard_normal(a.shape)
    if exact:
        covariance = gradient_covariance(a, task.support, task.noise)
        noise = (_root(covariance.reshape(a.size, a.size)) @ z.ravel()).reshape(a.shape)
    else:
        noise = _root(4 * (a @ a.T)[::-1, ::-1]) @ z
    mean = population_gradient(a, task.support, task.noise)
    return to_queries(V, s, kind, mean + noise / sqrt(n))


def _root(covariance):
    """The symmetric square root of a positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
