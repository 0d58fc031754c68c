"""Copy the sources of the book without the solutions of its exercises: student.py FOLDER.

The solutions go before anything is built, so that they are in no page, download or search index.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

GATED = r"^```\{solution-start\}.*?^```\{solution-end\}\s*?^```\s*?$\n?"
PLAIN = r"^(`{3,}|:{3,})\{solution\}.*?^\1\s*?$\n?"


def without_solutions(text):
    """A chapter without its solutions, gated or plain."""
    for pattern in (GATED, PLAIN):
        text = re.sub(pattern, "", text, flags=re.S | re.M)
    return text


def copy(folder):
    """Copy what git knows of this checkout, chapters without solutions, into a fresh folder."""
    shutil.rmtree(folder, ignore_errors=True)
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    for name in subprocess.check_output(listing, text=True).splitlines():
        source, target = Path(name), Path(folder, name)
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            if source.parent.name == "book" and source.suffix == ".md":
                target.write_text(without_solutions(source.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    copy(sys.argv[1])
