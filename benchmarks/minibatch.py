"""The exact gradient against a mini-batch estimate of the same gradient, at equal accuracy.

    python benchmarks/minibatch.py [--d 1024 --m 64 --batch 4096 --batches 40]

The variance of the estimate is measured; a batch of n has mean squared error variance/n, which
says how many samples, hence seconds, an accuracy costs.
"""

import numpy as np
from timing import interleave, options

import xorlit
from xorlit.step import scores


def estimate(task, V, q, n, seed):
    """∂L/∂q from n fresh samples, shape (2, m)."""
    x, y = task.sample(n, rng=seed)
    x = x.astype(np.float32)
    s = scores(V, q)
    attention = xorlit.attention("softmax")
    heads = x @ attention.weights(s).T
    residual = 2 * (y + heads[:, 0] * heads[:, 1]) / n
    slope = (residual[:, None] * heads[:, ::-1]).T @ x
    return attention.pullback(s, slope) @ V.array


def main():
    chosen = options(d=1024, m=64, batch=4096, batches=40, rounds=9)
    d, m, n = chosen.d, chosen.m, chosen.batch
    V, q = xorlit.sphere(d, m, rng=0), xorlit.antisymmetric_queries(m, rng=0)
    task = xorlit.SparseXOR(d, rng=0)
    exact = xorlit.query_gradient(task, V.array.astype(np.float64), q)
    error = np.sum((xorlit.query_gradient(task, V, q) - exact) ** 2)
    errors = [np.sum((estimate(task, V, q, n, s) - exact) ** 2) for s in range(chosen.batches)]
    variance = n * np.mean(errors)
    seconds = interleave(
        {
            "exact": lambda: xorlit.one_step(task, V, q),
            "batch": lambda: estimate(task, V, q, n, 0),
        },
        chosen.rounds,
    )
    exact_time, batch_time = seconds["exact"].min(), seconds["batch"].min()
    print(f"d = {d}, m = {m}: the exact step takes {1e3 * exact_time:.2f} ms, a batch of {n} "
          f"{1e3 * batch_time:.1f} ms")  # fmt: skip
    print(f"variance of one sample / |gradient|²: {variance / np.sum(exact**2):.3g}")
    for label, allowed in (
        ("a relative error of 1", np.sum(exact**2)),
        ("a relative error of 0.1", 0.01 * np.sum(exact**2)),
        ("the rounding error of float32", error),
    ):
        samples = variance / allowed
        ratio = samples / n * batch_time / exact_time
        print(f"{label}: {samples:.3g} samples, {ratio:.3g} times the time of the exact step")


if __name__ == "__main__":
    main()
