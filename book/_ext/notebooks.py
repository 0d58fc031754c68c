"""Chapters as plain notebooks: no directive, no role, outputs included.

They replace the theme's own downloads, which keep the raw MyST and lose their outputs when the
execution cache is hit.  What a role prints (numbers of theorems, equations and figures, citations)
is read off the pages just written, so that notebook and page say the same.
"""

import re
from pathlib import Path

import jupytext
import nbformat
from bs4 import BeautifulSoup
from jupyter_cache import get_cache
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
INSTALL = '''\
# Somewhere else than in a checkout, fetch the package and what the chapters use.
import importlib.util

if importlib.util.find_spec("xorlit") is None:
    %pip install -q "xorlit[book] @ git+{repository}"'''
# Where the machine that executed a chapter keeps a Python file; not the address of a site.
PLACE = r'(?:(?<=\x1b\[\d\dm)|(?<![\w:/]))/[^\s<>"\x1b]*(?:site-packages/|/(?=xorlit/))([\w/]+\.py)'
NOTES = {"note", "tip", "hint", "warning", "important", "caution", "attention", "seealso",
         "admonition", "dropdown"}  # fmt: skip
DROPPED = {"exercise-end", "solution-end", "tableofcontents", "bibliography", "only", "raw"}


def write(app, exception):
    """Write ``_sources/CHAPTER.ipynb`` for every chapter with cells; after ``build-finished``."""
    if exception or app.builder.name != "html":
        return
    out = Path(app.outdir)
    pages = {
        name: BeautifulSoup((out / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        for name in app.env.all_docs
    }
    numbers = {}
    for page in pages.values():
        numbers |= captions(page)
    cache = get_cache(app.env.mystnb_config.execution_cache_path or out.parent / ".jupyter_cache")
    for name, page in pages.items():
        book = jupytext.read(app.env.doc2path(name))
        if "kernelspec" in book.metadata:
            book = cache.merge_match_into_notebook(book)[1]
            target = (out / "_sources" / name).with_suffix(".ipynb")
            nbformat.write(Chapter(app, name, page, numbers, book).convert(), target)


def captions(page):
    """What a page calls its numbered things: id → "Theorem 3", "Fig. 2", "(7)"."""
    found = {}
    for number in page.select(".caption-number, .eqno"):
        owner = number.find_parent(id=True)
        if owner is not None:
            found[owner["id"]] = number.get_text().strip().rstrip("#").strip()
    return found


class Chapter:
    """One chapter on its way from MyST to plain Markdown cells."""

    def __init__(self, app, name, page, numbers, book):
        self.app, self.name, self.numbers, self.book = app, name, numbers, book
        self.site = app.config.html_baseurl.rstrip("/")
        self.citations = [node.get_text() for node in page.select(".bibtex-citation")]
        self.macros = (app.config.mathjax3_config or {}).get("tex", {}).get("macros", {})
        self.glued = {}
        for cell in book.cells:
            for output in cell.get("outputs", ()):
                key = output.get("metadata", {}).get("scrapbook", {}).get("name")
                if key:
                    text = [v for kind, v in output["data"].items() if kind.endswith("text/plain")]
                    self.glued[key] = text[0].strip("'\"")

    def convert(self):
        """The notebook, ready to open anywhere."""
        repository = self.app.config.html_theme_options.get("repository_url", "")
        cells = [nbformat.v4.new_code_cell(INSTALL.format(repository=repository))]
        for cell in self.book.cells:
            if cell.cell_type == "markdown":
                text = self.markdown(cell.source.splitlines()).strip()
                cells += [nbformat.v4.new_markdown_cell(text)] if text else []
            else:
                cells += self.code(cell)
        metadata = {"kernelspec": self.book.metadata.kernelspec, "title": self.title(self.name)}
        return nbformat.v4.new_notebook(cells=cells, metadata=metadata)

    def code(self, cell):
        """A code cell with its outputs, hidden where the page hides it, and its caption."""
        tags = cell.metadata.get("tags", [])
        hidden = any(tag in tags for tag in ("hide-input", "remove-input", "remove-cell"))
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        new = nbformat.v4.new_code_cell(cell.source)
        new.metadata = {"jupyter": {"source_hidden": True}} if hidden else {}
        new.execution_count = cell.get("execution_count")
        for output in cell.get("outputs", ()):
            if output.get("name") != "stderr" and "scrapbook" not in output.get("metadata", {}):
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
                if "traceback" in output:
                    output.traceback = [re.sub(PLACE, r"\1", line) for line in output.traceback]
                new.outputs.append(output)
        if not figure:
            return [new]
        number = self.numbers.get(figure.get("name"), "")
        caption = self.markdown(figure.get("caption", "").splitlines())
        return [new, nbformat.v4.new_markdown_cell(f"**{number}** {caption}".strip())]

    def markdown(self, lines):
        """MyST lines as plain Markdown: directives by name, then roles, labels and macros."""
        out, lines = [], list(lines)
        while lines:
            line = lines.pop(0)
            opened = re.match(r"\s*(`{3,}|:{3,}|~{3,})\{([\w:-]+)\}\s*(.*)", line)
            if opened:
                fence, name, argument = opened.groups()
                options, body = _body(lines, fence)
                out += ["", *self.directive(name, argument, options, body).splitlines(), ""]
            elif re.match(r"\s*(`{3,}|~{3,})", line):  # a plain block of code stays as it is
                fence = re.match(r"\s*(`{3,}|~{3,})", line)[1]
                out += [line, *_body(lines, fence, options=False)[1], fence]
            elif not re.match(r"\(\S+\)=\s*$|%|\+\+\+", line):
                out.append(self.inline(line))
        text = "\n".join(out)
        text = re.sub(r"\$\$\s*\(([\w:.-]+)\)", self.tag, text)
        for macro, meaning in self.macros.items():
            text = re.sub(rf"\\{macro}(?![a-zA-Z])", lambda _, m=meaning: m, text)
        return re.sub(r"\n{3,}", "\n\n", text)

    def tag(self, match):
        return rf"\tag{{{self.numbers.get('equation-' + match[1], '').strip('()')}}}$$"

    def directive(self, name, argument, options, body):
        """One directive as plain Markdown."""
        number = self.numbers.get(options.get("label") or options.get("name"), "")
        title = f" ({self.inline(argument)})" if argument else ""
        if name == "prf:proof":
            return f"*Proof.* {self.markdown(body).strip()} ∎"
        if name.startswith("prf:"):
            return f"**{number or name[4:].capitalize()}**{title}\n\n{self.markdown(body)}"
        if name in ("exercise", "exercise-start"):
            return f"### {number}{title}\n\n{self.markdown(body)}"
        if name in ("solution", "solution-start"):
            return f"#### Solution to {self.numbers.get(argument, '')}\n\n{self.markdown(body)}"
        if name == "literalinclude":
            return f"```python\n{self.source(argument, options)}\n```"
        if name == "math":
            tag = rf" \tag{{{self.numbers.get('equation-' + options['label'], '').strip('()')}}}" \
                if "label" in options else ""  # fmt: skip
            return "$$\n" + "\n".join(body) + f"{tag}\n$$"
        if name in ("code-block", "code"):
            return f"```{argument}\n" + "\n".join(body) + "\n```"
        if name in ("figure", "image"):
            return f"![{options.get('alt', '')}]({self.site}/_images/{Path(argument).name})"
        if name in ("grid", "div", "container"):
            return self.markdown(body)
        if name == "grid-item-card":
            return f"**{argument}.** {self.markdown(body).strip()}"
        if name in ("eval-rst", "automodule", "autofunction", "autoclass", "glossary"):
            return f"See [{self.title(self.name)}]({self.url(self.name)}) on the site."
        if name in NOTES:
            heading = self.inline(argument) or name.capitalize()
            return (f"<details><summary>{heading}</summary>\n\n{self.markdown(body)}\n\n</details>"
                    if name == "dropdown" or options.get("class") == "dropdown"
                    else f"**{heading}.** {self.markdown(body).strip()}")  # fmt: skip
        if name not in DROPPED:
            LOGGER.warning("no plain form for directive %s", name, location=self.name)
        return ""

    def inline(self, text):
        """Roles as plain Markdown; math and code between backquotes are left alone."""
        return re.sub(r"\{([\w:-]+)\}`([^`]+)`", lambda m: self.role(*m.groups()), text)

    def role(self, name, content):
        """One role as plain Markdown."""
        shown, target = re.fullmatch(r"(?:(.*?)\s*<)?([^<>]+)>?", content, re.S).groups()
        if name == "glue:text":
            return self.glued.get(content.partition(":")[0], f"`{content}`")
        if name.startswith("cite"):
            return self.citations.pop(0) if self.citations else content
        if name == "eq":
            return self.numbers.get(f"equation-{target}", target)
        if name == "doc":
            name = str(Path(self.name).parent / target) if target[0] != "/" else target[1:]
            return f"[{shown or self.title(name)}]({self.url(name)})"
        if name in ("prf:ref", "numref", "ref"):
            return shown if shown and "%s" not in shown else self.numbers.get(target, target)
        if name == "math":
            return f"${content}$"
        return f"`{content.lstrip('~')}`" if name.startswith("py:") or name == "code" else content

    def source(self, path, options):
        """The lines of a file that a literalinclude shows."""
        path = (Path(self.app.srcdir) / self.name).parent / path
        lines = path.read_text(encoding="utf-8").splitlines()
        if "pyobject" in options:
            tags = ModuleAnalyzer.for_file(str(path), "").find_tags()
            _, start, end = tags[options["pyobject"]]
            lines = lines[start - 1 : end]
        return "\n".join(lines).rstrip()

    def title(self, name):
        titles = self.app.env.titles  # Sphinx has warned already if there is no such page
        return titles[name].astext() if name in titles else name

    def url(self, name):
        return f"{self.site}/{name}.html"


def _body(lines, fence, options=True):
    """Take options and body of a directive off the front of ``lines``, up to its closing fence."""
    body = []
    while lines:
        line = lines.pop(0)
        closing = line.strip()
        if len(closing) >= len(fence) and set(closing) == {fence[0]}:
            break
        body.append(line)
    found = {}
    while options and body and (option := re.match(r"\s*:([\w-]+):\s*(.*)", body[0])):
        found[option[1]] = option[2]
        body.pop(0)
    return (found, body)
