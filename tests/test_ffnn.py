from itertools import combinations

import numpy as np
import pytest
import torch
from torch import nn

import xorlit
from xorlit import laws, randomness
from xorlit.baselines import ffnn


def tasks(d, n=3, **task):
    return [xorlit.SparseXOR(d, rng=seed, **task) for seed in range(n)]


def textbook(net, copy):
    """The oracle: one copy as a chain of torch's own layers, with the same weights."""
    chain = nn.Sequential(nn.Linear(net.reads, net.width), nn.ReLU(), nn.Linear(net.width, 1))
    with torch.no_grad():
        chain[0].weight.copy_(net.w[copy].T)
        chain[0].bias.copy_(net.b[copy, 0])
        chain[2].weight.copy_(net.v[copy].T)
        chain[2].bias.copy_(net.c[copy, 0])
    return chain


@pytest.mark.parametrize("reads", [None, 5])
def test_each_copy_is_the_textbook_network_with_the_parameters_it_counts(reads):
    net = ffnn.FeedForward(9, width=6, copies=4, reads=reads, rng=0)
    with torch.no_grad():
        net.b.normal_()
        net.c.normal_()
    x = torch.randn(4, 20, 9).sign()
    for copy, f in enumerate(net(x)):
        chain = textbook(net, copy)
        torch.testing.assert_close(f, chain(x[copy, :, :reads])[:, 0])
        assert net.size == sum(p.numel() for p in chain.parameters())
        np.testing.assert_array_equal(net.first_layer[copy], chain[0].weight.detach())


def test_copies_train_as_they_would_alone():
    """Full batch, a few steps: the same as torch's own layers and optimiser, one by one."""
    two, key = tasks(10, 2, noise=0.1), randomness.key(0, "ffnn.train")
    run = ffnn.train(two, width=5, rate=0.2, samples=40, batch=None, steps=7, every=1, rng=0)
    start = ffnn.FeedForward(10, 5, copies=2, rng=randomness.stream(key, 0))
    x, y = next(ffnn._fixed(two, 40, None, key))
    for copy in range(2):
        chain = textbook(start, copy)
        optimiser = torch.optim.SGD(chain.parameters(), lr=0.2)
        for step in range(7):
            loss = nn.functional.mse_loss(chain(x[copy].float())[:, 0], y[copy])
            assert run.train_loss[step, copy] == pytest.approx(loss.item(), rel=1e-4)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        np.testing.assert_allclose(run.network.first_layer[copy], chain[0].weight.detach(), 1e-4)


@pytest.mark.parametrize("d", [32, 64, 128])
def test_the_defaults_learn(d):
    run = ffnn.train(tasks(d, 20), rng=100)
    assert run.learned.sum() >= 19
    assert (run.loss[-1][run.learned] < 0.3).all()
    assert run.accuracy[-1].mean() > 0.98


def test_learning_is_two_spikes_in_the_first_layer():
    one = xorlit.SparseXOR(64, support=(7, 30))
    run = ffnn.train(one, rng=0)
    size = np.linalg.norm(run.network.first_layer[0], axis=0)
    assert sorted(size.argsort()[-2:]) == [7, 30]


@pytest.mark.parametrize("reads", [1, 3, 4, 6])
def test_networks_that_read_r_bits_lie_on_the_floor_and_never_below(reads):
    d, supports = 6, list(combinations(range(6), 2))
    all_pairs = [xorlit.SparseXOR(d, support=s) for s in supports]
    run = ffnn.train(all_pairs, reads=reads, width=16, batch=256, steps=600, every=600, rng=0)
    X, _ = all_pairs[0].enumerate()
    with torch.no_grad():
        f = run.network(torch.from_numpy(X)).double().numpy()
    average = np.mean([(t.label(X) - f) ** 2 for t, f in zip(all_pairs, f, strict=True)])
    floor = laws.ffnn_floor(d, reads)
    assert floor <= average < floor + 0.03


def test_what_is_counted():
    run = ffnn.train(tasks(16), width=8, batch=10, steps=60, every=20, rate=0.0, rng=0)
    assert run.step.tolist() == [0, 20, 40, 60]
    assert run.steps.tolist() == [60] * 3
    assert run.samples.tolist() == [600] * 3
    assert run.multiply_adds.tolist() == [600 * 8 * 35] * 3
    fixed = ffnn.train(tasks(16), width=8, samples=50, batch=10, steps=60, rate=0.0, rng=0)
    assert fixed.samples.tolist() == [50] * 3
    assert fixed.multiply_adds.tolist() == run.multiply_adds.tolist()


def test_with_rate_zero_nothing_moves():
    run = ffnn.train(tasks(16), rate=0.0, steps=100, rng=0)
    assert np.ptp(run.loss, axis=0).max() == 0
    assert not run.learned.any()


def test_a_small_fixed_sample_is_memorised_and_not_learned():
    run = ffnn.train(tasks(64), width=64, rate=0.05, samples=60, steps=1500, rng=0)
    assert (run.train_accuracy[-1] > 0.95).all()
    assert (run.train_loss[-1] < 0.1).any()
    assert (run.accuracy[-1] < 0.65).all()
    assert not run.learned.any()


def test_a_huge_rate_is_reported_as_divergence_without_nan():
    run = ffnn.train(tasks(16), rate=50.0, rng=0)
    assert run.diverged.all()
    assert not run.learned.any()
    assert not np.isnan(run.loss).any()
    assert np.isinf(run.loss[-1]).all()


def test_test_labels_are_clean_and_training_labels_noisy():
    run = ffnn.train(tasks(16, noise=0.3), batch=500, steps=300, every=300, rng=0)
    assert (run.accuracy[-1] > 0.9).all()
    assert (run.train_accuracy[-1] < 0.8).all()


def test_the_same_seed_gives_the_same_network():
    a, b, c = (ffnn.train(tasks(16, 2), steps=20, rng=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.network.first_layer, b.network.first_layer)
    assert (a.network.first_layer != c.network.first_layer).any()
    assert (a.network.first_layer[0] != a.network.first_layer[1]).any()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"tasks": []}, "tasks"),
        ({"tasks": [*tasks(8, 1), *tasks(9, 1)]}, "tasks"),
        ({"width": 0}, "width"),
        ({"rate": -0.1}, "rate"),
        ({"rate": np.nan}, "rate"),
        ({"batch": None}, "batch"),
        ({"batch": 0}, "batch"),
        ({"samples": 0}, "samples"),
        ({"reads": 9}, "reads"),
        ({"steps": -1}, "steps"),
        ({"every": 0}, "every"),
        ({"rng": -1}, "rng"),
    ],
)
def test_bad_input_is_refused_by_name(change, name):
    with pytest.raises(ValueError, match=name):
        ffnn.train(**{"tasks": tasks(8), "steps": 1, **change})


def test_inputs_of_another_width_and_bits_are_refused():
    with pytest.raises(ValueError, match="x must have 8 columns"):
        ffnn.FeedForward(8, 4, rng=0)(torch.ones(3, 7))
    with pytest.raises(ValueError, match="x must hold only -1 and"):
        ffnn.FeedForward(8, 4, rng=0)(torch.zeros(3, 8))
