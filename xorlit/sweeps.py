"""A grid of independent trials of one step, over any executor, resumable after any interruption.

Every finished trial is one line of a JSON-lines file, written and synced before the next is
recorded.  A trial is named by its own entries, seed included, so it does not matter in which
order, on which worker or in how many attempts the lines arrived.
"""

import json
import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, wait
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np

from xorlit import _checks, positions, step
from xorlit.task import SparseXOR

KEYS = ("d", "m", "factor", "positions", "queries", "length", "seed")
WINDOW = 256  # trials handed to an executor at a time
STORED = 2**28  # entries of V above which the rows are regenerated, not stored

_POSITIONS = {"sphere": positions.sphere, "balanced": positions.balanced}
_QUERIES = {
    "antisymmetric": step.antisymmetric_queries,
    "independent": step.independent_queries,
}


def trial(d, m, factor=64.0, positions="sphere", queries="antisymmetric", length=1.0, seed=0):
    """One step at the rate factor·d²√m, everything random drawn from ``seed``; returns a dict.

    Beside its own entries the row has ``learned`` (loss < 0.1), ``found`` (each head on a bit of
    the support, the same one or not), ``collided`` (both heads on the same position),
    ``loss``, ``find_margin`` and ``match_margin``.  Source: chapter *A hundred million positions*.

    >>> row = trial(d=256, m=32, seed=0)
    >>> row["learned"], row["found"], row["collided"]
    (True, True, False)
    """
    task = SparseXOR(d, rng=seed)
    V = _POSITIONS[positions](d, m, rng=seed, stored=d * m <= STORED)
    q = _QUERIES[queries](m, length=length, rng=seed)
    out = step.one_step(task, V, q, rate=factor * d**2 * sqrt(m))
    values = (d, m, factor, positions, queries, length, seed)
    return dict(zip(KEYS, values, strict=True)) | {
        "learned": out.learned,
        "found": set(out.heads) <= set(task.support),
        "collided": out.heads[0] == out.heads[1],
        "loss": out.loss,
        "find_margin": out.find_margin,
        "match_margin": out.match_margin,
    }


def sweep(
    d, m, trials, factor=64.0, positions="sphere", queries="antisymmetric", length=1.0,
    first_seed=0, file=None, executor=None, progress=False,
):  # fmt: skip
    """Run `trial` on a grid and return its rows as columns, name → array, in the order of the grid.

    ``d``, ``m``, ``factor``, ``positions``, ``queries``, ``length`` are values or sequences of
    values; every combination runs with the seeds first_seed … first_seed + trials − 1.
    ``file`` (None: nothing is kept) receives each finished trial as a line, synced to the disk;
    trials found in it are not run again, and a torn last line is dropped.  ``executor`` is any
    `concurrent.futures.Executor` (None: one trial after another here).  ``progress`` writes how
    far it is to stderr.  Raises ``ValueError`` for a bad grid, or a file that is not a sweep.
    Source: chapter *A hundred million positions*.

    >>> table = sweep(d=[64, 128], m=32, trials=3)
    >>> table["d"].tolist(), table["seed"].tolist()
    ([64, 64, 64, 128, 128, 128], [0, 1, 2, 0, 1, 2])
    """
    grid = _grid(d, m, factor, positions, queries, length, trials, first_seed)
    done = {} if file is None else _resume(Path(file))
    todo = [key for key in grid if key not in done]
    report = _Progress(len(grid), len(todo), progress)
    with open(os.devnull if file is None else file, "a", encoding="utf-8") as out:
        for rows in _run(todo, executor):
            out.writelines(json.dumps(row) + "\n" for row in rows)
            out.flush()
            if file is not None:
                os.fsync(out.fileno())
            done |= {_key(row): row for row in rows}
            report(len(rows))
    table = [done[key] for key in grid]
    return {name: np.array([row[name] for row in table]) for name in table[0]}


def sizes(text):
    """Integers from a command line: "64..1024" doubles, "8..64:4" steps by 4, "3,5" lists.

    Raises ``ValueError`` for anything else.  Source: chapter *The package*.

    >>> sizes("64..512"), sizes("8..16:4"), sizes("3,5")
    ([64, 128, 256, 512], [8, 12, 16], [3, 5])
    """
    try:
        if ".." not in text:
            return [int(number) for number in text.split(",")]
        low, _, rest = text.partition("..")
        high, _, by = rest.partition(":")
        if by:
            return list(range(int(low), int(high) + 1, int(by)))
        doublings = (int(high) // int(low)).bit_length()
        return [int(low) * 2**p for p in range(doublings)]
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"sizes must look like 64, 3,5, 64..1024 or 8..64:4, got {text!r}"
        ) from None


def _grid(d, m, factor, positions, queries, length, trials, first_seed):
    for name, values, known in (
        ("positions", positions, _POSITIONS),
        ("queries", queries, _QUERIES),
    ):
        for value in _several(values):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    first = _checks.integer("first_seed", first_seed, 0)
    seeds = range(first, first + _checks.integer("trials", trials, 1))
    axes = (
        [_checks.integer("d", value, 2) for value in _several(d)],
        [_checks.integer("m", value, 1) for value in _several(m)],
        [_checks.real("factor", value, 0.0) for value in _several(factor)],
        _several(positions),
        _several(queries),
        [_checks.real("length", value, 0.0) for value in _several(length)],
    )
    if not all(axes):
        raise ValueError("d, m, factor, positions, queries and length must not be empty")
    return list(product(*axes, seeds))


def _several(value):
    return [value] if isinstance(value, str) or np.ndim(value) == 0 else list(value)


def _run(todo, executor):
    """Lists of finished rows, in the order they finish."""
    if executor is None:
        yield from ([trial(*key)] for key in todo)
        return
    pending = set()
    for key in todo:
        pending.add(executor.submit(trial, *key))
        if len(pending) >= WINDOW:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield [future.result() for future in finished]
    while pending:
        finished, pending = wait(pending, return_when=FIRST_COMPLETED)
        yield [future.result() for future in finished]


def _resume(path):
    """The trials a file holds; what an interrupted write left of a last line is cut off."""
    if not path.exists():
        return {}
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        with open(path, "r+b") as out:
            out.truncate(whole)
            os.fsync(out.fileno())
    try:
        rows = [json.loads(line) for line in text[:whole].splitlines()]
        return {_key(row): row for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"file must be the output of a sweep, got {path} ({error})") from None


def _key(row):
    return tuple(row[name] for name in KEYS)


class _Progress:
    """Says "12 of 400 trials, 1 min 5 s left" on stderr, at most twice a second."""

    def __init__(self, total, todo, shown):
        self.total, self.left, self.shown = total, todo, shown
        self.todo, self.start, self.last = todo, time.monotonic(), 0.0

    def __call__(self, finished):
        self.left -= finished
        now = time.monotonic()
        if not self.shown or (now - self.last < 0.5 and self.left):
            return
        self.last = now
        seconds = round((now - self.start) / (self.todo - self.left) * self.left)
        text = f"{self.total - self.left} of {self.total} trials"
        text += f", {seconds // 60} min {seconds % 60} s left" if self.left else ", done"
        print(f"\r{text:<60}", end="" if self.left else "\n", file=sys.stderr, flush=True)
