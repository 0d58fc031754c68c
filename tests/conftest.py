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


def run(*command, cwd):
    """Run a command with this environment's programs first; returns the finished process."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )


def build_book(folder):
    return run("jupyter-book", "build", ".", "-W", "-n", "--keep-going", cwd=folder)


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The whole book, every chapter executed, built strictly from a clean tree."""
    folder = copy_tree(tmp_path_factory.mktemp("book"))
    process = build_book(folder)
    assert process.returncode == 0, process.stdout[-4000:] + process.stderr[-4000:]
    return folder / "_build" / "html"
