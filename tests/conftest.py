import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

# No wall-clock limits: a slow machine is not a wrong result.
settings.register_profile("xorlit", deadline=None, derandomize=True)
settings.load_profile("xorlit")


def copy_tree(target):
    """A clean copy of the project: what git tracks or would track, and nothing built."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in listing.stdout.splitlines():
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def run(*command, cwd, **environment):
    """Run a command with this environment's programs first; returns the finished process."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path} | environment
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment)


def build_book(folder, **environment):
    command = ("jupyter-book", "build", ".", "-W", "-n", "--keep-going")
    return run(*command, cwd=folder, **environment)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """A folder in which the wheel of the package, and nothing else, is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copy_tree(folder / "source")
    process = run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target",
        str(folder / "installed"), str(source), cwd=folder,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-4000:]
    return folder / "installed"


@pytest.fixture(scope="session")
def book(tmp_path_factory, wheel):
    """The whole book, built strictly from a clean tree; its chapters import the built wheel.

    They are executed in an empty directory (``run_in_temp`` in ``_config.yml``), so a chapter
    that needs a file of the repository fails here.
    """
    if "BOOK" in os.environ:
        return Path(os.environ["BOOK"]).resolve()
    folder = copy_tree(tmp_path_factory.mktemp("book"))
    process = build_book(folder, PYTHONPATH=str(wheel))
    assert process.returncode == 0, process.stdout[-4000:] + process.stderr[-4000:]
    return folder / "_build" / "html"
