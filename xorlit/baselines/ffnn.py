"""Two-layer ReLU networks trained by gradient descent, many independent ones at a time.

Needs the ``torch`` extra.  Chapter *What a feed-forward network pays* explains the comparison.
"""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from xorlit import _checks, randomness

TEST = 1000  # clean samples, never trained on, that decide whether a network has learned
CHUNK = 2048  # fresh samples drawn at once and then handed out batch by batch


class FeedForward(nn.Module):
    """f(x) = Σ_u v_u·max(0, w_u·x + b_u) + c: ``copies`` independent networks side by side.

    Parameters: ``d`` inputs, ``width`` neurons; ``reads`` r connects the first layer to the first
    r inputs only (None: all d); ``rng`` draws w ~ N(0, 1/r) and v ~ N(0, 1/width), b = c = 0.
    Input (n, d), or (copies, n, d) with a sample for each copy; output (copies, n).
    Each copy has width·(r + 2) + 1 trainable numbers, ``size``.
    Raises ``ValueError`` for sizes that do not fit and for inputs that are not ±1.
    Source: the textbook network; chapter *What a feed-forward network pays*.

    >>> net = FeedForward(d=8, width=4, copies=3, rng=0)
    >>> tuple(net(torch.ones(5, 8)).shape), net.size, net.first_layer.shape
    ((3, 5), 41, (3, 4, 8))
    """

    def __init__(self, d, width, copies=1, reads=None, rng=None):
        super().__init__()
        self.d = _checks.integer("d", d, 1)
        self.width = _checks.integer("width", width, 1)
        self.reads = d if reads is None else _checks.integer("reads", reads, 1, d)
        copies = _checks.integer("copies", copies, 1)
        key = randomness.key(rng, "FeedForward")
        normal = [randomness.stream(key, copy).standard_normal for copy in range(copies)]
        w = np.stack([draw((self.reads, width)) for draw in normal]) / np.sqrt(self.reads)
        v = np.stack([draw((width, 1)) for draw in normal]) / np.sqrt(width)
        self.w = nn.Parameter(torch.from_numpy(w.astype(np.float32)))
        self.b = nn.Parameter(torch.zeros(copies, 1, width))
        self.v = nn.Parameter(torch.from_numpy(v.astype(np.float32)))
        self.c = nn.Parameter(torch.zeros(copies, 1, 1))

    def forward(self, x):
        """Predictions (copies, n) for inputs (n, d) or (copies, n, d)."""
        if x.shape[-1] != self.d:
            raise ValueError(f"x must have {self.d} columns, got shape {tuple(x.shape)}")
        if not bool((x.abs() == 1).all()):
            raise ValueError("x must hold only -1 and +1 (map a bit b to 2b - 1)")
        hidden = torch.relu(x[..., : self.reads].to(self.w.dtype) @ self.w + self.b)
        return (hidden @ self.v + self.c).squeeze(-1)

    @property
    def size(self):
        """Trainable numbers of one copy: width·(r + 2) + 1."""
        return self.width * (self.reads + 2) + 1

    @property
    def first_layer(self):
        """The first-layer weights (copies, width, r) as a NumPy array: row u is w_u."""
        return self.w.detach().numpy().transpose(0, 2, 1).copy()


@dataclass(frozen=True)
class Training:
    """How n networks were trained, one for each task; made by `train`.

    ``step`` (t,): the steps at which it was looked.  Then (t, n): ``loss`` and ``accuracy`` on
    samples never trained on, with clean labels; ``train_loss`` and ``train_accuracy`` on the
    samples and labels of the next step.  Then (n,): ``learned``, whether ``loss`` fell below 0.1;
    ``steps`` taken until it was first seen to (all, if it did not), and by then ``samples``, the
    distinct ones used, and ``multiply_adds``; ``diverged``, whether the loss left the finite
    numbers (it is inf then).  ``network`` is the trained `FeedForward`.
    Source: chapter *What a feed-forward network pays*.
    """

    network: FeedForward
    step: np.ndarray
    loss: np.ndarray
    accuracy: np.ndarray
    train_loss: np.ndarray
    train_accuracy: np.ndarray
    learned: np.ndarray
    diverged: np.ndarray
    steps: np.ndarray
    samples: np.ndarray
    multiply_adds: np.ndarray


