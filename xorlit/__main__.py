"""The command line: ``python -m xorlit`` or ``xorlit``."""

import argparse
import json
import sys

import xorlit
from xorlit import experiments


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


if __name__ == "__main__":
    sys.exit(main())
