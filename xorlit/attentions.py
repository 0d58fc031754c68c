"""Attention kinds: from scores s_l = v_l·θ to weights γ_l, and the pull-back of a gradient.

If a loss L depends on the scores through γ, then ∂L/∂s = Jᵀ ∂L/∂γ with J = ∂γ/∂s; ``pullback``
computes that product without forming J.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Attention:
    """One kind of attention.

    Attributes: ``name``; ``weights(scores)``, scores (h, d) → weights (h, d);
    ``pullback(scores, grad)``, ∂L/∂γ (h, d) → ∂L/∂s (h, d).  Obtained from `attention`.
    Source: chapter *The model* (softmax), chapter *Why softmax* (linear, erf).

    >>> attention("softmax").weights(np.zeros((2, 4)))[0]
    array([0.25, 0.25, 0.25, 0.25])
    """

    name: str
    weights: Callable
    pullback: Callable


def _softmax(scores):
    # With the maximum removed every exponent is ≤ 0: no score overflows, however large the rate.
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True, dtype=np.float64)).astype(e.dtype, copy=False)


def _softmax_pullback(scores, grad):
    gamma = _softmax(scores)
    mean = (gamma * grad).sum(axis=-1, keepdims=True, dtype=np.float64)
    return gamma * (grad - mean)


def _erf(scores):
    from scipy.special import erf  # here, so that softmax users never wait for scipy

    return erf(scores)


def _erf_pullback(scores, grad):
    return 2 / np.sqrt(np.pi) * np.exp(-np.square(scores)) * grad


_KINDS = {
    "softmax": Attention("softmax", _softmax, _softmax_pullback),
    "linear": Attention("linear", lambda scores: scores, lambda scores, grad: grad),
    "erf": Attention("erf", _erf, _erf_pullback),
}


def attention(name):
    """The attention kind called ``name``: "softmax", "linear" or "erf".

    softmax: γ_l = e^{s_l}/Σ_k e^{s_k}, ∂L/∂s = γ∘(∂L/∂γ − γ·∂L/∂γ); linear: γ_l = s_l;
    erf: γ_l = erf(s_l), ∂L/∂s_l = (2/√π) e^{−s_l²} ∂L/∂γ_l.  Shapes (h, d) throughout.
    An `Attention` is returned as it is; another name raises ``ValueError``.
    Source: the paper, Section 3.2 as summarised (P7); chapters *The model*, *Why softmax*.

    >>> attention("linear").weights(np.array([[1.0, 2.0]]))
    array([[1., 2.]])
    """
    if isinstance(name, Attention):
        return name
    if name not in _KINDS:
        raise ValueError(f"attention must be one of {', '.join(_KINDS)}, got {name!r}")
    return _KINDS[name]
