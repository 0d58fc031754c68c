"""The book in a reader's browser: Debian's Chromium, driven by Playwright, nothing from outside."""

import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright
from test_book import TOC, listed

PAGES = listed(TOC)


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@contextmanager
def reading(chromium, width=1300, **options):
    """A page of a fresh browser context, with the list of what its console complained about."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
    page, complaints = context.new_page(), []
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page, complaints
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_opens(chromium, book, name):
    with reading(chromium) as (page, _):
        page.goto((book / f"{name}.html").as_uri())
        assert page.locator("article h1").count() == 1
        assert page.locator("main img:not([alt])").count() == 0
