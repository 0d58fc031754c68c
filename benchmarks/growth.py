"""Seconds of one step against d: linear, from 2^14 to 2^23 positions.

python benchmarks/growth.py [--m 32 --rounds 5]
"""

import numpy as np
from timing import interleave, options

import xorlit


def main():
    chosen = options(m=32, rounds=5, low=14, high=23)
    sizes = [2**p for p in range(chosen.low, chosen.high + 1)]
    V = xorlit.sphere(sizes[-1], chosen.m, rng=0).array
    q = xorlit.antisymmetric_queries(chosen.m, rng=0)
    # An array of the caller's is checked for NaN in every call; wrap it once instead.
    wrapped = {d: xorlit.Positions.of(V[:d]) for d in sizes}
    peers = {
        d: lambda d=d: xorlit.one_step(xorlit.SparseXOR(d, support=(1, d - 2)), wrapped[d], q)
        for d in sizes
    }
    seconds = interleave(peers, chosen.rounds)
    best = np.array([seconds[d].min() for d in sizes])
    for d, s in zip(sizes, best, strict=True):
        print(f"d = 2^{int(np.log2(d)):<3} {1e3 * s:9.2f} ms   {1e9 * s / d:7.2f} ns a position")
    slope = np.polyfit(np.log2(sizes[3:]), np.log2(best[3:]), 1)[0]
    print(f"exponent of d from 2^{chosen.low + 3} on: {slope:.2f}")


if __name__ == "__main__":
    main()
