"""Print the one-page build of the book as a tagged PDF with an outline: pdf.py FOLDER OUT.pdf."""

import re
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NUMBER = (
    '<div style="width: 100%; text-align: center; font: 8px sans-serif; color: #525a66">'
    '<span class="pageNumber"></span></div>'
)

MENDED = [
    # A citation has the same id as a place that cites; and one page needs no name of its own.
    (r'(<div class="citation" id=")(id\d+")', r"\1cite-\2"),
    (r'href="book/index\.html#(id\d+")', r'href="#cite-\1'),
    (r'href="book/index\.html#', 'href="#'),
    # A link to a chapter leads to the page its title is on, not to the one before.
    (r'(<span id="document-book/[^"]*"></span>)(<section[^>]*>\s*<h2>)', r"\2\1"),
]

FRONT = """
const title = document.querySelector('article h1');
const line = document.createElement('p');
line.append(...document.querySelectorAll('.component-author, .extra_footer p'));
title.after(line);
line.after(document.querySelector('#jb-print-toc') ?? '');
"""

UNFOLDED = """
document.querySelectorAll('details').forEach(d => d.open = true);
document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
// A figure that moves is shown at its end, where it starts from nothing.
document.querySelectorAll('.xorlit-player').forEach(player => {
  const slider = player.querySelector('input[type=range][value="0"]');
  if (!slider) return;
  slider.value = slider.max;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
});
"""


def print_page(folder, target):
    """Set every formula, open everything that is folded, and print."""
    # Sphinx writes book/index.html with addresses that start at the root.
    source = Path(folder, "print.html")
    text = Path(folder, "book", "index.html").read_text(encoding="utf-8")
    for pattern, replacement in MENDED:
        text = re.sub(pattern, replacement, text)
    source.write_text(text, encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        # as wide as the paper, so that formulas are broken where its lines end
        page = browser.new_page(color_scheme="light", viewport={"width": 643, "height": 900})
        page.set_default_timeout(300_000)
        page.emulate_media(media="print")
        page.goto(source.resolve().as_uri())
        page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
        page.evaluate(FRONT)
        page.evaluate(UNFOLDED)
        page.wait_for_timeout(1000)  # what was folded is laid out only now
        page.pdf(
            path=target, format="A4", tagged=True, outline=True, print_background=True,
            display_header_footer=True, header_template="<span></span>", footer_template=NUMBER,
            margin={"top": "18mm", "bottom": "20mm", "left": "20mm", "right": "20mm"},
        )  # fmt: skip
        browser.close()


if __name__ == "__main__":
    print_page(*sys.argv[1:])
