"""What is equal: the first step written through the weights W_l that every lemma is about."""

from dataclasses import dataclass

import numpy as np

from xorlit import _checks
from xorlit.positions import Positions, sphere
from xorlit.step import antisymmetric_queries
from xorlit.task import SparseXOR


@dataclass(frozen=True)
class Instance:
    """One draw of positions and antisymmetric unit queries, with every quantity of the proof.

    Heads come first; head 2 is head 1 with θ replaced by −θ.  Attributes: ``V`` (d, m), ``theta``
    (m,), ``support`` (i, j), ``outside`` (d,) True off the support; ``scores`` s (2, d);
    ``delta`` s_i − s_j (2,); ``overlap`` r = v_i·v_j; ``product`` ZZ̃ and ``squares`` Z₂Z̃₂, with
    Z = Σe^{s}, Z₂ = Σe^{2s}; ``weights`` W_l (2, d); ``rest`` W at the score 0 (2,); ``pull``
    (ZZ̃/4)(−∇L) (2, m); ``margin`` sign(Δ)·pull·(v_i − v_j) (2,); ``spread``
    X = Σ_{l∉S} W_l (v_l − s_l θ) (2, m); ``noise`` N = X·(v_i − v_j) (2,).
    Made by `instance`.  Source: chapter *The proof*.
    """

    V: np.ndarray
    theta: np.ndarray
    support: tuple[int, int]
    outside: np.ndarray
    scores: np.ndarray
    delta: np.ndarray
    overlap: float
    product: float
    squares: float
    weights: np.ndarray
    rest: np.ndarray
    pull: np.ndarray
    margin: np.ndarray
    spread: np.ndarray
    noise: np.ndarray

    @property
    def heads(self):
        """The position each head goes to at an infinite rate: where its pull is largest."""
        return tuple((self.pull @ self.V.T).argmax(axis=1).tolist())


def instance(task, V, q):
    """Every quantity of the proof for one draw, from the exact decomposition

    (ZZ̃/4)(−∇L) = ½(e^{Δ} v_i + e^{−Δ} v_j) − Σ_l W_l v_l,  Σ_l W_l = cosh Δ.

    Shapes: V `Positions` or (d, m), q (2, m) with q[1] = −q[0] of unit length; float64 inside.
    Raises ``ValueError`` for other queries, more than two relevant bits, or label noise.
    Source: ours; chapter *The proof*.

    >>> import xorlit
    >>> V, q = xorlit.sphere(64, 16, rng=0), xorlit.antisymmetric_queries(16, rng=0)
    >>> instance(xorlit.SparseXOR(64, support=(3, 9)), V, q).weights.sum(axis=1).round(4)
    array([1.0145, 1.0145])
    """
    i, j, V, theta = _arguments(task, V, q)
    first = V @ theta
    s = np.stack([first, -first])
    delta = s[:, i] - s[:, j]
    outside = np.ones(len(V), bool)
    outside[[i, j]] = False
    product, squares = np.exp(s).sum(axis=1).prod(), np.exp(2 * s).sum(axis=1).prod()
    W, rest = _weights(s, delta)
    bits = (np.exp(delta)[:, None] * V[i] + np.exp(-delta)[:, None] * V[j]) / 2
    w = V[i] - V[j]
    pull = bits - W @ V
    inner = np.where(outside, W, 0.0)
    spread = inner @ V - (inner @ first)[:, None] * theta
    return Instance(
        V, theta, (i, j), outside, s, delta, float(V[i] @ V[j]), float(product), float(squares),
        W, rest, pull, np.sign(delta) * (pull @ w), spread, spread @ w,
    )  # fmt: skip


def draw(d, m, rng=None):
    """A random `Instance`: support, sphere positions and antisymmetric queries from ``rng``.

    Raises ``ValueError`` for d < 2 or m < 1.  Source: chapter *The proof*.

    >>> x = draw(64, 32, rng=0)
    >>> sorted(x.heads) == list(x.support)
    True
    """
    task = SparseXOR(d, rng=rng)
    V = sphere(d, m, rng=rng, dtype="float64")
    return instance(task, V, antisymmetric_queries(m, rng=rng))


def _weights(s, delta):
    """W_l = e^{2s_l} Z̃₂/(2ZZ̃) + (d−1)/ZZ̃ − q e^{s_l}/Z with
    q = (Z₂Z̃₂ + 2d(d−1))/(2ZZ̃) − cosh Δ, and the value of the same function at the score 0."""
    d = s.shape[1]
    Z, Z2 = np.exp(s).sum(axis=1), np.exp(2 * s).sum(axis=1)
    square = Z2[::-1] / (2 * Z.prod())  # the factor of e^{2s}: head 1 sees the sums of head 2
    floor = (d - 1) / Z.prod()
    q = (Z2.prod() + 2 * d * (d - 1)) / (2 * Z.prod()) - np.cosh(delta)
    W = square[:, None] * np.exp(2 * s) + floor - (q / Z)[:, None] * np.exp(s)
    return W, square + floor - q / Z


def _arguments(task, V, q):
    if len(task.support) != 2 or task.noise:
        raise ValueError(f"task must have two relevant bits and no noise, got {task}")
    V = Positions.of(V, task.d)
    q = _checks.finite_matrix("q (the queries)", q, 2, V.m).astype(np.float64)
    if not np.array_equal(q[0], -q[1]) or abs(np.linalg.norm(q[0]) - 1) > 1e-6:
        raise ValueError(f"q must hold θ and −θ with |θ| = 1, got rows of sum {q.sum(axis=0)}")
    return (*task.support, V.array.astype(np.float64), q[0])
