"""How fast is the gradient from n examples?  ``python benchmarks/empirical_gradient.py``

Drawing the examples is part of the job.  Peers, interleaved in one run, best of the repeats:
torch with a float tensor of examples and autograd, as one would write it (in chunks, which is
kinder to its caches and to this machine than one tensor of 4 GB); the same torch fed by our
packed bits; and, as a physical limit, reading a float32 tensor of that size twice from memory.
"""

import argparse
import time
import tracemalloc

import numpy as np
import torch

import xorlit
from xorlit.model import TwoHeadAttention


def ours(task, V, q, n):
    return xorlit.empirical_gradient(task, V, q, n, rng=0)


def torch_gradient(task, V, q, n, chunk=2**15, packed=False):
    net = TwoHeadAttention(V.array, q)
    i, j = task.support
    for start in range(0, n, chunk):
        count = min(chunk, n - start)
        if packed:
            x = torch.from_numpy(task.sample(count, rng=start)[0]).float()
        else:
            x = torch.randint(0, 2, (count, task.d), dtype=torch.float32) * 2 - 1
        a = torch.softmax(net.queries @ net.positions.T, dim=1)
        f = -(x @ a.T).prod(dim=1)
        loss = torch.nn.functional.mse_loss(f, -x[:, i] * x[:, j], reduction="sum") / n
        loss.backward()
    return net.queries.grad.double().numpy()


def read_twice(task, V, q, n):
    block = np.ones(2**24, np.float32)  # 64 MB, more than the caches hold
    for _ in range(max(1, 2 * n * task.d // block.size)):
        block.sum()


def peak_memory(task, V, q, n):
    tracemalloc.start()
    ours(task, V, q, n)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--d", type=int, default=1024)
    parser.add_argument("--m", type=int, default=64)
    parser.add_argument("--log2-n", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    d, m, n = options.d, options.m, 2**options.log2_n
    task = xorlit.SparseXOR(d, rng=0)
    V, q = xorlit.sphere(d, m, rng=0), xorlit.antisymmetric_queries(m, rng=0)
    jobs = {
        "xorlit, one thread": ours,
        "torch, plain": torch_gradient,
        "torch on packed bits": lambda *job: torch_gradient(*job, packed=True),
        "reading n × d floats twice": read_twice,
    }
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(options.repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job(task, V, q, n)
            best[name] = min(best[name], time.perf_counter() - start)
    mine = best["xorlit, one thread"]
    print(f"d = {d}, m = {m}, n = 2^{options.log2_n}, torch threads {torch.get_num_threads()}")
    for name, seconds in best.items():
        print(f"{name:<28}{seconds:8.2f} s   {seconds / mine:5.1f} × xorlit")
    peak = peak_memory(task, V, q, 4 * n)
    print(f"peak memory beyond the inputs at n = 2^{options.log2_n + 2}: {peak / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
