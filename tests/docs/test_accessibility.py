"""Pages of the site and a report, looked at by axe in a real browser: contrast, names, headings, keyboard."""

import json
from pathlib import Path

import pytest

import kernelbandits as kb
from chromium import MISSING, PROGRAM, Browser
from kernelbandits.experiments import InProcess, report_on

ROOT = Path(__file__).parents[2]
AXE = ROOT / "tests" / "accessibility" / "node_modules" / "axe-core" / "axe.min.js"
SITE = ROOT / "docs" / "_build" / "html"
PAGES = (
    *(
        "index.html",
        "start.html",
        "tutorial.html",
        "how-to/index.html",
        "gallery/index.html",
        "gallery/first_bandit.html",
    ),
    *("explanation.html", "reference.html", "api/kernels.html", "api/names/kernelbandits.Bandit.html", "search.html"),
)
WINDOWS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason=MISSING),
    pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install --prefix tests/accessibility"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def violations(browser, url, width, scheme, theme=None):
    """What axe finds: rule, page element and advice, one line each."""
    page = browser.open(url, width=width, scheme=scheme)
    if theme:
        page.run(f"document.documentElement.dataset.theme = {theme!r}; 0")
        page.settle()
    page.run(AXE.read_text(encoding="utf-8") + "; 0")
    words = "[v.id, v.help, v.nodes.length, v.nodes[0].target.join(' '), v.nodes[0].failureSummary]"
    found, passed = page.run(
        f"axe.run(document, {json.dumps(RULES)}).then(a => [a.violations.map(v => {words}), a.passes.length])"
    )
    page.close()
    assert passed > 10, "axe has looked"
    return found


@pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: make docs")
@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_site(name, width, scheme, browser):
    assert violations(browser, (SITE / name).as_uri(), width, scheme, scheme) == []


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_a_report(width, scheme, browser, small, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_on(kb.run(small, tmp_path, InProcess())).html(), encoding="utf-8")
    assert violations(browser, path.as_uri(), width, scheme) == []
