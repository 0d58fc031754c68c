"""One home for saved results, for binomial intervals, and for how small numbers are written.

A saved result is a JSON file with its configuration, seeds, versions and commit.  The ones the
book reads ship inside the package; ``python -m xorlit reproduce NAME`` makes one again.
"""

import json
import platform
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import xorlit
from xorlit import _checks

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Result:
    """A saved table: ``columns`` name → list, with ``name``, ``config`` and ``provenance``.

    ``result["x"]`` is the column x as an array.  Source: chapter *The package*.
    """

    name: str
    config: dict
    columns: dict
    provenance: dict

    def __getitem__(self, column):
        return np.array(self.columns[column])


def save(name, config, columns, folder=DATA):
    """Write a result with its provenance; returns the `Result`.

    ``config`` is everything that decides the numbers, seeds included; ``columns`` maps names to
    equally long sequences.  Raises ``ValueError`` when the lengths differ.
    Source: chapter *The package*.

    >>> import tempfile
    >>> save("t", {"seeds": [0, 4]}, {"x": [1, 2]}, tempfile.mkdtemp())["x"].tolist()
    [1, 2]
    """
    columns = {key: np.asarray(column).tolist() for key, column in columns.items()}
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must be equally long, got lengths {lengths}")
    result = Result(name, config, columns, _provenance())
    (Path(folder) / f"{name}.json").write_text(_text(asdict(result)) + "\n", encoding="utf-8")
    return result


def load(name, folder=DATA):
    """Read a saved `Result`; a missing one is a ``ValueError`` that lists what there is.

    Source: chapter *The package*.

    >>> load("one-step-success").config["d"]
    1024
    """
    path = Path(folder) / f"{name}.json"
    if not path.exists():
        known = ", ".join(sorted(p.stem for p in Path(folder).glob("*.json"))) or "none"
        raise ValueError(f"name must be a saved result ({known}), got {name!r}")
    return Result(**json.loads(path.read_text(encoding="utf-8")))


def scientific(value, digits=2):
    """A number as text writes it, m × 10ⁿ with ``digits`` digits; a string.

    Source: the usual notation; used wherever a chapter glues a very small or large number.

    >>> scientific(-2.84e-4), scientific(1.7e9), scientific(4e-16, digits=1)
    ('−2.8 × 10⁻⁴', '1.7 × 10⁹', '4 × 10⁻¹⁶')
    """
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return f"{mantissa} × 10{power}".replace("-", "−")


def interval(successes, trials, level=0.95):
    """Clopper–Pearson interval (low, high) of a binomial proportion; never too narrow.

    Shapes: ``successes`` and ``trials`` numbers or arrays of one shape; returns two arrays (or
    floats) of that shape.  Raises ``ValueError`` unless 0 ≤ successes ≤ trials and trials ≥ 1.
    Source: Clopper & Pearson (1934); chapter *Notation*.

    >>> low, high = interval(195, 200)
    >>> round(low, 3), round(high, 3)
    (0.943, 0.992)
    """
    from scipy.stats import beta

    k, n = np.asarray(successes), np.asarray(trials)
    if np.any(k < 0) or np.any(k > n) or np.any(n < 1):
        raise ValueError(f"successes must lie in 0..trials, got {successes} of {trials}")
    tail = (1 - _checks.real("level", level, 0.0, 1.0)) / 2
    low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1), n - k + 1), 0.0)
    high = np.where(k < n, beta.ppf(1 - tail, k + 1, np.maximum(n - k, 1)), 1.0)
    return (low, high) if low.ndim else (float(low), float(high))


def smallest_size(size, successes, trials, share=0.8):
    """The first size at which at least ``share`` of the trials succeed, and how sure that is.

    Shapes: ``size`` ascending, ``successes``, ``trials`` (n,).  Returns three floats: the first
    size whose measured share reaches ``share``; the first that cannot be excluded (its upper 95 %
    limit does); the first that is certain (its lower limit does).  inf where there is none.
    Source: chapter *What a feed-forward network pays*.

    >>> smallest_size(np.array([1, 2, 3]), np.array([0, 13, 20]), np.array([20, 20, 20]))
    (3.0, 2.0, 3.0)
    """
    low, high = interval(successes, trials)
    reached = (np.flatnonzero(x >= share) for x in (successes / trials, high, low))
    return tuple(float(size[hits[0]]) if hits.size else np.inf for hits in reached)


def _text(value, depth=0):
    """JSON with one line for each entry and each column, so that a diff can be read."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    entries = (f"{pad}{json.dumps(k)}: {_text(v, depth + 1)}" for k, v in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{' ' * depth}}}"


def _provenance():
    return {
        "version": xorlit.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _commit():
    """The commit of the checkout this package runs from, marked when files differ from it."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--", "*.py"], capture_output=True, text=True
        )
    except OSError:
        return None
    if head.returncode:
        return None
    return head.stdout.strip() + ("+changes" if changed.stdout.strip() else "")
