import numpy as np
import pytest
import torch

import xorlit
from xorlit.experiments.transformer import descend
from xorlit.model import Transformer, TwoHeadAttention


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


def pair(d, m, seed=0, start=xorlit.antisymmetric_queries, dtype="float64"):
    V = xorlit.sphere(d, m, rng=seed, dtype=dtype)
    net = TwoHeadAttention(V.array, start(m, rng=seed))
    return net, Transformer.from_two_head(net, rng=seed)


def inputs(d):
    if d <= 10:
        return torch.from_numpy(xorlit.SparseXOR(d, support=(0, 1)).enumerate()[0])
    return torch.from_numpy(xorlit.SparseXOR(d, support=(0, 1)).sample(200, rng=0)[0])


def gap(net, big):
    with torch.no_grad():
        x = inputs(len(net.positions))
        return float((net(x) - big(x)).abs().max())


@pytest.mark.parametrize(("d", "m"), [(2, 3), (6, 1), (8, 16), (10, 5), (512, 32)])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_the_transformer_computes_the_same_function(d, m, scale):
    net, big = pair(d, m, start=lambda m, rng: xorlit.independent_queries(m, 2, scale, rng))
    assert gap(net, big) < 1e-12
    np.testing.assert_allclose(
        big.to_two_head().queries.detach(), net.queries.detach(), rtol=1e-12, atol=1e-12
    )
    assert gap(big.to_two_head(), big) < 1e-12


@pytest.mark.parametrize("mask", ["position_mask", "content_mask", "is_key"])
def test_without_one_of_the_masks_it_does_not(mask):
    net, big = pair(8, 4)
    getattr(big, mask).fill_(1)
    assert gap(net, big) > 1e-3


@pytest.mark.parametrize("drop", ["query", "key"])
def test_queries_and_keys_each_need_their_position_mask(drop):
    net, big = pair(8, 4)
    with torch.no_grad():  # mask the other one by hand
        other = {"query": big.key, "key": big.query}[drop]
        other *= big.position_mask
    big.position_mask.fill_(1)
    assert gap(net, big) > 1e-3


def test_torch_s_own_multihead_attention_computes_the_two_heads():
    net, big = pair(10, 6)
    x = inputs(10)[:100]
    t = big.tokens(x)
    query = torch.nn.functional.pad(t[:, :1], (0, big.width))
    with torch.no_grad():
        out, maps = big.multihead()(
            query, t, t, attn_mask=~big.is_key[None], average_attn_weights=False
        )
        gamma = net.attention()
        np.testing.assert_allclose(maps[:, :, 0, 1:], gamma.expand(100, 2, 10), atol=1e-14)
        assert (maps[:, :, 0, 0] == 0).all()
        heads = out[:, 0, [0, big.width]]
        np.testing.assert_allclose(heads, x.double() @ gamma.T, atol=1e-14)
        np.testing.assert_allclose(-heads.prod(dim=1), big(x), atol=1e-14)


@pytest.mark.parametrize("start", [xorlit.antisymmetric_queries, xorlit.independent_queries])
def test_descent_on_the_query_matrix_is_descent_on_the_queries(start):
    """The matrix moves by rank one, −η g uᵀ, so θ = Qu moves by −η|u|² g: 1 and 50 steps."""
    task, rate = xorlit.SparseXOR(8, support=(2, 5)), 60.0
    net, big = pair(8, 12, start=start)
    before, u = big.query.detach().clone(), big.cls[1:].numpy()
    V, q = net.positions.numpy(), net.queries.detach().numpy()
    hist = xorlit.train(task, V, q, steps=50, rate=rate)
    path = descend(big, task, rate / float(u @ u), 50)[0]
    np.testing.assert_allclose(path, hist.queries, rtol=1e-9, atol=1e-10)
    assert hist.loss[-1] < hist.loss[0] / 2
    moved = (big.query - before).detach().numpy()
    for h in range(2):
        expected = np.outer(hist.queries[-1][h] - q[h], u / (u @ u))
        np.testing.assert_allclose(moved[h][:, 1:13], expected, atol=1e-10)
    assert (moved[:, :, [0, 13, 14, 15]] == 0).all()


