"""The page in a real browser, and the demo."""

import http.client
import json
import os
import signal
import subprocess
import sys

import pytest
from serving import serving, wait_for

import chromium

pytestmark = pytest.mark.skipif(chromium.PROGRAM is None, reason=chromium.MISSING)
EVIL = '<img src=x onerror="document.title=1">'


def problems(page):
    """What the page said in the console, or could not load."""
    said = page.events("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Network.loadingFailed")
    return [json.dumps(each)[:300] for each in said]


def test_the_page_shows_what_happens(tmp_path):
    profile = tmp_path / "profile"
    profile.mkdir()
    with serving(tmp_path / "shop", arms=["none", "<b>five</b>", EVIL], control=0.2, reward_wait=2) as service:
        address = f"http://{service.host}:{service.port}"
        with chromium.Browser(profile) as browser:
            page = browser.open(address, width=390, height=844)
            wait_for(lambda: "3 arms" in page.run("document.getElementById('about').textContent"), "data")
            for number in range(60):
                answer = service.rank(event_id=f"<i>{number}</i>", age=20.0 + number)
                service.call(
                    "POST", f"/events/%3Ci%3E{number}%3C%2Fi%3E/reward", {"value": float(answer["arm"] == EVIL)}
                )
            wait_for(lambda: page.run("document.getElementById('n-rewards').textContent") == "60", "rewards")
            wait_for(lambda: page.run("document.querySelectorAll('#intervals tbody tr').length") == 5, "intervals")
            assert page.run("document.querySelectorAll('#newest tbody tr').length") == 12
            assert page.run("document.querySelectorAll('main img, #newest i, td > b').length") == 0, "names are text"
            assert page.run("document.title") == "Decisions"
            assert page.run("document.documentElement.scrollWidth <= innerWidth"), "it fits a phone"
            assert page.run("document.querySelectorAll('#rewards polyline').length") == 2
            links = page.run("[...document.querySelectorAll('main a')].map(a => a.getAttribute('href'))")
            for link in sorted(set(links)):
                assert service.call("GET", link)[0] == 200, link
            assert problems(page) == []


@pytest.mark.slow
def test_the_demo_learns(tmp_path):
    command = [sys.executable, "-m", "kernelbandits", "serve", "--demo", "--port", "0"]
    log = tmp_path / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"}
        )
        try:
            address = wait_for(lambda: [w for w in log.read_text().split() if w.startswith("http")], "the address")[0]
            address = address.rstrip(";")
            profile = tmp_path / "profile"
            profile.mkdir()
            with chromium.Browser(profile) as browser:
                wait_for(lambda: _answers(address), "the service")
                page = browser.open(address)
                wait_for(lambda: page.run("document.querySelectorAll('#intervals tbody tr').length") == 6, "intervals")
                assert problems(page) == []
                page.close()
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, log.read_text()


def _answers(address):
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
