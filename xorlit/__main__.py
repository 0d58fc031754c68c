"""The command line: ``python -m xorlit`` or ``xorlit``."""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

import xorlit
from xorlit import experiments, sweeps


def main(arguments=None):
    """Run the command line; returns the exit code.

    >>> main(["one-step", "--d", "1024", "--m", "64", "--seed", "0"])  # doctest: +ELLIPSIS
    support               ...
    0
    """
    parser = argparse.ArgumentParser(prog="xorlit", description=xorlit.__doc__.splitlines()[0])
    parser.add_argument("--version", action="version", version=xorlit.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _one_step(commands)
    _reproduce(commands)
    _sweep(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except ValueError as error:
        print(f"xorlit: {error}", file=sys.stderr)
        return 2
    return 0


def _one_step(commands):
    parser = commands.add_parser("one-step", help="take one gradient step and report what it did")
    parser.add_argument("--d", type=int, default=1024, help="number of bits")
    parser.add_argument("--m", type=int, default=64, help="length of a position vector")
    parser.add_argument("--seed", type=int, default=0, help="seed of support, positions, queries")
    parser.add_argument("--rate", type=float, help="learning rate (default: the rate law)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_one_step)


def _run_one_step(options):
    task = xorlit.SparseXOR(options.d, rng=options.seed)
    V = xorlit.sphere(options.d, options.m, rng=options.seed)
    q = xorlit.antisymmetric_queries(options.m, rng=options.seed)
    out = xorlit.one_step(task, V, q, rate=options.rate)
    report = {
        "support": task.support,
        "heads": out.heads,
        "peak attention": [round(p, 6) for p in out.peak.tolist()],
        "loss before": round(out.loss_before, 6),
        "loss after": round(out.loss, 6),
        "learned": out.learned,
        "trainable parameters": q.size,
    }
    if options.json:
        print(json.dumps({key.replace(" ", "_"): value for key, value in report.items()}))
    else:
        for key, value in report.items():
            values = value if isinstance(value, (tuple, list)) else [value]
            print(f"{key:<22}{'  '.join(str(v) for v in values)}")


def _reproduce(commands):
    parser = commands.add_parser("reproduce", help="make a saved result of the book again")
    parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(experiments.names()))
    parser.set_defaults(run=_run_reproduce)


def _run_reproduce(options):
    for name in options.names:
        result = experiments.reproduce(name)
        print(f"{name}: {len(next(iter(result.columns.values())))} rows saved")


def _sweep(commands):
    parser = commands.add_parser("sweep", help="run a grid of trials, resumable, into a file")
    parser.add_argument("--d", required=True, help="sizes: 64..1024 doubles, 8..64:4 steps, 3,5")
    parser.add_argument("--m", required=True, help="lengths of a position vector, as for --d")
    parser.add_argument("--trials", type=int, required=True, help="seeds for each combination")
    parser.add_argument("--out", required=True, help="JSON-lines file to append to and resume from")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--factor", type=float, nargs="+", default=[64.0], help="rate / (d²√m)")
    parser.add_argument("--positions", nargs="+", default=["sphere"], help="sphere, balanced")
    parser.add_argument("--queries", nargs="+", default=["antisymmetric"],
                        help="antisymmetric, independent")  # fmt: skip
    parser.add_argument("--length", type=float, nargs="+", default=[1.0], help="|θ| at the start")
    parser.add_argument("--workers", type=int, default=1, help="processes on this machine")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler to run on")
    parser.set_defaults(run=_run_sweep)


def _run_sweep(options):
    with _executor(options) as executor:
        table = sweeps.sweep(
            sweeps.sizes(options.d), sweeps.sizes(options.m), options.trials, options.factor,
            options.positions, options.queries, options.length, options.seed, options.out,
            executor, progress=True,
        )  # fmt: skip
    cells = np.stack([table["d"], table["m"]])
    for d, m in np.unique(cells, axis=1).T:
        rows = (table["d"] == d) & (table["m"] == m)
        print(f"d = {d:<9} m = {m:<5} learned {table['learned'][rows].mean():.3f}  "
              f"found {table['found'][rows].mean():.3f}  ({rows.sum()} trials)")  # fmt: skip


@contextmanager
def _executor(options):
    if options.scheduler:
        from distributed import Client  # the extra "distributed"

        with Client(options.scheduler) as client:
            yield client.get_executor()
    elif options.workers > 1:
        with ProcessPoolExecutor(options.workers) as pool:
            yield pool
    else:
        yield None


if __name__ == "__main__":
    sys.exit(main())
