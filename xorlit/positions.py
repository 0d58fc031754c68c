"""Frozen position vectors v_1 … v_d ∈ R^m, in memory or regenerated from a seed.

Rows come in fixed pages of ``PAGE`` rows, page p from its own random stream.  So a vector depends
on the seed, on m and on its position alone: not on d, the block size, the number of workers or
whether the rows are stored.  The float32 vectors are the float64 ones, rounded.
"""

from functools import partial

import numpy as np

from xorlit import _checks, randomness

PAGE = 1024


class Positions:
    """d position vectors of length m.

    Attributes: ``d``, ``m``, ``dtype``; ``array`` (d, m), read-only.  ``blocks(size)`` yields
    ``(slice, rows)`` in order.  Built by `sphere` and `balanced`, or from an array of your own
    by ``Positions.of(array)``.  Source: chapter *The model*.

    >>> V = Positions.of(np.eye(5))
    >>> V.d, V.m, [rows.shape for _, rows in V.blocks(3)]
    (5, 5, [(3, 5), (2, 5)])
    """

    def __init__(self, d, m, dtype, page, stored=True):
        self.d, self.m, self.dtype = d, m, np.dtype(dtype)
        self._page = page  # page number -> its rows; picklable, so blocks can go to any worker
        self._array = None
        if stored:
            self._array = self._generate(0, d)
            self._array.flags.writeable = False

    @classmethod
    def of(cls, V, d=None):
        """``V`` itself if it is a `Positions`, else an array (d, m) of finite floats, wrapped.

        Raises ``ValueError`` for another shape, for integers, NaN or infinity.

        >>> Positions.of(np.eye(4, 2)).m
        2
        """
        if not isinstance(V, cls):
            array = _checks.finite_matrix("V", V).view()
            array.flags.writeable = False
            V = cls(*array.shape, array.dtype, page=None, stored=False)
            V._array = array
        if d is not None and V.d != d:
            raise ValueError(f"V must hold one row for each of the d = {d} positions, got {V.d}")
        return V

    @property
    def stored(self):
        """Whether the rows are in memory (else they are regenerated whenever they are read)."""
        return self._array is not None

    @property
    def array(self):
        """All rows, (d, m); a ``ValueError`` when they are not stored."""
        if self._array is None:
            raise ValueError("these positions are not stored: read them with .blocks()")
        return self._array

    def rows(self, start, stop):
        """Rows start … stop − 1 as an array (stop − start, m)."""
        return self._generate(start, stop) if self._array is None else self._array[start:stop]

    def blocks(self, size=None):
        """Yield ``(slice, rows)`` in order, ``size`` rows at a time (None: a few pages)."""
        size = 4 * PAGE if size is None else _checks.integer("size", size, 1)
        for start in range(0, self.d, size):
            stop = min(start + size, self.d)
            yield slice(start, stop), self.rows(start, stop)

    def _generate(self, start, stop):
        out = np.empty((stop - start, self.m), self.dtype)
        for page in range(start // PAGE, -(-stop // PAGE)):
            first = page * PAGE
            low, high = max(start, first), min(stop, first + PAGE)
            out[low - start : high - start] = self._page(page, high - first)[low - first :]
        return out

    def __repr__(self):
        kind = "stored" if self.stored else "regenerated from a seed"
        return f"Positions(d={self.d}, m={self.m}, dtype={self.dtype}, {kind})"


def sphere(d, m, rng=None, dtype="float32", stored=True):
    """d independent positions, uniform on the unit sphere S^{m−1}: v = g/|g|, g ~ N(0, I_m).

    Parameters: ``d`` ≥ 2 rows of length ``m`` ≥ 1; ``rng`` as in `xorlit.randomness`; ``dtype``
    float32 or float64 (the same vectors, rounded); ``stored=False`` keeps only the seed and
    regenerates rows when they are read.  Returns `Positions`.  Raises ``ValueError`` otherwise.
    Source: the paper's model (P2); chapter *The model*.

    >>> V = sphere(d=1000, m=16, rng=0, dtype="float64")
    >>> bool(np.allclose(np.linalg.norm(V.array, axis=1), 1))
    True
    """
    d, m, dtype = _sizes(d, m, dtype)
    page = partial(_unit_page, randomness.key(rng, "sphere"), m, None)
    return Positions(d, m, dtype, page, stored)


def balanced(d, m, rng=None, dtype="float32", stored=True):
    """Positions of unit norm **and** zero mean: v_l = (g_l − c)/|g_l − c|, Σ_l v_l = 0.

    c is the geometric median of d Gaussian points g_l, the minimiser of Σ_l |g_l − c|: the
    gradient of that sum is −Σ_l v_l, so it vanishes exactly there.  c is found by Newton's
    method, whose Hessian is Σ_l (I − v_l v_lᵀ)/|g_l − c|.  Parameters and returns as `sphere`,
    with m ≥ 2 and d ≥ 3.  Raises ``ValueError`` too when the median sits on one of the points,
    which happens only for a handful of points in few dimensions.
    Source: ours; chapter *When one step fails*.

    >>> V = balanced(d=500, m=16, rng=0, dtype="float64")
    >>> bool(np.abs(V.array.mean(axis=0)).max() < 1e-12)
    True
    """
    d, m, dtype = _sizes(d, m, dtype)
    if d < 3 or m < 2:
        raise ValueError(f"d must be at least 3 and m at least 2 to balance, got d={d}, m={m}")
    key = randomness.key(rng, "balanced")
    page = partial(_unit_page, key, m, _geometric_median(key, d, m))
    return Positions(d, m, dtype, page, stored)


def _sizes(d, m, dtype):
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    return _checks.integer("d", d, 2), _checks.integer("m", m, 1), dtype


def _gaussian_page(key, m, page, count):
    # Drawn as float32 (half the time) and widened: every later step is in float64.
    normal = randomness.stream(key, page).standard_normal((count, m), np.float32)
    return normal.astype(np.float64)


def _unit_page(key, m, centre, page, count):
    g = _gaussian_page(key, m, page, count)
    if centre is not None:
        g -= centre
    return g / np.sqrt(np.einsum("lm,lm->l", g, g))[:, None]


def _geometric_median(key, d, m, iterations=50):
    centre = np.zeros(m)
    for _ in range(iterations):
        pull, hessian = np.zeros(m), np.zeros((m, m))
        for page, start in enumerate(range(0, d, PAGE)):
            g = _gaussian_page(key, m, page, min(PAGE, d - start)) - centre
            r = np.sqrt(np.einsum("lm,lm->l", g, g))[:, None]
            v = g / r
            pull += v.sum(axis=0)
            hessian += np.eye(m) * (1 / r).sum() - v.T @ (v / r)
        if np.linalg.norm(pull) <= 1e-14 * d:
            return centre
        centre = centre + np.linalg.lstsq(hessian, pull)[0]
        if not np.isfinite(centre).all():
            break
    raise ValueError(
        f"d must be larger: the geometric median of these d={d} points in m={m} dimensions "
        "is one of the points, so they cannot be balanced (or try another rng)"
    )
