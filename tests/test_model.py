import numpy as np
import pytest
import torch

import xorlit
from xorlit.model import TwoHeadAttention


@pytest.mark.parametrize("kind", ["softmax", "linear", "erf"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_outputs_are_those_of_the_formula(kind, dtype):
    V = xorlit.sphere(9, 5, rng=0, dtype=dtype)
    q = xorlit.antisymmetric_queries(5, rng=0)
    X, _ = xorlit.SparseXOR(9, support=(0, 1)).enumerate()
    net = TwoHeadAttention(V.array, q, kind)
    weights = xorlit.attention(kind).weights(q @ V.array.T)
    with torch.no_grad():
        f = net(torch.from_numpy(X)).numpy()
    assert f.dtype == dtype
    rounding = 64 * np.finfo(dtype).eps
    np.testing.assert_allclose(f, -np.prod(X @ weights.T, axis=1), rtol=rounding, atol=rounding)


def test_its_only_parameters_are_the_queries():
    V, q = xorlit.sphere(100, 7, rng=0), xorlit.antisymmetric_queries(7, rng=0)
    net = TwoHeadAttention(V.array, q)
    assert {name: tuple(p.shape) for name, p in net.named_parameters()} == {"queries": (2, 7)}
    assert "positions" in net.state_dict()


def test_a_torch_step_on_all_inputs_is_the_population_step():
    task = xorlit.SparseXOR(8, support=(2, 6))
    V, q = xorlit.sphere(8, 16, rng=1, dtype="float64"), xorlit.antisymmetric_queries(16, rng=1)
    net = TwoHeadAttention(V.array, q)
    X, Y = (torch.from_numpy(t) for t in task.enumerate())
    optimiser = torch.optim.SGD(net.parameters(), lr=500.0)
    torch.nn.functional.mse_loss(net(X), Y.double()).backward()
    optimiser.step()
    out = xorlit.one_step(task, V, q, rate=500.0)
    np.testing.assert_allclose(net.queries.detach(), out.queries, rtol=1e-10, atol=1e-12)
    loss = torch.nn.functional.mse_loss(net(X), Y.double())
    assert loss.item() == pytest.approx(out.loss, abs=1e-12)


def test_training_leaves_the_caller_s_positions_and_queries_alone():
    V, q = np.eye(4), np.ones((2, 4))
    net = TwoHeadAttention(V, q)
    with torch.no_grad():
        net.queries += 1
        net.positions += 1
    np.testing.assert_array_equal(V, np.eye(4))
    np.testing.assert_array_equal(q, 1)


def test_bad_input_is_refused_by_name():
    net = TwoHeadAttention(np.eye(4), np.ones((2, 4)))
    with pytest.raises(ValueError, match="x must have shape"):
        net(torch.ones(3, 5))
    with pytest.raises(ValueError, match="x must hold only -1 and"):
        net(torch.zeros(3, 4))
    with pytest.raises(ValueError, match="queries"):
        TwoHeadAttention(np.eye(4), np.ones((2, 5)))
    with pytest.raises(ValueError, match="positions"):
        TwoHeadAttention(np.ones(4), np.ones((2, 4)))
