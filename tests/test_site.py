"""What readers, teachers and users of such books complained about, each made impossible here.

The names of the tests are the complaints.  Those that need a build use a book of two pages.
"""

import json
import re
import resource
import shutil
import subprocess
import sys
import tarfile

import pytest
import yaml
from conftest import ROOT, build_book, run
from test_book import CHAPTERS, TOC, listed

HEADER = (ROOT / "book" / "one-step.md").read_text().split("# ")[0]
CANARY = "the canary sings in the solution"
INDEX = f"""{HEADER}# First

```{{code-cell}}
import xorlit
print("version", xorlit.__version__)
```

See {{prf:ref}}`lem-after`, {{eq}}`eq-one` and {{doc}}`second`.

$$x = 1$$ (eq-one)

:::{{prf:theorem}}
:label: thm-first
A statement.
:::

:::{{prf:lemma}}
:label: lem-after
Another.
:::

```{{exercise-start}}
:label: ex-canary
```
A question.
```{{exercise-end}}
```

```{{solution-start}} ex-canary
:class: dropdown
```
Here {CANARY}.

```{{code-cell}}
print("{CANARY}")
```
```{{solution-end}}
```
"""
SECOND = "# Second\n\nNothing runs here, and no reference leaves the page.\n"


def two_pages(folder, index=INDEX, second=SECOND):
    """A book of two pages with the settings, the extension and the looks of the real one."""
    for name in ("_config.yml", "requirements.txt", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / "book" / name, folder / "book" / name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    shutil.copy(ROOT / "book" / "references.bib", folder / "book")
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters: [{file: book/second}]\n"
    )
    (folder / "book" / "index.md").write_text(index)
    (folder / "book" / "second.md").write_text(second)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The two pages, built twice, so that the second build hits the execution cache."""
    folder = two_pages(tmp_path_factory.mktemp("two-pages"))
    for _ in range(2):
        process = build_book(folder)
        assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
        (folder / "book" / "index.md").touch()
    return folder / "_build" / "html"


def make(folder, *targets):
    venv = sys.prefix
    return run("make", "-o", f"{venv}/ready", f"VENV={venv}", *targets, cwd=folder)


def test_a_second_strict_build_is_green_although_the_first_warned(tmp_path):
    two_pages(tmp_path, second="# Second\n\n{eq}`eq-nowhere`\n")
    assert make(tmp_path, "book").returncode != 0
    assert make(tmp_path, "book").returncode != 0


def test_outputs_stay_stale_after_the_package_changed(tmp_path):
    two_pages(tmp_path)
    shutil.copytree(ROOT / "xorlit", tmp_path / "xorlit")
    source = tmp_path / "xorlit" / "__init__.py"
    for version in ("8.8.8", "9.9.9"):
        text = re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', source.read_text())
        source.write_text(text)
        venv = sys.prefix
        command = ("make", "-o", f"{venv}/ready", f"VENV={venv}", "book")
        assert run(*command, cwd=tmp_path, PYTHONPATH=str(tmp_path)).returncode == 0
        page = (tmp_path / "_build" / "html" / "book" / "index.html").read_text()
        assert f"version {version}" in page


def test_text_calls_names_that_the_released_package_lacks(wheel):
    names = set()
    for path in CHAPTERS:
        names |= set(re.findall(r"\bxorlit((?:\.[A-Za-z]\w*)+)", path.read_text()))
    names = sorted("xorlit" + n for n in names if not n.endswith((".git", ".io", ".py")))
    code = (
        "import pkgutil, xorlit;"
        f"[pkgutil.resolve_name(name) for name in {names}]; print(xorlit.__file__)"
    )
    process = run(sys.executable, "-c", code, cwd=wheel, PYTHONPATH=str(wheel))
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(str(wheel))


def test_notebooks_run_only_inside_the_repository(tmp_path, wheel):
    page = f"{HEADER}# First\n\n```{{code-cell}}\nimport os, xorlit\n%s\n```\n"
    two_pages(tmp_path, page % f"assert xorlit.__file__.startswith('{wheel}')\n"
              "assert os.listdir() == [], os.listdir()")  # fmt: skip
    process = build_book(tmp_path, PYTHONPATH=str(wheel))
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    (tmp_path / "book" / "index.md").write_text(page % "open('../_config.yml')")
    assert build_book(tmp_path, PYTHONPATH=str(wheel)).returncode != 0


def test_launch_links_open_a_file_that_is_no_notebook(book):
    for name in listed(TOC):
        page = (book / f"{name}.html").read_text()
        for target in re.findall(r'href="https://colab[^"]*/blob/([^"]+)"', page):
            branch, _, notebook = target.partition("/")
            assert branch == "notebooks"
            assert json.loads((book / "_sources" / "book" / notebook).read_text())["cells"]
        for target in re.findall(r'href="https://mybinder[^"]*lab/tree/([^"]+)"', page):
            assert (ROOT / target).read_text().startswith("---\njupytext:")
    published = (ROOT / ".github" / "workflows" / "publish.yml").read_text()
    assert "_build/html/_sources/book/*.ipynb" in published
    assert "HEAD:notebooks" in published
    # Binder opens a chapter as a notebook and not as text.
    assert "set-default-viewer" in (ROOT / "binder" / "postBuild").read_text()


def check_notebook(path):
    cells = json.loads(path.read_text())["cells"]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            raw = re.search(r":::|^```\{|\{[\w:-]+\}`|\$\$ \(|\)=$", "".join(cell["source"]), re.M)
            assert not raw, f"{path.name}: {raw}"
        for output in cell.get("outputs", []):
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
    return cells


def test_a_downloaded_notebook_is_full_of_raw_directives(book):
    for path in (book / "_sources" / "book").glob("*.ipynb"):
        cells = check_notebook(path)
        assert any(cell.get("outputs") for cell in cells), f"{path.name} lost its outputs"


def test_a_downloaded_notebook_loses_its_outputs_on_a_rebuild(built):
    cells = check_notebook(built / "_sources" / "book" / "index.ipynb")
    printed = [o["text"] for c in cells for o in c.get("outputs", []) if o["name"] == "stdout"]
    assert any("version" in "".join(text) for text in printed)
    words = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert "See Lemma 2, (1) and [Second](https://" in words


def test_theorem_1_is_followed_by_lemma_1(built):
    page = (built / "book" / "index.html").read_text()
    assert re.findall(r'caption-number">(\w+ \d+) ', page)[:3] == [
        "Theorem 1", "Lemma 2", "Exercise 1",
    ]  # fmt: skip


def test_binder_kernel_is_killed_for_memory(book):
    """The largest process of the whole build stayed under 1.5 GB (0 if it was built before)."""
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1.5e6


def test_default_torch_drags_gpu_libraries_into_binder():
    wanted = (ROOT / "binder" / "requirements.txt").read_text()
    assert "--extra-index-url https://download.pytorch.org/whl/cpu" in wanted
    pins = (ROOT / "requirements.txt").read_text()
    assert not re.search(r"^(nvidia|triton|cuda)", pins, re.M)
    assert re.search(r"^torch==", pins, re.M)


def test_old_pins_meet_a_new_python():
    python = (ROOT / "binder" / "runtime.txt").read_text().strip()
    assert re.fullmatch(r"python-3\.\d+", python)
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in python


def test_warnings_progress_bars_or_paths_of_the_build_machine_are_published(book, tmp_path):
    for page in (*book.rglob("*.html"), *book.rglob("*.ipynb")):
        text = page.read_text()
        assert str(book.parents[1]) not in text
        assert str(ROOT) not in text
        assert not re.search(r"/tmp/|/site-packages/|\w+Warning:|\d+%\|", text), page.name
    noisy = 'import sys, warnings\nwarnings.warn("look out")\nprint("50%|##", file=sys.stderr)'
    two_pages(tmp_path, f"{HEADER}# First\n\n```{{code-cell}}\n{noisy}\n```\n")
    assert build_book(tmp_path).returncode != 0  # a warning is seen, and never published


def test_solutions_are_in_the_student_edition(tmp_path):
    two_pages(tmp_path)
    run("git", "init", "--quiet", cwd=tmp_path)
    process = make(tmp_path, "student")
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    html = tmp_path / "_build" / "student" / "_build" / "html"
    assert "A question." in (html / "book" / "index.html").read_text()
    for path in (tmp_path / "_build" / "student").rglob("*"):
        assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path
    assert "canary" not in (html / "searchindex.js").read_text().replace("ex-canary", "")


def test_no_solution_of_the_real_book_survives_in_the_student_edition(tmp_path):
    student = ROOT / "book" / "_ext" / "student.py"
    subprocess.run([sys.executable, student, tmp_path / "student"], cwd=ROOT, check=True)
    for path in CHAPTERS:
        text = (tmp_path / "student" / "book" / path.name).read_text()
        assert "{solution" not in text
        assert text.count("{exercise") == path.read_text().count("{exercise")


def test_there_is_no_licence_for_the_text(built):
    assert "MIT" in (ROOT / "LICENSE").read_text()
    assert "Creative Commons Attribution 4.0" in (ROOT / "LICENSE-text").read_text()
    for page in ("index", "second"):
        footer = (built / "book" / f"{page}.html").read_text().split('class="bd-footer-content"')[1]
        assert re.search(r"CC BY 4\.0", footer)
        assert "MIT" in footer
        assert "version 0." in footer


def test_the_site_asks_a_third_party_for_code(built):
    for page in built.rglob("*.html"):
        assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//(?!xorlit)',
                             page.read_text()), page.name  # fmt: skip


def test_an_asset_with_another_checksum_is_refused(tmp_path):
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(ROOT / "LICENSE", "package/LICENSE")
    code = (
        "import assets, pathlib, sys;"
        "assets.unpack(pathlib.Path(sys.argv[1]), 'x' * 88, '.*', pathlib.Path(sys.argv[2]))"
    )
    process = run(sys.executable, "-c", code, str(tmp_path / "a.tgz"), str(tmp_path / "out"),
                  cwd=ROOT / "book" / "_ext")  # fmt: skip
    assert process.returncode != 0
    assert "sha512" in process.stderr
    assert not (tmp_path / "out").exists()


def test_a_page_costs_a_megabyte_of_icons_and_unused_code(built):
    page = (built / "book" / "index.html").read_text()
    for waste in ("fontawesome.js", "thebe", "searchindex.js", "require.min.js"):
        assert waste not in page
    icons = (built / "_static" / "icons.css").read_text()
    for icon in ("magnifying-glass", "rocket", "download", "bars", "github", "sun", "moon"):
        assert f".fa-{icon} " in icon + icons
    assert len(icons) < 40_000


def test_the_pdf_has_no_tags_and_no_outline_and_links_to_the_machine(tmp_path):
    cites = "# Second\n\nAs {cite:t}`han2025transformers` say.\n\n```{bibliography}\n```\n"
    two_pages(tmp_path, second=cites)
    process = make(tmp_path, "pdf")
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    pdf = (tmp_path / "_build" / "xorlit.pdf").read_bytes()
    assert b"/MarkInfo" in pdf
    assert b"/Outlines" in pdf
    assert b"/Dest" in pdf
    assert b"file:" not in pdf


def test_settings_are_read_as_meant():
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert config["execute"]["raise_on_error"] is True
    assert config["execute"]["stderr_output"] == "remove-warn"
    assert config["execute"]["run_in_temp"] is True
