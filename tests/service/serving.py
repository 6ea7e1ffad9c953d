"""A real service in a folder of its own, and clients without libraries."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from kernelbandits.service.settings import parse_settings
from kernelbandits.service.storage import open_database

PATIENCE = 120.0  # seconds; it only ends a test that hangs
SHOP = {
    "arms": ["none", "five percent", "free shipping"],
    "reward_wait": 3600,
    "features": {"age": {"mean": 45.0, "std": 12.0}, "city": {"levels": ["Rome", "Oslo"]}},
    "server": {"port": 0, "publish_every": 0.1},
}


def toml(table):
    """A table as TOML."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    lines = [line for line in lines if not line.startswith("keys")]
    for key, value in table.items():
        if isinstance(value, dict):
            inner = [f"{json.dumps(k)} = {inline(v)}" for k, v in value.items()]
            lines += [f"[{key}]", *inner]
    for key in table.get("keys", []):
        lines += ["[[keys]]", *(f"{k} = {json.dumps(v)}" for k, v in key.items())]
    return "\n".join(lines)


def inline(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {inline(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def wait_for(condition, what="a condition"):
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.02)


class Service:
    """`with serving(folder) as service`."""

    def __init__(self, folder, table, program=()):
        self.folder, self.table, self.program = folder, table, program
        self.settings = folder / "shop.toml"
        self.log = folder / "log.txt"
        self.killed = False

    def start(self):
        self.killed = False
        self.settings.write_text(toml(self.table), encoding="utf-8")
        self.output = self.log.open("ab")
        start = self.log.stat().st_size
        command = [*self.program, sys.executable, "-m", "kernelbandits", "serve", str(self.settings)]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT, env=environment)

        def address():
            text = self.log.read_bytes()[start:].decode(errors="replace")
            assert self.process.poll() is None, text
            found = [line.split("http://")[1].split()[0] for line in text.splitlines() if "serving on" in line]
            return found[-1] if found else None

        host, _, port = wait_for(address, "the address").rpartition(":")
        self.host, self.port = host, int(port)
        self.ready()
        return self

    def ready(self):
        def answers():
            try:
                return self.call("GET", "/readyz")[0] == 200
            except OSError:
                return False

        wait_for(answers, "readiness")

    def call(self, method, path, body=None, headers=None, raw=None):
        """Status and decoded body of one request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            given = {"content-type": "application/json"} if body is not None or raw is not None else {}
            data = raw if raw is not None else (None if body is None else json.dumps(body))
            connection.request(method, path, data, {**given, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read()
            is_json = answer.headers.get("content-type", "").startswith("application/json") and text
            return answer.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def rank(self, age=30.0, city="Rome", **others):
        status, answer = self.call("POST", "/rank", {"context": {"age": age, "city": city}, **others})
        assert status == 200, answer
        return answer

    def reward(self, event_id, value, **others):
        status, answer = self.call("POST", f"/events/{event_id}/reward", {"value": value, **others})
        assert status == 200, answer
        return answer

    def event(self, event_id):
        return self.call("GET", f"/events/{event_id}")[1]

    def policy(self):
        return self.call("GET", "/policy")[1]

    def database(self):
        return open_database(parse_settings(self.table, self.settings).database)

    def processes(self):
        """Process ids of the learner and of the web workers."""
        found = {}
        for line in Path("/proc").iterdir():
            if line.name.isdigit():
                try:
                    status = (line / "stat").read_text().rpartition(")")[2].split()
                    command = (line / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if int(status[1]) == self.supervisor and status[0] != "Z" and command[-2:-1]:
                    found.setdefault(command[-2].decode(), []).append(int(line.name))
        return found

    @property
    def supervisor(self):
        if not self.program:
            return self.process.pid
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def stop(self):
        if self.process.poll() is None:
            os.kill(self.supervisor, signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.output.close()
        return code

    def kill(self):
        self.killed = True
        for pids in (*self.processes().values(), [self.supervisor]):
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        self.output.close()


@contextmanager
def serving(folder, program=(), **changes):
    folder.mkdir(exist_ok=True)
    table = {**SHOP, **changes}
    table["server"] = {**SHOP["server"], **changes.get("server", {})}
    service = Service(folder, table, program).start()
    try:
        yield service
    finally:
        assert service.killed or service.stop() == 0, service.log.read_text(errors="replace")
