"""The problem: sparse XOR.  Chapter *The problem* of the book derives what is used here."""

from dataclasses import dataclass, field

import numpy as np

from xorlit import _checks, randomness

PAGE = 4096  # rows of a sample that share one random stream


@dataclass(frozen=True, init=False)
class SparseXOR:
    """Sparse XOR on d bits: y = −∏_{s∈S} x_s, so y = +1 when two relevant bits differ (k = 2).

    x is uniform on {−1, +1}^d (bit b ↔ 2b − 1) and the support S, of size k ≪ d, is what a
    learner has to find.  With ``noise`` p each sampled label is flipped with probability p.

    Parameters: ``d`` number of bits, at least 2; ``support`` the positions of the relevant bits,
    counted from 0, or None to draw ``k`` of them (default 2) uniformly from ``rng``; ``noise``
    in [0, ½).  Attributes: ``d``, ``support`` (sorted tuple of ints), ``noise``.
    Raises ``ValueError`` for a support that repeats or leaves 0..d−1, for k > d, for bad noise.
    Source: the paper's problem statement (P1 in the ledger); chapter *The problem*.

    >>> task = SparseXOR(d=8, support=(5, 2))
    >>> task.support, int(task.label([1, 1, -1, 1, 1, 1, 1, 1]))
    ((2, 5), 1)
    """

    d: int
    support: tuple[int, ...]
    noise: float = field(default=0.0)

    def __init__(self, d, support=None, noise=0.0, k=None, rng=None):
        d = _checks.integer("d", d, 2)
        noise = _checks.real("noise", noise, 0.0, 0.5)
        key = randomness.key(rng, "SparseXOR")
        if k is not None:
            k = _checks.integer("k", k, 1, d)
        if support is None:
            support = randomness.stream(key).choice(d, size=k or 2, replace=False)
        support = tuple(sorted(_checks.integer("support", s, 0, d - 1) for s in support))
        if len(set(support)) < len(support) or not support:
            raise ValueError(f"support must hold distinct positions, got {support}")
        if k is not None and k != len(support):
            raise ValueError(f"k must be the size of support {support}, got {k}")
        object.__setattr__(self, "d", d)
        object.__setattr__(self, "support", support)
        object.__setattr__(self, "noise", noise)

    def label(self, x):
        """Noiseless labels y = −∏_{s∈S} x_s.  Shapes: x (..., d) of ±1 → int8 (...).

        Raises ``ValueError`` when x is not made of ±1 ({0, 1} bits would give nonsense).
        Source: chapter *The problem*.

        >>> SparseXOR(d=3, support=(0, 2)).label([[1, 1, 1], [1, 1, -1]])
        array([-1,  1], dtype=int8)
        """
        x = _checks.signs("x", x, self.d)
        return -np.prod(x[..., self.support], axis=-1).astype(np.int8)

    def sample(self, n, rng=None):
        """n fresh samples: x int8 (n, d) of ±1, y int8 (n,), flipped with probability ``noise``.

        Rows come in fixed pages, so the first rows of a longer sample from the same seed are the
        same rows; noise flips labels and never changes x.  Raises ``ValueError`` for n < 1.
        Source: chapter *The problem*.

        >>> x, y = SparseXOR(d=100, support=(3, 50)).sample(1000, rng=0)
        >>> x.shape, bool((y == -x[:, 3] * x[:, 50]).all())
        ((1000, 100), True)
        """
        n = _checks.integer("n", n, 1)
        key = randomness.key(rng, "SparseXOR.sample")
        x = np.empty((n, self.d), np.int8)
        flip = np.empty(n, bool)
        for page, start in enumerate(range(0, n, PAGE)):
            rows = slice(start, min(start + PAGE, n))
            words, flip[rows] = self.packed_page(key, page, rows.stop - start)
            x[rows] = randomness.unpack_signs(words, self.d)
        y = self.label(x)
        return x, np.where(flip, -y, y)

    def packed_page(self, key, page, count):
        """The first ``count`` rows of one page of a sample: packed bits, and which labels flip.

        ``key`` is that of `sample`.  Returns uint64 (count, ⌈d/64⌉) as `randomness.packed_bits`
        has them, and bool (count,).  Source: chapter *Learning from examples*.

        >>> task, key = SparseXOR(d=100, support=(3, 50)), randomness.key(0, "SparseXOR.sample")
        >>> words, flip = task.packed_page(key, page=0, count=7)
        >>> words.shape, flip.shape
        ((7, 2), (7,))
        """
        words = randomness.packed_bits(randomness.stream(key, page), count, self.d)
        if not self.noise:
            return words, np.zeros(count, bool)
        return words, randomness.stream(key, page, lane=1).random(count) < self.noise

    def enumerate(self):
        """All 2^d inputs in binary order (first bit slowest, −1 before +1) and their labels.

        Returns X int8 (2^d, d) and Y int8 (2^d,), without noise.  Raises ``ValueError`` above
        d = 20, where the table would no longer fit.  Source: chapter *The problem*.

        >>> X, Y = SparseXOR(d=2, support=(0, 1)).enumerate()
        >>> X.tolist(), Y.tolist()
        ([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1])
        """
        if self.d > 20:
            raise ValueError(f"d must be at most 20 to enumerate 2^d inputs, got {self.d}")
        bits = np.arange(2**self.d)[:, None] >> np.arange(self.d)[::-1] & 1
        X = (2 * bits - 1).astype(np.int8)
        return X, self.label(X)
