"""Print the one-page build of the book as a tagged PDF with an outline: pdf.py FOLDER OUT.pdf."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NUMBER = (
    '<div style="width: 100%; text-align: center; font: 8px sans-serif; color: #525a66">'
    '<span class="pageNumber"></span></div>'
)


def print_page(folder, target):
    """Set every formula, open everything that is folded, and print."""
    # Sphinx writes book/index.html with addresses that start at the root.
    source = Path(folder, "print.html")
    shutil.copy(Path(folder, "book", "index.html"), source)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(300_000)
        page.goto(source.resolve().as_uri())
        page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.evaluate("document.querySelectorAll('.toggle-hidden').forEach("
                      "e => e.classList.remove('toggle-hidden'))")  # fmt: skip
        page.wait_for_timeout(1000)  # what was folded is laid out only now
        page.pdf(
            path=target, format="A4", tagged=True, outline=True, print_background=True,
            display_header_footer=True, header_template="<span></span>", footer_template=NUMBER,
            margin={"top": "18mm", "bottom": "20mm", "left": "20mm", "right": "20mm"},
        )  # fmt: skip
        browser.close()


if __name__ == "__main__":
    print_page(*sys.argv[1:])
