"""The model as torch modules, with the same outputs as the formulas of the package.

Needs the ``torch`` extra.  Chapter *The model* draws and explains `TwoHeadAttention`, chapter
*The Transformer inside* proves that `Transformer` is the same function with the same learning.
"""

import math

import numpy as np
import torch
from torch import nn
from torch.nn.functional import pad, scaled_dot_product_attention

from xorlit import _checks, randomness
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
        return -(_bits(x, self.positions) @ self.attention().T).prod(dim=1)


def _bits(x, positions):
    """``x`` (n, d) in the dtype of the positions; a ``ValueError`` unless it is made of ±1."""
    d = len(positions)
    if x.ndim != 2 or x.shape[1] != d:
        raise ValueError(f"x must have shape (n, {d}), got {tuple(x.shape)}")
    if not bool((x.abs() == 1).all()):
        raise ValueError("x must hold only -1 and +1 (map a bit b to 2b - 1)")
    return x.to(positions.dtype)


class Transformer(nn.Module):
    """A one-layer encoder of two heads, read at a CLS token: t ← t + Attn(t), t ← t + FFN(t).

    A token is a vector of width w = m + 4: one coordinate of content, m of position, one for
    each head to write to and one for the output.  Token l ≥ 1 holds (x_l, v_l, 0, 0, 0), CLS
    holds (β, u, 0, 0, 0).  Head h takes softmax(K_h Q_h t_CLS / √m) over the tokens that are
    keys.  FFN(t) = W₂ (W₁ t)², whose ab = ((a + b)² − (a − b)²)/4 multiplies the two heads.

    Parameters: ``query`` and ``key`` (2, m, w), ``value`` (2, 1, w), ``cls`` (m + 1); only
    ``query`` is trained unless you ask for more with ``requires_grad_``.  Structural masks,
    buffers of zeros and ones that multiply the matrices: ``position_mask`` (queries and keys
    read positions only), ``content_mask`` (values read content only), and ``is_key`` (every
    token but CLS).  All entries, masked ones too, are drawn from ``rng``; `from_two_head` sets
    those that count.  Input (n, d) of ±1, output (n,).  Raises ``ValueError`` as
    `TwoHeadAttention` does.  Source: the paper's equivalence (P3); chapter *The Transformer
    inside*.

    >>> import xorlit
    >>> V, q = xorlit.sphere(8, 4, rng=0), xorlit.antisymmetric_queries(4, rng=0)
    >>> small, x = TwoHeadAttention(V.array, q), torch.ones(3, 8)
    >>> big = Transformer.from_two_head(small, rng=0)
    >>> bool(torch.allclose(big(x), small(x)))
    True
    """

    def __init__(self, positions, rng=None):
        super().__init__()
        V = torch.from_numpy(np.array(_checks.finite_matrix("positions", positions)))
        m = V.shape[1]
        self.width = w = m + 4
        stream = randomness.stream(randomness.key(rng, "Transformer"))

        def matrix(*shape):
            entries = torch.from_numpy(stream.standard_normal(shape) / math.sqrt(m))
            return nn.Parameter(entries.to(V.dtype), requires_grad=False)

        self.query, self.key = matrix(2, m, w).requires_grad_(), matrix(2, m, w)
        self.value, self.cls = matrix(2, 1, w), matrix(1 + m)
        self.register_buffer("positions", V)
        place = torch.arange(w)
        self.register_buffer("content_mask", (place == 0).to(V.dtype))
        self.register_buffer("position_mask", ((place > 0) & (place <= m)).to(V.dtype))
        self.register_buffer("is_key", torch.arange(1 + len(V)) > 0)
        write, output = torch.eye(w, dtype=V.dtype)[m + 1 : m + 3], torch.eye(w)[-1:].to(V.dtype)
        both = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=V.dtype)
        self.register_buffer("write", write)  # (2, w): where the heads write
        self.register_buffer("ffn_in", both @ write)  # a + b, a − b
        self.register_buffer("ffn_out", both[1:].T @ output / -4)  # f = −((a+b)² − (a−b)²)/4

    def tokens(self, x):
        """The sequence (n, 1 + d, w) for inputs (n, d) of ±1: CLS first, then one for each bit."""
        x = _bits(x, self.positions)
        bits = torch.cat([x[..., None], self.positions.expand(len(x), -1, -1)], dim=-1)
        return pad(torch.cat([self.cls.expand(len(x), 1, -1), bits], dim=1), (0, 3))

    def forward(self, x):
        """Predictions (n,) for inputs (n, d) of ±1: the output coordinate of CLS."""
        t = self.tokens(x)[:, None]  # (n, 1, 1 + d, w): one for all heads
        cls = t[:, :, :1]
        q = cls @ (self.query * self.position_mask).mT
        k = t @ (self.key * self.position_mask).mT
        v = t @ (self.value * self.content_mask).mT
        heads = scaled_dot_product_attention(q, k, v, attn_mask=self.is_key[None])
        stream = cls[:, 0, 0] + heads[:, :, 0, 0] @ self.write
        stream = stream + (stream @ self.ffn_in.T).square() @ self.ffn_out
        return stream[:, -1]

    @classmethod
    def from_two_head(cls, net, rng=None):
        """The Transformer of a softmax `TwoHeadAttention`: K_h = √m I, Q_h = θ_h uᵀ/|u|².

        The √m in the keys cancels the 1/√m of scaled attention, so that θ_h = Q_h u.  ``rng``
        draws u and everything that the masks hide.  Raises ``ValueError`` unless ``net`` is
        softmax attention with two heads.
        """
        if net.kind != "softmax" or len(net.queries) != 2:
            raise ValueError(
                f"net must be softmax attention of 2 heads, got {net.kind} of {len(net.queries)}"
            )
        big = cls(net.positions.numpy(force=True), rng)
        m = big.positions.shape[1]
        with torch.no_grad():
            u = big.cls[1:]
            big.query[:, :, 1 : m + 1] = net.queries[:, :, None] * (u / u.dot(u))
            big.key[:, :, 1 : m + 1] = math.sqrt(m) * torch.eye(m, dtype=u.dtype)
            big.value[:, :, 0] = 1
        return big

    def merged_queries(self):
        """θ_h = K_hᵀ Q_h u/√m, (2, m): all that the attention depends on."""
        m = self.positions.shape[1]
        with torch.no_grad():
            key, query = self.key[:, :, 1 : m + 1], self.query[:, :, 1 : m + 1]
            return key.mT @ query @ self.cls[1:] / math.sqrt(m)

    def to_two_head(self):
        """The `TwoHeadAttention` with the same outputs, its queries `merged_queries`.

        Raises ``ValueError`` when the values do not hold the bits as they are (content weight 1).
        """
        if not bool((self.value[:, :, 0] == 1).all()):
            raise ValueError(f"value must read content with weight 1, got {self.value[:, 0, 0]}")
        positions, queries = self.positions, self.merged_queries()
        return TwoHeadAttention(positions.numpy(force=True), queries.numpy(force=True))

    def multihead(self):
        """The same attention as a ``torch.nn.MultiheadAttention`` with its matrices filled in.

        Each head is w wide, so the query is `tokens`[:, :1] padded with zeros to 2w; keys and
        values are `tokens`; the mask is ``~is_key[None]``.  Coordinates 0 and w of the output
        are the two heads.
        """
        w, m = self.width, self.positions.shape[1]
        mha = nn.MultiheadAttention(
            2 * w, 2, bias=False, kdim=w, vdim=w, batch_first=True, dtype=self.cls.dtype
        )
        with torch.no_grad():
            for weights in (mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight):
                weights.zero_()
            for h, start in enumerate((0, w)):
                rows = slice(start, start + m)
                # it divides by √w where scaled attention of width m divides by √m
                scale = math.sqrt(w / m)
                mha.q_proj_weight[rows, :w] = scale * self.query[h] * self.position_mask
                mha.k_proj_weight[rows] = self.key[h] * self.position_mask
                mha.v_proj_weight[start] = self.value[h, 0] * self.content_mask
            mha.out_proj.weight.copy_(torch.eye(2 * w))
        return mha
