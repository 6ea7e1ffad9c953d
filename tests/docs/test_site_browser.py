"""The built site in a real browser: search finds pages, and the keyboard gets everywhere."""

import time
from pathlib import Path

import pytest

from chromium import MISSING, PATIENCE, PROGRAM, Browser

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason=MISSING),
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: make docs"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def wait_for(page, condition):
    end = time.monotonic() + PATIENCE
    while not page.run(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


@pytest.mark.parametrize("width", [1280, 390])
def test_search_finds_a_page(width, browser):
    page = browser.open((SITE / "search.html").as_uri(), width=width)
    page.run("document.querySelector('main input[type=search]').focus(); 0")
    page.call("Input.insertText", text="Thompson sampling")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", text="\r")  # leads to another page
    wait_for(page, "location.search.includes('Thompson') && document.readyState == 'complete'")
    wait_for(page, "document.querySelectorAll('#search-results li a').length > 3")
    links = page.run("[...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))")
    assert any("ThompsonSampling" in link for link in links)
    page.close()


def test_the_first_stop_of_the_keyboard_leads_to_the_text(browser):
    page = browser.open((SITE / "start.html").as_uri())
    page.press("Tab")
    assert "skip" in page.run("document.activeElement.textContent").casefold()
    page.press("Enter")
    assert page.run("location.hash") == "#main-content"
    page.close()


def test_the_keyboard_goes_through_the_page_and_is_seen(browser):
    page = browser.open((SITE / "start.html").as_uri())
    seen = []
    for _ in range(25):
        page.press("Tab")
        outline = "(s => s.outlineStyle != 'none' && s.outlineWidth != '0px' || s.boxShadow != 'none')"
        seen.append(
            page.run(f"[document.activeElement.outerHTML, {outline}(getComputedStyle(document.activeElement))]")
        )
    assert len({html for html, _ in seen}) > 20, "it does not get stuck"
    assert [html[:80] for html, visible in seen if not visible] == []
    page.close()
