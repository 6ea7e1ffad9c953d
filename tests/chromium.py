"""A real browser without a window, spoken to over two pipes in the DevTools protocol, without other libraries."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections import deque

PROGRAM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
MISSING = "no chromium on this machine (Debian: apt-get install chromium)"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# The protocol is spoken on descriptors 3 (to the browser) and 4 (from it).
START = 'to=$1 from=$2; shift 2; exec "$@" 3<&"$to" 4>&"$from"'
PATIENCE = 600.0  # seconds; it only ends a test that hangs


class Browser:
    """`with Browser(folder) as browser`: a browser with a profile of its own in that folder."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        theirs_in, self._to = _pipe()
        self._from, theirs_out = _pipe()
        command = [PROGRAM, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"]
        with (self.folder / "stderr").open("wb") as errors:
            self.process = subprocess.Popen(
                ["bash", "-c", START, "bash", str(theirs_in), str(theirs_out), *command],
                pass_fds=(theirs_in, theirs_out),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=os.environ | {"HOME": str(self.folder)},
            )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._rest, self._waiting = 0, b"", deque()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError, ConnectionError, TimeoutError):
            self.call("Browser.close")
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._to)
        os.close(self._from)

    def open(self, url, width=1280, height=900, scheme="light"):
        """A new page of that size, loaded; everything that it says or asks for from the start is kept."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, target, session).load(url, width, height, scheme)

    def call(self, method, session=None, **parameters):
        """The answer to one command; events that come meanwhile wait for `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        os.write(self._to, json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._next(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self._waiting.append(answer)

    def events(self, session):
        """The events of a page that have come and were not taken yet, oldest first."""
        taken = [event for event in self._waiting if event.get("sessionId") == session]
        self._waiting = deque(event for event in self._waiting if event.get("sessionId") != session)
        return taken

    def _next(self, end):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser did not answer in {PATIENCE:.0f} s")
            chunk = os.read(self._from, 1 << 20)
            if not chunk:
                raise ConnectionError(f"the browser ended; its words are in {self.folder / 'stderr'}")
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


class Page:
    """One tab."""

    def __init__(self, browser, target, session):
        self._browser, self._target, self._session = browser, target, session
        self._seen = []

    def load(self, url, width, height, scheme):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        end = time.monotonic() + PATIENCE
        while self.run("location.href == 'about:blank' || document.readyState != 'complete'"):
            assert time.monotonic() < end, f"{url} did not load"
            time.sleep(0.02)
        self.settle()
        return self

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def run(self, script):
        """The value of an expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self):
        """Wait until what was changed has been laid out and painted."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)")

    def events(self, *methods):
        """All events so far of these kinds."""
        self._seen += self._browser.events(self._session)
        return [event["params"] for event in self._seen if event["method"] in methods]

    def box(self, selector, n=0):
        """The n-th such element, scrolled into view: (left, top, width, height)."""
        find = f"document.querySelectorAll({json.dumps(selector)})[{n}]"
        self.run(f"{find}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.run(f"(({{x, y, width, height}}) => [x, y, width, height])({find}.getBoundingClientRect())")
        return tuple(box)

    def point(self, selector, n=0, across=0.5, down=0.5):
        """Move the mouse over an element; where it is now."""
        left, top, width, height = self.box(selector, n)
        x, y = left + across * width, top + down * height
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()
        return x, y

    def click(self, selector, n=0):
        x, y = self.point(selector, n)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key):
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **(text if kind == "keyDown" else {}))
        self.settle()

    def picture(self, path, whole=False):
        """A PNG of the window, or of the whole page."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))


def _pipe():
    """The two ends, at numbers that the browser's own do not collide with."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends)
    for end in ends:
        os.close(end)
    return moved
