"""The two passes over rows of V as compiled loops: the optional extra ``fast`` (numba).

`xorlit.engine` calls these when numba is installed and V is large; its NumPy functions of the same
names do the same work more slowly.  A tile of rows is read from memory once, for its scores, and
again from the first-level cache, for its weighted sums.
"""

import math

import numpy as np
from numba import njit

TILE = (
    128  # rows of a tile: with 128 float32 numbers each they fill an eighth of a second-level cache
)
NOTHING = 50.0  # e^−50 of the largest weight: below the rounding of a sum of 10⁸ weights

# Sums may be reordered (that is what makes them vectors); infinities keep their meaning.
_compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})


@_compiled
def gather(rows, q):
    """Maxima (2,) of the scores and the six weighted sums (6, m + 1); see `engine.gather`."""
    n, m = rows.shape
    mirrored = True  # θ̃ = −θ: one score a row, and e·ẽ is the same for every row
    for k in range(m):
        mirrored &= q[0, k] == -q[1, k]
    top = np.full(2, -np.inf)
    sums = np.zeros((6, m + 1))
    tile_sums = np.zeros((6, m), rows.dtype)
    weights = np.zeros((6, TILE + 1), rows.dtype)
    s = np.zeros((2, TILE))
    for start in range(0, n, TILE):
        tile = rows[start : start + TILE]
        _scores(tile, q[0], s[0])
        if mirrored:
            s[1] = -s[0]
        else:
            _scores(tile, q[1], s[1])
        _raise_top(s, len(tile), mirrored, top, sums)
        _weigh(s, len(tile), mirrored, top, weights, sums)
        tile_sums[:] = 0
        _add_five(tile, weights, tile_sums)
        if not mirrored:
            _add_last(tile, weights[5], tile_sums[5])
        for r in range(6):
            for k in range(m):
                sums[r, k] += tile_sums[r, k]
    if mirrored:
        both = math.exp(-top[0] - top[1])
        sums[5] = sums[4] * both * both
        sums[4] *= both
    return top, sums


@_compiled
def _scores(tile, q, s):
    for row in range(len(tile)):
        total = tile.dtype.type(0)
        for k in range(len(q)):
            total += tile[row, k] * q[k]
        s[row] = total


@_compiled
def _raise_top(s, count, mirrored, top, sums):
    """The running maximum: when it grows, what was summed so far shrinks to fit."""
    shrink = np.ones(2)
    for h in range(2):
        largest = top[h]
        for row in range(count):
            largest = max(largest, s[h, row])
        if largest > top[h]:
            shrink[h] = math.exp(top[h] - largest)
            top[h] = largest
    if shrink[0] < 1 or shrink[1] < 1:
        both = 1.0 if mirrored else shrink[0] * shrink[1]
        for r, factor in enumerate(
            (shrink[0], shrink[1], shrink[0] ** 2, shrink[1] ** 2, both, both**2)
        ):
            sums[r] *= factor


@_compiled
def _weigh(s, count, mirrored, top, weights, sums):
    """The weights e, ẽ, e², ẽ², eẽ, e²ẽ² of a tile, and their sums into the last column.

    For mirrored queries rows 4 and 5 are left to the end: eẽ = e^{−M−M̃} for every row."""
    last = sums.shape[1] - 1
    spread = top[0] + top[1]
    for row in range(count):
        s[0, row] = math.exp(s[0, row] - top[0])
    if mirrored and spread < 600:  # ẽ = e^{−s−M̃} is e^{−M−M̃}/e, and e is far from underflow
        scale = math.exp(-spread)
        for row in range(count):
            s[1, row] = scale / s[0, row]
    else:
        for row in range(count):
            s[1, row] = math.exp(s[1, row] - top[1])
    for row in range(count):
        e, f = s[0, row], s[1, row]
        both = 1.0 if mirrored else e * f
        weights[0, row], weights[1, row], weights[2, row] = e, f, e * e
        weights[3, row], weights[4, row], weights[5, row] = f * f, both, both * both
        sums[0, last] += e
        sums[1, last] += f
        sums[2, last] += e * e
        sums[3, last] += f * f
        sums[4, last] += both
        sums[5, last] += both * both
    weights[:, count] = 0  # the partner of a last row without one


@_compiled
def _add_five(tile, w, out):
    """out[r] += Σ_l w[r, l] tile[l] for r < 5, two rows at a time so that registers suffice."""
    n, m = tile.shape
    for l in range(0, n, 2):  # noqa: E741
        r = l + 1 if l + 1 < n else l
        a0, a1, a2, a3, a4 = w[0, l], w[1, l], w[2, l], w[3, l], w[4, l]
        b0, b1, b2, b3, b4 = w[0, l + 1], w[1, l + 1], w[2, l + 1], w[3, l + 1], w[4, l + 1]
        for k in range(m):
            x, y = tile[l, k], tile[r, k]
            out[0, k] += a0 * x + b0 * y
            out[1, k] += a1 * x + b1 * y
            out[2, k] += a2 * x + b2 * y
            out[3, k] += a3 * x + b3 * y
            out[4, k] += a4 * x + b4 * y


@_compiled
def _add_last(tile, w, out):
    for row in range(len(tile)):
        for k in range(len(out)):
            out[k] += w[row] * tile[row, k]


@_compiled
def evaluate(rows, q, pull, rate):
    """What the step does to these rows; see `engine.evaluate`."""
    n, m = rows.shape
    mirrored = True
    for k in range(m):
        mirrored &= q[0, k] == -q[1, k]
    top, largest = np.full(2, -np.inf), np.full(2, -np.inf)
    best = np.zeros(2, np.int64)
    sums = np.zeros((6, 1))
    s, p = np.zeros(2), np.zeros(2)
    zero = rows.dtype.type(0)
    for row in range(n):
        x = rows[row]
        s0, p0, p1 = zero, zero, zero
        for k in range(m):
            s0 += x[k] * q[0, k]
            p0 += x[k] * pull[0, k]
            p1 += x[k] * pull[1, k]
        s1 = -s0
        if not mirrored:
            s1 = zero
            for k in range(m):
                s1 += x[k] * q[1, k]
        p[0], p[1] = p0, p1
        s[0], s[1] = s0 + rate * p[0], s1 + rate * p[1]
        largest[0], largest[1] = max(largest[0], p[0]), max(largest[1], p[1])
        _count(s, row, top, best, sums)
    return top, sums, best, largest


@_compiled
def _count(s, row, top, best, sums):
    if s[0] > top[0] or s[1] > top[1]:
        f = math.exp(min(top[0] - s[0], 0.0))
        g = math.exp(min(top[1] - s[1], 0.0))
        for r, factor in enumerate((f, g, f * f, g * g, f * g, (f * g) ** 2)):
            sums[r, 0] *= factor
        for h in range(2):
            if s[h] > top[h]:
                top[h], best[h] = s[h], row
    e = math.exp(s[0] - top[0]) if s[0] - top[0] > -NOTHING else 0.0
    f = math.exp(s[1] - top[1]) if s[1] - top[1] > -NOTHING else 0.0
    if e > 0 or f > 0:
        sums[0, 0] += e
        sums[1, 0] += f
        sums[2, 0] += e * e
        sums[3, 0] += f * f
        sums[4, 0] += e * f
        sums[5, 0] += e * f * e * f