@pytest.mark.parametrize("mask", ["position_mask", "content_mask", "is_key"])
def test_without_one_of_the_masks_learning_differs_too(mask):
    task, rate = xorlit.SparseXOR(6, support=(2, 5)), 30.0
    net, big = pair(6, 5)
    V, q = net.positions.numpy(), net.queries.detach().numpy()
    hist = xorlit.train(task, V, q, steps=1, rate=rate)
    getattr(big, mask).fill_(1)
    (_, moved), _ = descend(big, task, rate / float(big.cls[1:].norm() ** 2), 1)
    assert np.abs(moved - hist.queries[1]).max() > 1e-3 * np.abs(hist.queries[1] - q).max()


def test_with_the_keys_trained_too_one_step_keeps_the_direction_and_two_do_not():
    task, rate = xorlit.SparseXOR(8, support=(2, 5)), 30.0
    net, big = pair(8, 6)
    q, u = net.queries.detach().numpy(), big.cls[1:].numpy()
    g = xorlit.query_gradient(task, net.positions.numpy(), q)
    eta = rate / (u @ u)
    path = descend(big, task, eta, 2, trained=("query", "key"))[0][1:]
    for h in range(2):
        stretch = u @ u + q[h] @ q[h] / 6 - eta * (u @ u) * (q[h] @ g[h]) / 6
        np.testing.assert_allclose(path[0][h], q[h] - eta * stretch * g[h], atol=1e-12)
    again = xorlit.query_gradient(task, net.positions.numpy(), path[0])
    second = path[1] - path[0]
    cosine = abs((second * again).sum(1)) / np.linalg.norm(second, axis=1)
    assert (cosine / np.linalg.norm(again, axis=1) < 1 - 1e-6).all()


def test_with_cls_trained_too_each_head_feels_the_other():
    task, eta = xorlit.SparseXOR(8, support=(2, 5)), 0.1
    net, big = pair(8, 6, start=xorlit.independent_queries)
    q, u = net.queries.detach().numpy(), big.cls[1:].numpy().copy()
    g = xorlit.query_gradient(task, net.positions.numpy(), q)
    (_, moved), _ = descend(big, task, eta, 1, trained=("query", "cls"))
    pull = u * (q * g).sum() / (u @ u)  # −∂L/∂u = −Σ_h Q_hᵀ g_h
    Q = q[:, :, None] * u / (u @ u) - eta * g[:, :, None] * u
    np.testing.assert_allclose(moved, Q @ (u - eta * pull), atol=1e-13)


@pytest.mark.parametrize("place", ["position", "content"])
def test_trained_values_keep_the_equivalence_only_by_symmetry(place):
    """Unmasked positions in the values, once zero, feel no pull: x → −x keeps f.  But the
    weight of the content is free to grow, and a sample pulls on both."""
    task = xorlit.SparseXOR(8, support=(2, 5))
    _, big = pair(8, 6)
    with torch.no_grad():
        big.value[:, :, 1:] = 0
    big.content_mask.fill_(1)
    big.value.requires_grad_()
    X, Y = (torch.from_numpy(t) for t in task.enumerate())
    columns = {"position": slice(1, 7), "content": slice(0, 1)}[place]
    torch.nn.functional.mse_loss(big(X), Y.double()).backward()
    exact = big.value.grad[:, :, columns].abs().max()
    assert (exact < 1e-14) == (place == "position")
    big.value.grad = None
    torch.nn.functional.mse_loss(big(X[:50]), Y[:50].double()).backward()
    assert big.value.grad[:, :, columns].abs().max() > 1e-4


def test_the_transformer_refuses_what_does_not_fit():
    net, big = pair(8, 4)
    with pytest.raises(ValueError, match="x must hold only -1 and"):
        big(torch.zeros(2, 8))
    with pytest.raises(ValueError, match="net must be softmax"):
        Transformer.from_two_head(TwoHeadAttention(np.eye(4), np.ones((2, 4)), "linear"))
    with pytest.raises(ValueError, match="net must be softmax"):
        Transformer.from_two_head(TwoHeadAttention(np.eye(4), np.ones((3, 4))))
    with pytest.raises(ValueError, match="value must read content"):
        Transformer(net.positions.numpy(), rng=0).to_two_head()
