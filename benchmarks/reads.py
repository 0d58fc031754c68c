"""One step against two plain reads of V and against autograd on the same closed form.

    python benchmarks/reads.py [--d 1000000 --m 128 --threads 2 --rounds 9]

The floor is the memory: a gradient step has to read V once and to evaluate it V has to be read
again.  The peers run in turn with the same number of threads.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numba import njit
from timing import interleave, options, peak_memory, report

import xorlit


@njit(nogil=True, fastmath=True)
def plain_sum(rows):
    total = 0.0
    for row in range(len(rows)):
        part = rows.dtype.type(0)
        for k in range(rows.shape[1]):
            part += rows[row, k]
        total += part
    return total


def autograd_step(V, q, support, rate):
    """The same step by autograd on the closed form, evaluated once more after the step."""

    def loss(queries):
        a, b = torch.softmax(queries @ V.T, dim=1)
        i, j = support
        square = (a @ a) * (b @ b) + 2 * (a @ b) ** 2 - 2 * (a * a) @ (b * b)
        return 1 - 2 * (a[i] * b[j] + a[j] * b[i]) + square, torch.stack([a, b]).argmax(dim=1)

    queries = q.clone().requires_grad_(True)
    loss(queries)[0].backward()
    with torch.no_grad():
        return loss(q - rate * queries.grad)


def main():
    chosen = options(d=1_000_000, m=128, threads=os.cpu_count(), rounds=9)
    d, m = chosen.d, chosen.m
    torch.set_num_threads(chosen.threads)
    V = xorlit.sphere(d, m, rng=0)
    task, q = xorlit.SparseXOR(d, rng=0), xorlit.antisymmetric_queries(m, rng=0)
    rate = xorlit.laws.rate(d, m)
    tensors = torch.from_numpy(V.array.copy()), torch.tensor(q, dtype=torch.float32)
    blocks = np.array_split(V.array, 4 * chosen.threads)
    with ThreadPoolExecutor(chosen.threads) as threads:
        peers = {
            "two reads (compiled sum)": lambda: [sum(threads.map(plain_sum, blocks)) for _ in "12"],
            "two reads (numpy.sum)": lambda: [sum(threads.map(np.sum, blocks)) for _ in "12"],
            "one step": lambda: xorlit.one_step(task, V, q, executor=threads),
            "autograd, closed form": lambda: autograd_step(*tensors, task.support, rate),
        }
        print(f"d = {d}, m = {m}, float32, {chosen.threads} threads, {chosen.rounds} rounds")
        # Before the timing, so that no memory is left over from it; only the code is warm.
        small = xorlit.sphere(20_000, m, rng=0)
        xorlit.one_step(xorlit.SparseXOR(20_000, rng=0), small, q, executor=threads)
        for name in ("one step", "autograd, closed form"):
            share = peak_memory(peers[name]) / V.array.nbytes
            print(f"{name}: peak memory beyond V, as a share of V: {share:.1%}")
        seconds = interleave(peers, chosen.rounds)
        report(seconds, "two reads (compiled sum)")
        ratio = seconds["autograd, closed form"].min() / seconds["one step"].min()
        print(f"autograd / one step: {ratio:.2f}")


if __name__ == "__main__":
    main()
