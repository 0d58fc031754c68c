"""Exact second moments of one example's gradient, for two heads.

With u = a·x, w = b·x and z_l = s a_l + t b_l, E[x_l x_k e^{su + tw}] = tanh z_l tanh z_k ∏ cosh z:
every moment E[x_l x_k u^p w^r] is p! r! times a coefficient of a power series in (s, t).  A series
is a dict {(power of s, power of t): coefficient}, cut off above total degree 6.
"""

from math import comb, factorial

import numpy as np

from xorlit.population import population_gradient

DEGREE = 6


def gradient_covariance(a, support, noise=0.0):
    """Exact covariance of one example's gradient ∂(y − f)²/∂a, for two heads a, ã = b.

    4{E[x_l x_k P] − 2λ E[x_i x_j x_l x_k uwP] + E[x_l x_k u²w²P]} − mean ⊗ mean, with P = w², uw,
    u² in the blocks (1,1), (1,2), (2,2); u = a·x, w = b·x, (i, j) the support, λ = 1 − 2p.
    Shapes: a (2, d) → (2, d, 2, d), at a cost O(d²).  Raises ``ValueError`` for another number of
    heads and whatever `population_gradient` refuses.
    Source: ours; chapter *Learning from examples*.

    >>> C = gradient_covariance(np.eye(2, 4), support=(0, 1))  # learned: no noise is left
    >>> C.shape, float(abs(C).max())
    ((2, 4, 2, 4), 0.0)
    """
    mean = population_gradient(a, support, noise)
    if len(a) != 2:
        raise ValueError(f"a must hold the weights of two heads, got {len(a)}")
    a = np.asarray(a, np.float64)
    cosh, tanh = _series(a)
    second = np.empty((2, a.shape[1], 2, a.shape[1]))
    for h, g, p, r in ((0, 0, 0, 2), (0, 1, 1, 1), (1, 1, 2, 0)):
        block = _moments(tanh, cosh, p, r) + _moments(tanh, cosh, p + 2, r + 2)
        block -= 2 * (1 - 2 * noise) * _signed_moments(tanh, cosh, support, p + 1, r + 1)
        second[h, :, g], second[g, :, h] = 4 * block, 4 * block.T
    return second - np.multiply.outer(mean, mean)


def _series(a):
    """∏_l cosh z_l as a series, and tanh z_l as one with arrays (d,) for coefficients."""

    def powers(terms):
        return {
            (s, r - s): c * comb(r, s) * a[0] ** s * a[1] ** (r - s)
            for r, c in terms
            for s in range(r + 1)
        }

    log = {e: c.sum() for e, c in powers([(2, 1 / 2), (4, -1 / 12), (6, 1 / 45)]).items()}
    square = _times(log, log)
    terms = [({(0, 0): 1.0}, 1), (log, 1), (square, 1 / 2), (_times(square, log), 1 / 6)]
    cosh = {}
    for series, weight in terms:
        for e, c in series.items():
            cosh[e] = cosh.get(e, 0) + weight * c
    return cosh, powers([(1, 1), (3, -1 / 3), (5, 2 / 15)])


def _times(left, right):
    out = {}
    for (s, t), c in left.items():
        for (p, r), e in right.items():
            if s + t + p + r <= DEGREE:
                out[s + p, t + r] = out.get((s + p, t + r), 0) + c * e
    return out


def _moments(tanh, front, p, r):
    """p! r! [s^p t^r] front · tanh z_l tanh z_k for l ≠ k, and without the tanh for l = k."""
    rows = np.stack(list(tanh.values()))
    form = [[front.get((p - s - u, r - t - v), 0.0) for u, v in tanh] for s, t in tanh]
    out = rows.T @ np.array(form) @ rows
    np.fill_diagonal(out, front.get((p, r), 0.0))
    return factorial(p) * factorial(r) * out


def _signed_moments(tanh, cosh, support, p, r):
    """E[x_i x_j x_l x_k u^p w^r]; beside x_i x_j, a bit of the support in x_l x_k cancels."""
    i, j = support
    at_i, at_j = ({e: c[s] for e, c in tanh.items()} for s in support)
    plain = _moments(tanh, cosh, p, r)
    out = _moments(tanh, _times(_times(cosh, at_i), at_j), p, r)
    pair = out[i, i]
    for s, t in ((i, j), (j, i)):
        out[s, :] = out[:, s] = plain[t]
    out[i, i] = out[j, j] = pair
    out[i, j] = out[j, i] = plain[i, i]
    return out
