"""The report in a real browser: curves, values, switches, keyboard, small screens, no request."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from odd import HORIZON, LONG, MARK, SCRIPT, UNICODE, odd_results

from chromium import MISSING, PROGRAM, Browser
from kernelbandits.experiments import InProcess, contents, provenance, report_on
from kernelbandits.experiments.outputs import provenance_section
from kernelbandits.reporting import Chart, Charts, Column, Document, Entry, Picture, Points, Table, look, write_text

pytestmark = pytest.mark.usefixtures("painted")

ROOT = Path(__file__).parents[2]
needs_browser = pytest.mark.skipif(PROGRAM is None, reason=MISSING)
PLOT = ".plot > svg"
DESKTOP, PHONE = (1280, 900), (360, 740)
SAID = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return odd_results(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def url(results, tmp_path_factory):
    document = report_on(results)
    record = provenance(contents(results.experiment), 1.0, InProcess())
    html = replace(document, sections=(*document.sections, provenance_section(record))).html()
    return write_text(tmp_path_factory.mktemp("report") / "report.html", html).as_uri()


@pytest.fixture
def look_at(browser):
    """Open a page; in the end nothing may have been said on the console, and nothing asked of the network."""
    pages = []

    def look(url, size=DESKTOP, scheme="light"):
        pages.append((browser.open(url, *size, scheme), url))
        return pages[-1][0]

    yield look
    for page, url in pages:
        page.settle()
        assert page.events(*SAID) == []
        asked = [event["request"]["url"] for event in page.events("Network.requestWillBeSent")]
        assert [target for target in asked if not target.startswith("data:")] == [url]
        assert page.run("window.broken === undefined")
        assert "NaN" not in page.run("document.body.outerHTML.replace(/<script[^]*?<.script>/g, '')")
        page.close()


def methods_drawn(page):
    """Names of the methods with a curve, panel by panel."""
    return page.run(
        """(() => { const names = [...document.querySelectorAll('.legend button')].map(entry => entry.textContent);
        return [...document.querySelectorAll('.panel')].map(panel =>
          [...panel.querySelectorAll('.curve')].filter(curve => curve.querySelector('.line').getAttribute('d'))
            .map(curve => names[curve.dataset.method])); })()"""
    )


def read_out(page, panel):
    """The round and the values that the panel shows: name → (mean, standard error)."""
    shown = page.run(
        f"""(() => {{ const box = document.querySelectorAll('.readout')[{panel}];
        return box.hidden ? null : {{round: Number(box.dataset.round), rows: [...box.querySelectorAll('div')].map(row =>
          [row.querySelector('span').textContent, row.querySelector('b').textContent])}}; }})()"""
    )
    if shown is None:
        return None
    values = {name: tuple(float(part.replace(",", "")) for part in text.split(" ± ")) for name, text in shown["rows"]}
    return shown["round"], values


def assert_right(results, panel, shown, hidden=()):
    round_, values = shown
    expected = results.experiment.panels[panel]
    assert set(values) == set(expected.methods) - set(hidden)
    for method, (mean, error) in values.items():
        curves = results.curves(expected.name, method)[:, round_ - 1]
        assert mean == pytest.approx(curves.mean(), abs=0.051)
        assert error == pytest.approx(curves.std(ddof=1) / np.sqrt(len(curves)), abs=0.051)
    assert list(values.values()) == sorted(values.values(), key=lambda value: -value[0]), "as the curves lie"


@needs_browser
def test_every_curve_is_drawn_with_its_band_and_the_end_of_exploration(results, url, look_at):
    page = look_at(url)
    assert methods_drawn(page) == [list(panel.methods) for panel in results.experiment.panels]
    assert page.run("document.querySelectorAll('.curve .band').length") == 7
    assert page.run("[...document.querySelectorAll('.panel .mark')].map(mark => mark.textContent)") == [
        f"round {MARK}",
        "",
    ]
    heights = page.run(
        """[...document.querySelectorAll('.curve .line')].map(line => line.getBBox())
        .map(({width, height}) => [width, height])"""
    )
    assert all(width > 250 for width, _ in heights)
    assert sum(height > 5 for _, height in heights) == 6, "all rise but the oracle"


@needs_browser
@pytest.mark.parametrize(("panel", "across"), [(0, 0.02), (0, 0.3), (0, 0.61), (1, 0.5), (1, 0.99)])
def test_the_values_under_the_pointer_are_those_of_the_results(results, url, look_at, panel, across):
    page = look_at(url)
    page.point(PLOT, panel, across)
    shown = read_out(page, panel)
    assert shown[0] == pytest.approx(HORIZON * across, abs=0.08 * HORIZON)
    assert_right(results, panel, shown)
    assert read_out(page, 1 - panel) is None
    page.point("h1")
    assert read_out(page, panel) is None


@needs_browser
def test_a_click_on_the_legend_switches_a_method_in_every_panel(results, url, look_at):
    page = look_at(url)
    everything = methods_drawn(page)
    place = list(results.experiment.methods).index("EtC")
    page.click(".legend button", place)
    assert methods_drawn(page) == [[name for name in names if name != "EtC"] for names in everything]
    assert page.run(f"document.querySelectorAll('.legend button')[{place}].ariaPressed") == "false"
    for panel in (0, 1):
        page.point(PLOT, panel, 0.7)
        assert_right(results, panel, read_out(page, panel), hidden=("EtC",))
    page.click("[data-scale=log]")
    assert not any("EtC" in names for names in methods_drawn(page)), "another axis brings nothing back"
    page.click("[data-scale=linear]")
    page.click(".legend button", place)
    assert methods_drawn(page) == everything
    page.click("[data-show=none]")
    assert methods_drawn(page) == [[], []]
    assert page.run("document.querySelectorAll('.plot .empty').length") == 2
    page.click("[data-show=all]")
    assert methods_drawn(page) == everything


@needs_browser
def test_the_keyboard_is_enough(results, url, look_at):
    page = look_at(url)
    page.run("document.querySelector('.legend button').focus()")
    page.press("Enter")
    assert SCRIPT not in methods_drawn(page)[0]
    page.press("Enter")
    assert SCRIPT in methods_drawn(page)[0]
    page.run(f"document.querySelector('{PLOT}').focus()")
    rounds = []
    for key in ("End", "ArrowLeft", "ArrowLeft", "PageDown", "Home", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.press(key)
        shown = read_out(page, 0)
        assert_right(results, 0, shown)
        rounds.append(shown[0])
    assert rounds[0] == HORIZON
    assert rounds[0] > rounds[1] > rounds[2] > rounds[3] > rounds[4] == 1
    assert rounds[5:] == [2, 1, 1]
    said = page.run(f"document.querySelector('{PLOT}').getAttribute('aria-valuetext')")
    assert said.startswith("1: ")
    assert all(name in said for name in results.experiment.panels[0].methods)
    page.press("Escape")
    assert read_out(page, 0) is None


@needs_browser
def test_logarithmic_axes(results, url, look_at):
    page = look_at(url)
    lines = "[...document.querySelectorAll('.curve .line')].map(line => line.getAttribute('d'))"
    ticks = "[...document.querySelectorAll('.panel:first-child .tick')].map(tick => tick.textContent)"
    shapes = {}
    for scale in ("linear", "log", "loglog"):
        page.click(f"[data-scale={scale}]")
        assert page.run("document.querySelector('[data-scale][aria-pressed=true]').dataset.scale") == scale
        shapes[scale] = page.run(lines)
        page.point(PLOT, 0, 0.5)
        assert_right(results, 0, read_out(page, 0))
    assert not set(shapes["linear"]) & (set(shapes["log"]) | set(shapes["loglog"]))
    assert "0" not in page.run(ticks)
    assert {"10", "100"} <= set(page.run(ticks))
    assert UNICODE not in methods_drawn(page)[0], "a regret of 0 has no place on a logarithmic axis"


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(url, look_at, scheme):
    page = look_at(url, PHONE, scheme)
    page.point(PLOT, 0, 0.8)
    assert read_out(page, 0) is not None
    assert page.run("document.documentElement.scrollWidth") <= PHONE[0]
    outside = page.run(
        """[...document.querySelectorAll('body *')].filter(element => !element.closest('.scroll, svg'))
        .filter(element => element.getBoundingClientRect().right > innerWidth + 1).map(element => element.outerHTML)"""
    )
    assert outside == []
    assert page.run("(box => box.scrollWidth > box.clientWidth)(document.querySelector('.scroll'))"), (
        "it scrolls inside"
    )
    small = page.run(
        """[...document.querySelectorAll('button')].filter(button => button.offsetHeight < 36)
        .map(button => button.textContent)"""
    )
    assert small == [], "too small for a finger"
    assert page.run("parseFloat(getComputedStyle(document.body).fontSize)") >= 16


@needs_browser
def test_the_values_stay_inside_the_window(url, look_at):
    page = look_at(url, (800, 700))
    for panel in (0, 1):
        for across in (0.1, 0.45, 0.55, 0.98):
            page.point(PLOT, panel, across)
            left, _, width, _ = page.box(".readout", panel)
            assert left >= 0
            assert left + width <= 800
    assert page.run("document.documentElement.scrollWidth") <= 800


@needs_browser
def test_colours_stand_out_in_the_dark(url, look_at):
    page = look_at(url, scheme="dark")
    colours = page.run(
        """(() => { const style = getComputedStyle(document.documentElement);
        return ['--paper', ...Array.from({length: 8}, (_, i) => '--c' + i)]
          .map(name => style.getPropertyValue(name).trim()); })()"""
    )
    paper, *curves = (_luminance(colour) for colour in colours)
    assert paper < 0.05
    assert all((curve + 0.05) / (paper + 0.05) > 3.0 for curve in curves)


@needs_browser
def test_it_prints_on_paper(url, look_at):
    page = look_at(url)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.run("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
    assert len(page.call("Page.printToPDF", printBackground=True)["data"]) > 10_000


@needs_browser
def test_a_page_of_pictures_and_tables(look_at, tmp_path):
    chart = Chart("<script>window.broken = 3</script>", [Points([0], [0], look(0))])
    picture = Picture("A picture", (Charts([chart], 1, height=2.0),), "nothing in it", width=8.0)
    table = Table(LONG, tuple(Column(f"column {i}") for i in range(20)), (tuple(Entry(f"{i}.5") for i in range(20)),))
    html = Document("Pictures", (picture, table)).html()
    page = look_at(write_text(tmp_path / "report.html", html).as_uri(), PHONE)
    assert page.run("document.querySelector('img').naturalWidth") == pytest.approx(8 * 96, abs=1)
    assert page.run("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.slow
def test_without_a_browser_it_is_said_that_tests_were_left_out():
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__, "-k", "logarithmic or keyboard"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PATH": "/nowhere"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert f"2 browser tests were left out: {MISSING}" in done.stdout


def _luminance(colour):
    """Relative luminance of #rrggbb as the accessibility guidelines define it."""
    assert re.fullmatch("#[0-9a-f]{6}", colour)
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