@contextmanager
def _one_thread():
    """The products here are small: more threads would mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@_one_thread()
def train(
    tasks, width=32, rate=0.1, batch=64, steps=3000, samples=None, reads=None, every=25, rng=None
):
    """Train one network for each task by gradient descent on the mean squared error.

    Parameters: ``tasks`` a `SparseXOR` or a list of them with one d, each with its own network,
    samples and test set; ``samples`` None for a fresh batch at every step, or n for one fixed
    sample from which batches are drawn; ``batch`` None (with ``samples``) for the full batch;
    ``reads`` as in `FeedForward`; ``every`` how many steps lie between two looks.  Training ends
    after ``steps``, or at the first look that finds every network learned or diverged.
    Returns a `Training`.  Raises ``ValueError`` for sizes or rates that make no sense.
    Source: ours; chapter *What a feed-forward network pays*.

    >>> from xorlit import SparseXOR
    >>> run = train([SparseXOR(d=16, rng=seed) for seed in range(3)], rng=0)
    >>> run.learned.tolist(), run.network.size
    ([True, True, True], 577)
    """
    tasks = list(tasks) if isinstance(tasks, (list, tuple)) else [tasks]
    rate = _checks.real("rate", rate, 0.0)
    steps, every = _checks.integer("steps", steps, 0), _checks.integer("every", every, 1)
    key = randomness.key(rng, "ffnn.train")
    net = FeedForward(_common_d(tasks), width, len(tasks), reads, randomness.stream(key, 0))
    draws = [randomness.stream(key, copy, lane=1) for copy in range(len(tasks))]
    x_test, y_test = _test_set(tasks, draws)
    batches = _fresh(tasks, batch, draws) if samples is None else _fixed(tasks, samples, batch, key)
    optimiser = torch.optim.SGD(net.parameters(), lr=rate)
    history, step = [], 0
    for step in range(steps + 1):
        x, y = next(batches)
        if step % every == 0 or step == steps:
            history.append((step, *_measure(net, x_test, y_test), *_measure(net, x, y)))
            loss = history[-1][1]
            if ((loss < 0.1) | np.isinf(loss)).all():
                break
        if step < steps:
            optimiser.zero_grad()
            (net(x) - y).square().mean(dim=1).sum().backward()
            optimiser.step()
    return _training(net, history, y.shape[1], samples)


def _common_d(tasks):
    if not tasks or len({task.d for task in tasks}) != 1:
        raise ValueError(f"tasks must be at least one and share one d, got {tasks}")
    return tasks[0].d


def _stack(pairs):
    x, y = zip(*pairs, strict=True)
    return torch.from_numpy(np.stack(x)), torch.from_numpy(np.stack(y)).float()


def _test_set(tasks, draws):
    x, _ = _stack([t.sample(TEST, rng=g) for t, g in zip(tasks, draws, strict=True)])
    y = np.stack([t.label(rows) for t, rows in zip(tasks, x.numpy(), strict=True)])
    return x, torch.from_numpy(y)


def _fresh(tasks, batch, draws):
    if batch is None:
        raise ValueError("batch must be an integer when every step draws fresh samples, got None")
    batch = _checks.integer("batch", batch, 1)
    size = batch * max(1, CHUNK // batch)
    while True:
        x, y = _stack([t.sample(size, rng=g) for t, g in zip(tasks, draws, strict=True)])
        for start in range(0, size, batch):
            yield x[:, start : start + batch], y[:, start : start + batch]


def _fixed(tasks, samples, batch, key):
    samples = _checks.integer("samples", samples, 1)
    draws = [randomness.stream(key, copy, lane=2) for copy in range(len(tasks))]
    x, y = _stack([t.sample(samples, rng=g) for t, g in zip(tasks, draws, strict=True)])
    if batch is None or _checks.integer("batch", batch, 1) >= samples:
        while True:
            yield x, y
    copies = np.arange(len(tasks))[:, None]
    while True:
        rows = np.stack([g.integers(samples, size=batch) for g in draws])
        yield x[copies, rows], y[copies, rows]


@torch.no_grad()
def _measure(net, x, y):
    f = net(x)
    loss = (f - y).square().mean(dim=1).numpy()
    accuracy = ((f > 0) == (y > 0)).float().mean(dim=1).numpy()
    return np.where(np.isfinite(loss), loss, np.inf), accuracy


def _training(net, history, batch, samples):
    step, *curves = (np.array(column) for column in zip(*history, strict=True))
    below = curves[0] < 0.1
    learned = below.any(axis=0)
    steps = step[np.where(learned, below.argmax(axis=0), -1)]
    used = steps * batch if samples is None else np.full(len(steps), samples)
    # forward and backward through the first layer 2r a neuron, through the rest 3
    operations = steps * batch * net.width * (2 * net.reads + 3)
    return Training(net, step, *curves, learned, np.isinf(curves[0][-1]), steps, used, operations)
