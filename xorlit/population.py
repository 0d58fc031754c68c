"""The loss and its gradient over all 2^d inputs, exactly and without sampling.

For independent Rademacher bits the mean of a product of linear forms is a finite sum:

    E ∏_a (u_a·x) = Σ over partitions of the factors into even blocks of
                    ∏_blocks κ_|B| Σ_i ∏_{a∈B} u_{a,i},

κ_2 = 1, κ_4 = −2, κ_6 = 16, … being the cumulants of a fair sign.  The square of the prediction
has every head twice, so a block is named by how often it holds each head: an exponent vector such
as (2, 0), (1, 1) or (2, 2).  Chapter *The loss without sampling* derives all of it.
"""

from functools import cache
from itertools import permutations, product
from math import comb, prod

from array_api_compat import array_namespace

from xorlit import _checks


def population_loss(a, support, noise=0.0):
    """The exact mean squared error E(y − f)² = 1 − 2λ E[yf] + E f² over all 2^d inputs.

    f(x) = −∏_h (a_h·x), y = −∏_{s∈S} x_s flipped with probability p = ``noise``, λ = 1 − 2p.
    E[yf] is the permanent of the k×k block of a on the support; E f² is the sum over even
    partitions.  For two heads E f² = |a|²|ã|² + 2(a·ã)² − 2Σ a_l²ã_l².

    Shapes: a (h, d), a NumPy array or torch tensor; ``support`` h distinct positions.  Returns a
    0-d value in float64, in the library of ``a``, with its gradient if a tensor asks for one.
    The cost is O(d) for a fixed number of heads.  Raises ``ValueError`` for another shape, a
    support that does not fit, NaN, or noise outside [0, ½).
    Source: ours; chapter *The loss without sampling*.

    >>> import numpy as np
    >>> float(population_loss(np.eye(2, 6), support=(0, 1)))
    0.0
    >>> float(population_loss(np.zeros((2, 6)), support=(0, 1)))
    1.0
    """
    xp, support, signal = _arguments(a, support, noise)
    sums = {block: _total(xp, a, block) for block in _blocks(len(a))}
    square = sum(c * prod(sums[b] for b in blocks) for blocks, c in _partitions(len(a)))
    hits = sum(prod(a[h, s] for h, s in enumerate(order)) for order in permutations(support))
    return 1 - 2 * signal * xp.astype(hits, xp.float64) + square


def population_gradient(a, support, noise=0.0):
    """∂/∂a_{h,l} of `population_loss`, entry by entry, as free numbers.

    For two heads ∂L/∂a_l = 2a_l|ã|² + 4(a·ã)ã_l − 4a_lã_l² − 2λ(ã_{j*}[l=i*] + ã_{i*}[l=j*]).
    Shapes and errors as for `population_loss`; returns an array of the shape, library and dtype
    of ``a``.  Source: ours; chapter *The loss without sampling*.

    >>> import numpy as np
    >>> population_gradient(np.eye(2, 4), support=(0, 1))
    array([[0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    xp, support, signal = _arguments(a, support, noise)
    heads = len(a)
    sums = {block: _total(xp, a, block) for block in _blocks(heads)}
    gradient = xp.zeros_like(a)
    for block in sums:
        # how E f² moves with this block's sum, the other sums held fixed
        slope = sum(
            c * blocks.count(block) * prod(sums[b] for b in _without(blocks, block))
            for blocks, c in _partitions(heads)
            if block in blocks
        )
        slope = xp.astype(xp.asarray(slope, dtype=xp.float64), a.dtype)
        for h, power in enumerate(block):
            if power:
                lower = tuple(p - (g == h) for g, p in enumerate(block))
                gradient[h, :] += power * slope * _monomial(xp, a, lower)
    for order in permutations(support):
        for h, s in enumerate(order):
            others = prod(a[g, t] for g, t in enumerate(order) if g != h)
            gradient[h, s] += -2 * signal * others
    return gradient


def _arguments(a, support, noise):
    xp = array_namespace(a)
    if a.ndim != 2 or not xp.isdtype(a.dtype, "real floating"):
        raise ValueError(f"a must be a floating matrix (h, d), got {a.dtype} of shape {a.shape}")
    if not bool(xp.all(xp.isfinite(a))):
        raise ValueError("a must hold finite numbers, got NaN or infinity")
    heads, d = a.shape
    support = tuple(_checks.integer("support", s, 0, d - 1) for s in support)
    if len(set(support)) != heads or len(support) != heads:
        raise ValueError(
            f"support must hold one distinct position for each of the {heads} heads, got {support}"
        )
    return xp, support, 1 - 2 * _checks.real("noise", noise, 0.0, 0.5)


def _monomial(xp, a, block):
    factors = [a[h, :] for h, power in enumerate(block) for _ in range(power)]
    return prod(factors[1:], start=factors[0]) if factors else xp.ones_like(a[0, :])


def _total(xp, a, block):
    return xp.sum(_monomial(xp, a, block), dtype=xp.float64)


@cache
def _blocks(heads):
    return tuple(b for b in product(range(3), repeat=heads) if any(b) and sum(b) % 2 == 0)


def _partitions(heads):
    """((blocks, coefficient), …): E f² = Σ coefficient · ∏_{b∈blocks} Σ_l ∏_h a_{h,l}^{b_h}."""
    return _even_partitions((2,) * heads)


@cache
def _even_partitions(left):
    """Even partitions of the multiset that holds head h ``left[h]`` times.

    The first factor left joins any odd number of the others; C(n, r) counts which copies."""
    if not any(left):
        return (((), 1),)
    first = next(h for h, n in enumerate(left) if n)
    rest = tuple(n - (h == first) for h, n in enumerate(left))
    table = {}
    for joined in product(*(range(n + 1) for n in rest)):
        if sum(joined) % 2:
            block = tuple(r + (h == first) for h, r in enumerate(joined))
            ways = prod(comb(n, r) for n, r in zip(rest, joined, strict=True))
            remaining = tuple(n - r for n, r in zip(rest, joined, strict=True))
            for blocks, c in _even_partitions(remaining):
                key = tuple(sorted((block, *blocks)))
                table[key] = table.get(key, 0) + ways * _cumulant(sum(block)) * c
    return tuple(table.items())


@cache
def _cumulant(n):
    """κ_n of a fair sign, n even, from its moments (1 for even n, else 0)."""
    return 1 - sum(comb(n - 1, j - 1) * _cumulant(j) for j in range(2, n, 2))


def _without(blocks, block):
    i = blocks.index(block)
    return blocks[:i] + blocks[i + 1 :]
