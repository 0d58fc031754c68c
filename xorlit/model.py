"""The model as a torch module, with the same outputs as the formulas of the package.

Needs the ``torch`` extra.  Chapter *The model* draws and explains it.
"""

import numpy as np
import torch
from torch import nn

from xorlit import _checks
from xorlit.attentions import attention as attention_kind

_WEIGHTS = {
    "softmax": lambda scores: torch.softmax(scores, dim=-1),
    "linear": lambda scores: scores,
    "erf": torch.special.erf,
}


class TwoHeadAttention(nn.Module):
    """f(x) = −∏_h (γ_h·x) with γ_h = attention(V θ_h): positions are keys, bits are values.

    Parameters: ``positions`` (d, m), frozen (a buffer); ``queries`` (heads, m), trained, and the
    only parameters: 2m numbers for two heads; ``attention`` a kind.  Input (n, d) of ±1, output
    (n,).  In the paper's symbols ``queries`` is (θ, θ̃) and ``attention()`` is (γ, γ̃).
    Raises ``ValueError`` for shapes that do not fit and for inputs that are not ±1.
    Source: the paper's model (P2); chapter *The model*.

    >>> import xorlit
    >>> V, q = xorlit.sphere(8, 4, rng=0), xorlit.antisymmetric_queries(4, rng=0)
    >>> net = TwoHeadAttention(V.array, q)
    >>> tuple(net(torch.ones(3, 8)).shape), sum(p.numel() for p in net.parameters())
    ((3,), 8)
    """

    def __init__(self, positions, queries, attention="softmax"):
        super().__init__()
        self.kind = attention_kind(attention).name
        V = _checks.finite_matrix("positions", positions)
        q = _checks.finite_matrix("queries", queries, columns=V.shape[1])
        self.register_buffer("positions", torch.from_numpy(np.array(V)))
        self.queries = nn.Parameter(torch.from_numpy(q.astype(V.dtype)))

    def attention(self):
        """The attention weights (heads, d) of the queries as they are now."""
        return _WEIGHTS[self.kind](self.queries @ self.positions.T)

    def forward(self, x):
        """Predictions (n,) for inputs (n, d) of ±1."""
        d = len(self.positions)
        if x.ndim != 2 or x.shape[1] != d:
            raise ValueError(f"x must have shape (n, {d}), got {tuple(x.shape)}")
        if not bool((x.abs() == 1).all()):
            raise ValueError("x must hold only -1 and +1 (map a bit b to 2b - 1)")
        return -(x.to(self.positions.dtype) @ self.attention().T).prod(dim=1)
