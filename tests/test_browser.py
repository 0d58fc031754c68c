"""The book in a reader's browser: Debian's Chromium, driven by Playwright, nothing from outside.

Every page is opened twice: from the disk, wide and light; from a server, on a phone and dark.
To test a book that is built already: ``BOOK=_build/html pytest tests/test_browser.py``.
"""

import functools
import gzip
import http.server
import re
import shutil
import threading
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright
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


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(book):
    """The address of a server of the book on this machine."""
    handler = functools.partial(Quiet, directory=str(book))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def reading(chromium, home, width=1300, mode="light", touch=False):
    """A page in a fresh browser context, whatever is not under ``home`` blocked and recorded.

    Yields the page and a list of complaints: errors and warnings of the console, exceptions,
    requests to the outside.
    """
    view = {"width": width, "height": 900}
    context = chromium.new_context(viewport=view, color_scheme=mode, has_touch=touch)
    page, complaints = context.new_page(), []

    def outside(route):
        complaints.append(f"asked for {route.request.url}")
        route.abort()

    context.route(lambda url: not url.startswith((home, "data:", "blob:")), outside)
    page.on("console", lambda m: complaints.append(m.text) if m.type in BAD else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page, complaints
    context.close()


BAD = ("error", "warning")
# Formulas whose ink ends right of the text, and those in a line that would get a scroll bar.
CUT_OFF = """() => {
  const right = document.querySelector('article').getBoundingClientRect().right;
  const ends = e => Math.max(...[...e.querySelectorAll('mjx-math')].map(
    m => m.getBoundingClientRect().right));
  return [...document.querySelectorAll('article mjx-container')].filter(
    e => ends(e) > right + 1 ||
      !e.hasAttribute('display') && getComputedStyle(e).overflowX !== 'visible'
  ).map(e => e.parentElement.textContent.slice(0, 80));
}"""
VIOLATIONS = {"preload": False, "resultTypes": ["violations"]}


def settled(page, address):
    """Go to an address, wait until its formulas are set, open what is folded.

    What was folded fades in, and half faded in it has too little contrast: the fading is cut short.
    """
    page.goto(address)
    page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.evaluate("document.getAnimations().forEach(a => a.finish())")


def check(page):
    """What must hold on every page, in either mode and at either width."""
    assert page.locator("article h1").count() == 1
    assert page.locator("mjx-merror").count() == 0, "a formula is broken"
    assert not page.evaluate(CUT_OFF), "a formula is cut off"
    for image in page.locator("article img").all():
        alt = image.get_attribute("alt") or ""
        assert len(alt) > 20, f"no words for {image.get_attribute('src')}: {alt!r}"
        assert not re.search(r"\.(png|svg|jpg)$", alt), f"a file name for alt text: {alt}"
    # MathJax speaks for its formulas itself; their thousands of elements would cost a minute.
    page.evaluate("document.querySelectorAll('mjx-container').forEach(e => e.replaceWith('x'))")
    found = Axe().run(page, options=VIOLATIONS)
    serious = [
        (v["id"], [node["html"][:200] for node in v["nodes"][:3]])
        for v in found.response["violations"]
        if v["impact"] in ("serious", "critical")
    ]
    assert not serious


@pytest.mark.parametrize("name", PAGES)
def test_no_page_asks_the_outside_and_all_work_from_the_disk(chromium, book, name):
    with reading(chromium, "file://") as (page, complaints):
        settled(page, (book / f"{name}.html").as_uri())
        check(page)
        for player in page.locator(".xorlit-player").all():
            moves_by_keyboard(page, player)
    assert not complaints


def moves_by_keyboard(page, player):
    """Each slider of a player has a name, and the keyboard changes picture and sentence."""
    for slider in player.locator("input").all():
        assert slider.evaluate("e => e.labels[0].querySelector('span').textContent.length > 3")
        slider.focus()
        seen = []
        for key in ("Home", "ArrowRight", "End"):
            page.keyboard.press(key)
            seen.append(look(player))
        frames, sentences = zip(*seen, strict=True)
        assert len(set(frames)) > 1, "the slider moves and the picture does not"
        assert len(set(sentences)) > 1, "the slider moves and the sentence does not"


def look(player):
    """Which frame is drawn, and what is said about it."""
    frames = player.locator("[data-frame]:not([display])").evaluate_all(
        "all => [...new Set(all.map(e => e.dataset.frame))]"
    )
    assert len(frames) == 1
    return frames[0], player.locator("[role=status]").text_content()


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_in_the_dark_nothing_is_cut_off_and_little_is_loaded(chromium, site, name):
    with reading(chromium, site, width=390, mode="dark") as (page, complaints):
        sizes = []
        page.on("response", lambda r: sizes.append(compressed(r)))
        settled(page, f"{site}/{name}.html")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", ground)[:3])) < 60
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, sticking_out(page)
        check(page)
        filters = page.locator("article img").evaluate_all(
            "all => all.map(e => getComputedStyle(e).filter)"
        )
        assert set(filters) <= {"none"}, "the theme dims the figures"
    assert not complaints
    assert sum(sizes) < 2e6, f"{name} weighs {sum(sizes) / 1e6:.2f} MB"


def compressed(response):
    body = response.body()
    return min(len(body), len(gzip.compress(body)))


def sticking_out(page):
    """The elements that make a page scroll sideways, for the message."""
    return page.locator("main *").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > 391)"
        ".slice(0, 5).map(e => e.outerHTML.slice(0, 120))"
    )


def test_search_finds_attention_and_shows_sentences(chromium, site):
    with reading(chromium, site) as (page, complaints):
        page.goto(f"{site}/search.html?q=attention")
        expect(page.locator("#search-results li").first).to_be_visible()
        expect(page.locator("#search-results .context").first).to_be_visible()
        shown = page.locator("#search-results .context").all_text_contents()
    assert len(shown) > 2
    for text in shown:
        assert not re.search(r"\\\(|\.ipynb|Print to PDF|Open issue|Binder", text), text
    assert not complaints


@pytest.mark.parametrize("way", ["hover", "focus", "tap"])
@pytest.mark.parametrize(
    ("name", "link", "shows"),
    [
        ("book/one-step", "a[href$='#equation-eq-chain']", "mjx-container"),
        ("book/one-step", "a[href*='references.html#']", ".citation"),
        ("book/one-step", "a[href='model.html']", "h1"),
    ],
)
def test_a_reference_shows_what_it_points_at(chromium, site, way, name, link, shows):
    with reading(chromium, site, touch=way == "tap") as (page, complaints):
        settled(page, f"{site}/{name}.html")
        getattr(page.locator(f"article {link}").first, way)()
        expect(page.locator(f".tippy-content {shows}").first).to_be_visible()
        if way == "tap":  # once more, and it is followed
            page.locator(f"article {link}").first.tap()
            page.wait_for_url(lambda url: not url.endswith(f"{name}.html"))
    assert not complaints


def test_every_internal_link_leads_somewhere(book):
    for page in book.rglob("*.html"):
        for link in re.findall(
            r'<a [^>]*href="([^"#:]+?)(?:\?[^"#]*)?(?:#[^"]*)?"', page.read_text()
        ):
            assert (page.parent / link).exists(), f"{page.relative_to(book)} links to {link}"
