"""The book builds, its text keeps to the rules, and a broken chapter cannot go unseen."""

import re
import sys
from pkgutil import resolve_name

import pytest
import yaml
from bs4 import BeautifulSoup
from conftest import ROOT, copy_tree, run

CHAPTERS = sorted((ROOT / "book").glob("*.md"))
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())


def listed(toc):
    return [toc["root"]] + [c["file"] for part in toc["parts"] for c in part["chapters"]]


CODE = {"code-cell", "math", "literalinclude", "bibliography"}


def without_code(text):
    """The prose of a chapter: no front matter, code, directive options, math, links or roles."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    prose, fences = [], []
    for line in text.splitlines():
        fence, directive, title = re.match(r"(`{3,}|:{3,}|)(?:\{([\w:-]+)\})?(.*)", line).groups()
        inside_code = fences and fences[-1][1]
        if fences and line.strip() == fences[-1][0]:
            fences.pop()
        elif fence and not inside_code:
            fences.append((fence, directive is None or directive in CODE))
            prose.append("" if fences[-1][1] else title)
        elif not inside_code and not re.match(r":[\w-]+:", line):
            prose.append(line)
    text = re.sub(r"\$\$.*?\$\$|\$[^$]+\$", "", "\n".join(prose), flags=re.S)
    return re.sub(r"\{[\w:-]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)", "", text)


def test_prose_is_told_from_code():
    text = "a 1.5\n```{exercise-start} T\n:label: x\n```\nb $2.5$ c 3.5\n```{code-cell}\n4.5\n```\n"
    text += "`5.5` {glue:text}`6.5`\n:::{prf:theorem} 7.5\n8.5\n$$\n9.5\n$$\n:::\n```\n10.5\n```\n"
    assert re.findall(r"\d+\.5", without_code(text)) == ["1.5", "3.5", "7.5", "8.5"]


def test_the_book_builds_from_a_clean_tree(book):
    for name in listed(TOC):
        assert (book / f"{name}.html").exists()


def test_every_chapter_is_in_the_table_of_contents():
    assert sorted(listed(TOC)) == sorted(f"book/{path.stem}" for path in CHAPTERS)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_number_in_the_prose_is_typed_by_hand(path):
    """Decimals and percentages in the text come from glue; constants of a proof are in math."""
    # versions of licences; Section 3.2 of the paper; the level of intervals
    allowed = {"1.1", "2.0", "4.0", "3.2", "95 %"}
    typed = re.findall(r"(?<![\w.])\d+\.\d+|\d+(?:\.\d+)?\s?%", without_code(path.read_text()))
    assert set(typed) <= allowed


@pytest.mark.parametrize("name", listed(TOC))
def test_no_page_shows_what_only_a_program_can_read(book, name):
    """Numbers as NumPy writes them, markup that nobody read, a command that was not found."""
    page = BeautifulSoup((book / f"{name}.html").read_text(), "html.parser").article
    for code in page.select(".math, .cell_input, .highlight-python, .highlight-ipythontb"):
        code.decompose()
    numbers = r"np\.(?:int|float|bool|True|False)\w*"
    markup = r"\|[-—]+\||\\emph|:::|\{\w+\}`"
    assert not re.findall(f"{numbers}|{markup}|No module named", page.get_text())


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_calls_the_shell(path):
    """A shell command that fails does not fail the build."""
    cells = re.findall(r"^```\{code-cell\}.*?^```", path.read_text(), flags=re.S | re.M)
    assert not re.findall(r"^\s*(?:!|%%(?:ba)?sh)", "\n".join(cells), flags=re.M)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_text_avoids_empty_words(path):
    words = r"\b(obviously|simply|of course|it is well known|it is easy to see|clearly)\b"
    assert not re.findall(words, without_code(path.read_text()), flags=re.I)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_name_of_the_package_in_the_text_exists(path):
    for name in set(re.findall(r"\bxorlit((?:\.[A-Za-z]\w*)+)", path.read_text())):
        if not name.endswith((".git", ".io", ".py")):
            resolve_name("xorlit" + name)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_figure_says_in_words_what_it_shows(path):
    """A cell that draws ends in a call of `figures` or `widgets`, and carries alt text."""
    cells = re.findall(r"^```\{code-cell\}.*?\n(.*?)^```", path.read_text(), flags=re.S | re.M)
    for cell in cells:
        if re.search(r"^figures\.", cell, flags=re.M):
            alt = re.search(r"^\s+alt: (.*(?:\n\s{6,}.*)*)", cell, flags=re.M)
            assert alt, f"no alt text: {cell}"
            assert len(alt[1]) > 40, f"alt text too short: {alt[1]}"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_has_a_solution(path):
    text = path.read_text()
    asked = re.findall(r"\{exercise(?:-start)?\}[^\n]*\n(?::[^\n]*\n)*?:label: (\S+)", text)
    solved = re.findall(r"\{solution(?:-start)?\} (\S+)", text)
    assert sorted(asked) == sorted(solved)
    if "{code-cell}" in text and path.stem not in ("index", "notation", "package"):
        assert len(asked) >= 4


@pytest.mark.parametrize(
    "command",
    [("book",), ("test", "TESTS=tests/test_book.py::test_the_book_builds_from_a_clean_tree")],
)
def test_a_raising_cell_makes_the_command_fail(command, tmp_path):
    folder = copy_tree(tmp_path)
    run("git", "init", "--quiet", cwd=folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    for path in (folder / "book").glob("*.md"):
        path.unlink()
    header = (ROOT / "book" / "index.md").read_text().split("# ")[0]
    page = header + "# A page\n\n```{code-cell}\n%s\n```\n"
    (folder / "book" / "index.md").write_text(page % "1 / 1")
    (folder / "tests" / "test_book.py").write_text(
        "def test_the_book_builds_from_a_clean_tree(book):\n    pass\n"
    )
    venv = sys.prefix
    make = ("make", "-o", f"{venv}/ready", f"VENV={venv}", *command)
    healthy = run(*make, cwd=folder)
    assert healthy.returncode == 0, healthy.stdout[-3000:] + healthy.stderr[-3000:]
    (folder / "book" / "index.md").write_text(page % "1 / 0")
    assert run(*make, cwd=folder).returncode != 0
