import numpy as np
import pytest
import torch

import xorlit
from xorlit.model import _WEIGHTS

KINDS = ["softmax", "linear", "erf"]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_pullback_agree_with_torch(kind):
    rng = np.random.default_rng(0)
    s, g = 2 * rng.standard_normal((3, 50)), rng.standard_normal((3, 50))
    t = torch.tensor(s, requires_grad=True)
    weights = _WEIGHTS[kind](t)
    (weights * torch.tensor(g)).sum().backward()
    attention = xorlit.attention(kind)
    np.testing.assert_allclose(attention.weights(s), weights.detach(), atol=1e-14)
    np.testing.assert_allclose(attention.pullback(s, g), t.grad, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_survives_any_score(dtype):
    s = np.array([[0.0, 1e30, -1e30], [-1e30, -1e30, -1e30]], dtype)
    w = xorlit.attention("softmax").weights(s)
    assert w.dtype == dtype
    np.testing.assert_allclose(w, [[0, 1, 0], [1 / 3, 1 / 3, 1 / 3]], atol=1e-7)
    assert np.isfinite(xorlit.attention("softmax").pullback(s, np.ones_like(s))).all()


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="attention must be one of softmax"):
        xorlit.attention("hard")


def test_a_kind_is_returned_as_it_is():
    kind = xorlit.attention("erf")
    assert xorlit.attention(kind) is kind
