"""Two ways to find the support without any network.

Chapter *What needs no network* derives what is computed here.
"""

import numpy as np

from xorlit import _checks


def pair_correlation(x, y):
    """The pair of bits whose product goes most against the label: argmax_{k<l} −Σ y x_k x_l.

    One matrix product xᵀ diag(y) x gives all of them: O(n d²) multiply-adds.  The right pair has
    mean 1 − 2p under label noise p, every other pair mean 0, so `laws.correlation_samples`
    samples are enough, noise or not.
    Shapes: x (n, d) of ±1, y (n,) of ±1; returns a sorted tuple of two positions (the first
    such pair when several tie).  Raises ``ValueError`` for bits or labels that are not ±1.
    Source: textbook; chapter *What needs no network*.

    >>> from xorlit import SparseXOR
    >>> x, y = SparseXOR(d=100, support=(3, 50), noise=0.1).sample(100, rng=0)
    >>> pair_correlation(x, y)
    (3, 50)
    """
    x, y = _sample(x, y)
    f = x.astype(np.float32 if len(x) < 2**24 else np.float64)  # sums of ±1 stay exact
    against = -(f.T * y) @ f
    against[np.tril_indices(x.shape[1])] = -np.inf
    first, second = np.unravel_index(against.argmax(), against.shape)
    return int(first), int(second)


def gf2_solve(x, y):
    """The pair of bits by Gaussian elimination over GF(2), from about d clean samples.

    With bits b = (1 − x)/2, y = −x_i x_j says b_i + b_j = (1 + y)/2 modulo 2: one linear
    equation a sample in the d unknowns "is this bit relevant?".  Rows are packed, 64 unknowns
    to a word, so elimination costs about n d²/128 word operations
    (half of the rows change at each of the d pivots).
    Shapes: x (n, d) of ±1, y (n,) of ±1; returns a sorted tuple of two positions.
    Raises ``ValueError`` for bits or labels that are not ±1; when the samples leave more than
    one solution; and when no pair fits, as happens when one label is wrong.
    Source: textbook; chapter *What needs no network*.

    >>> from xorlit import SparseXOR
    >>> x, y = SparseXOR(d=100, support=(3, 50)).sample(110, rng=0)
    >>> gf2_solve(x, y)
    (3, 50)
    """
    x, y = _sample(x, y)
    d = x.shape[1]
    rows = _packed(np.column_stack([x < 0, y > 0]))
    for column in range(d):
        word, bit = column // 64, np.uint64(1) << np.uint64(column % 64)
        ones = np.flatnonzero(rows[:, word] & bit)
        pivot = ones[ones >= column][:1]
        if not pivot.size:
            raise ValueError(f"x must determine every bit: more samples needed, got {len(x)}")
        rows[[column, pivot[0]]] = rows[[pivot[0], column]]
        ones = np.flatnonzero(rows[:, word] & bit)
        rows[ones[ones != column]] ^= rows[column]
    right = rows[:, d // 64] >> np.uint64(d % 64) & np.uint64(1)
    support = tuple(np.flatnonzero(right[:d]).tolist())
    if right[d:].any() or len(support) != 2:
        raise ValueError("y must be −x_k x_l for one pair of bits in every sample: no pair fits")
    return support


def _sample(x, y):
    x = np.asarray(x)
    if x.ndim != 2 or x.shape[1] < 2 or not len(x):
        raise ValueError(f"x must have shape (n, d) with n ≥ 1 and d ≥ 2, got shape {x.shape}")
    return _checks.signs("x", x, x.shape[1]), _checks.signs("y", np.ravel(y), len(x))


def _packed(bits):
    """Rows of bits as rows of 64-bit words: bit l is bit l mod 64 of word ⌊l/64⌋."""
    octets = np.packbits(bits, axis=1, bitorder="little")
    octets = np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8)))
    return octets.view("<u8").astype(np.uint64)
