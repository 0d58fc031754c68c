"""The local Sphinx extension of the book: what it serves itself, its links, and lighter pages."""

import re
from datetime import date
from pathlib import Path

import assets
import chapters
import notebooks

import xorlit

# What the theme puts on every page and no page here needs, or gets wrong: pattern, replacement.
MENDED = [
    # Half a megabyte of icon script (see assets.icons), and a code runner with the address
    # of somebody else's server.
    (r'<script defer src="([^"]*?)scripts/fontawesome\.js[^"]*"></script>',
     r'<link rel="stylesheet" href="\1icons.css">'),
    (r"<script>const THEBE_JS_URL.*?</script>", ""),
    (r'<script async="async" src="[^"]*sphinx-thebe\.js[^"]*"></script>', ""),
    (r'<link rel="stylesheet"[^>]*sphinx-thebe\.css[^>]*>', ""),
    (r'<script type="text/x-thebe-config">.*?</script>', ""),
    (r"<script>kernelName = .*?</script>", ""),
    # Where the package lies on the machine that built the page (in a traceback).
    (notebooks.PLACE, r"\1"),
    # A list needs list items.
    (r'role="doc-biblioentry"', 'role="listitem"'),
    # The title of the book stands outside every landmark.
    (r'<div id="pst-primary-sidebar" class', r'<div id="pst-primary-sidebar" role="region" '
     r'aria-label="Book" class'),
]  # fmt: skip
# The search index is for the search page alone.
INDEX = (r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>', "")
SEARCH = (r'(<script src="([^"]*)searchtools\.js"></script>)',
          r'\1<script src="\2search.js"></script>')  # fmt: skip


def choose_parts(app, config):
    """Theme options that Jupyter Book has no entry for: one search field, a dated footer."""
    options = config.html_theme_options
    options |= {"navbar_persistent": [], "primary_sidebar_end": []}
    footer = options.get("extra_footer", "").replace("VERSION", xorlit.__version__)
    options["extra_footer"] = footer.replace("DATE", date.today().isoformat())


def serve_assets(app):
    """Copy what npm brought into _static, with everything else that is static."""
    if app.builder.format == "html":
        app.config.html_static_path.append(str(assets.fetched()))


def know_every_node(app):
    """Extensions taught their nodes to the html builder only; the PDF is made by singlehtml."""
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers.get("html", {}) | handlers.get("singlehtml", {})


def without_widget_state(app, doctree):
    """A page shows `xorlit.widgets` players as HTML; the live twin's state is dead weight there."""
    scripts = doctree.get("nb_js_files", {})
    for key in [key for key in scripts if key.startswith("ipywidgets")]:
        del scripts[key]


def link_to_notebooks(app, pagename, templatename, context, doctree):
    """Colab cannot open a .md chapter: point it at the notebook that is published with the site."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if button.get("text") == "Colab":
                button["url"] = re.sub(
                    r"/blob/[^/]+/.*?([^/]+)\.md$", r"/blob/notebooks/\1.ipynb", button["url"]
                )


def mend_pages(app, exception):
    """Last touches to the written pages, which no option of the theme offers."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    used = set()
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for pattern, replacement in [*MENDED, SEARCH if page.name == "search.html" else INDEX]:
            text = re.sub(pattern, replacement, text, flags=re.S)
        used |= set(re.findall(r"\bfa-([a-z-]+)", text))
        page.write_text(text, encoding="utf-8")
    script = out / "_static" / "scripts" / "fontawesome.js"
    (out / "_static" / "icons.css").write_text(assets.icons(script.read_text(), used))


def setup(app):
    app.connect("config-inited", choose_parts)
    app.connect("builder-inited", serve_assets)
    app.connect("builder-inited", know_every_node)
    app.connect("env-before-read-docs", chapters.execute)
    app.connect("doctree-read", without_widget_state)
    app.connect("html-page-context", link_to_notebooks, priority=502)
    app.connect("build-finished", mend_pages)
    app.connect("build-finished", notebooks.write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
