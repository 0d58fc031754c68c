import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import xorlit


def enumerated_loss(a, support, noise=0.0):
    """The oracle: the mean over all 2^d inputs, both labels of each weighted by the noise."""
    X, Y = xorlit.SparseXOR(a.shape[1], support=support).enumerate()
    f = -np.prod(X @ a.T, axis=1)
    return np.mean((1 - noise) * (Y - f) ** 2 + noise * (Y + f) ** 2)


def attention_and_support(heads, d):
    weights = arrays(np.float64, (heads, d), elements=st.floats(-1, 1, width=32))
    support = st.lists(st.integers(0, d - 1), min_size=heads, max_size=heads, unique=True)
    return st.tuples(weights, support)


cases = st.tuples(st.integers(1, 4), st.integers(4, 10)).flatmap(
    lambda sizes: attention_and_support(*sizes)
)


@given(case=cases, noise=st.floats(0, 0.49))
def test_loss_agrees_with_enumeration(case, noise):
    a, support = case
    np.testing.assert_allclose(
        xorlit.population_loss(a, support, noise),
        enumerated_loss(a, support, noise),
        rtol=1e-12,
        atol=1e-12,
    )


@given(case=attention_and_support(2, 8))
def test_two_heads_agree_with_the_formula_of_the_chapter(case):
    (a, b), (i, j) = case
    mean_square = a @ a * (b @ b) + 2 * (a @ b) ** 2 - 2 * np.sum(a**2 * b**2)
    loss = 1 - 2 * (a[i] * b[j] + a[j] * b[i]) + mean_square
    np.testing.assert_allclose(
        xorlit.population_loss(np.stack([a, b]), (i, j)), loss, rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 5])
def test_gradient_agrees_with_autograd_through_enumeration(heads):
    rng = np.random.default_rng(heads)
    d, noise = 9, 0.15
    a = torch.tensor(rng.standard_normal((heads, d)), requires_grad=True)
    support = tuple(rng.choice(d, heads, replace=False).tolist())
    X, Y = (torch.tensor(t, dtype=torch.float64) for t in xorlit.SparseXOR(d, support).enumerate())
    f = -(X @ a.T).prod(dim=1)
    ((1 - noise) * (Y - f) ** 2 + noise * (Y + f) ** 2).mean().backward()
    G = xorlit.population_gradient(a.detach().numpy(), support, noise)
    np.testing.assert_allclose(G, a.grad, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("heads", [2, 3])
def test_gradient_agrees_with_central_differences(heads):
    rng = np.random.default_rng(0)
    a, support, h = rng.standard_normal((heads, 30)) / 5, tuple(range(heads)), 1e-5
    G = xorlit.population_gradient(a, support, 0.1)
    for index in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[index] = h
        slope = xorlit.population_loss(a + step, support, 0.1)
        slope -= xorlit.population_loss(a - step, support, 0.1)
        assert abs(slope / (2 * h) - G[index]) < 1e-8


@pytest.mark.parametrize("heads", [2, 3])
def test_torch_tensors_give_the_same_numbers_and_carry_gradients(heads):
    rng = np.random.default_rng(1)
    a = rng.standard_normal((heads, 200)) / 10
    t = torch.tensor(a, requires_grad=True)
    support = tuple(range(10, 10 + heads))
    loss = xorlit.population_loss(t, support, 0.2)
    assert loss.shape == ()
    np.testing.assert_allclose(loss.item(), xorlit.population_loss(a, support, 0.2), rtol=1e-13)
    (by_autograd,) = torch.autograd.grad(loss, t)
    G = xorlit.population_gradient(t.detach(), support, 0.2)
    assert isinstance(G, torch.Tensor)
    np.testing.assert_allclose(G, by_autograd, rtol=1e-12, atol=1e-14)


def test_permuting_positions_with_the_support_changes_nothing():
    rng = np.random.default_rng(2)
    a = rng.standard_normal((3, 40))
    order = rng.permutation(40)
    place = np.argsort(order)
    before = xorlit.population_loss(a, (1, 5, 7))
    after = xorlit.population_loss(a[:, order], place[[1, 5, 7]])
    np.testing.assert_allclose(before, after, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_of_the_gradient_is_that_of_the_weights(dtype):
    a = np.full((2, 6), 0.1, dtype)
    assert xorlit.population_gradient(a, (0, 1)).dtype == dtype
    assert np.asarray(xorlit.population_loss(a, (0, 1))).dtype == np.float64


def test_monte_carlo_agrees_within_its_error_bar():
    rng = np.random.default_rng(3)
    task = xorlit.SparseXOR(200, support=(3, 77), noise=0.1)
    a = xorlit.attention("softmax").weights(3 * rng.standard_normal((2, 200)))
    a[0, 3] += 0.5
    a[1, 77] += 0.5
    x, y = task.sample(200_000, rng=0)
    errors = (y + np.prod(x @ a.T, axis=1)) ** 2
    exact = xorlit.population_loss(a, task.support, task.noise)
    assert abs(errors.mean() - exact) < 4.5 * errors.std() / np.sqrt(len(errors))


def test_the_gradient_under_noise_agrees_with_sampling():
    """∂/∂a_h of (y − f)² is 2(y − f)·(a_g·x) x for the other head g, one sample at a time."""
    rng = np.random.default_rng(4)
    task = xorlit.SparseXOR(30, support=(4, 21), noise=0.3)
    a = rng.standard_normal((2, 30)) / 20
    a[:, task.support] += 0.5
    x, y = task.sample(100_000, rng=1)
    parts = x @ a.T
    residual = y + parts.prod(axis=1)
    for h, exact in enumerate(xorlit.population_gradient(a, task.support, task.noise)):
        each = 2 * (residual * parts[:, 1 - h])[:, None] * x
        error = each.std(axis=0) / np.sqrt(len(x))
        assert (np.abs(each.mean(axis=0) - exact) < 4.5 * error).all()
        clean = xorlit.population_gradient(a, task.support)[h]
        assert (np.abs(each.mean(axis=0) - clean) > 10 * error).sum() == 2


@pytest.mark.parametrize(
    ("a", "support", "noise", "name"),
    [
        (np.ones(4), (0, 1), 0.0, "a must"),
        (np.ones((2, 4), int), (0, 1), 0.0, "a must"),
        (np.full((2, 4), np.nan), (0, 1), 0.0, "a must"),
        (np.ones((2, 4)), (0, 1, 2), 0.0, "support"),
        (np.ones((2, 4)), (1, 1), 0.0, "support"),
        (np.ones((2, 4)), (0, 4), 0.0, "support"),
        (np.ones((2, 4)), (0, 1), 0.5, "noise"),
    ],
)
@pytest.mark.parametrize("function", [xorlit.population_loss, xorlit.population_gradient])
def test_bad_input_is_refused_by_name(function, a, support, noise, name):
    with pytest.raises(ValueError, match=name):
        function(a, support, noise)
