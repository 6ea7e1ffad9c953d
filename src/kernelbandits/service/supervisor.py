"""Serving a settings file: a supervisor opens the socket, starts the learner and the web workers, and watches them."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, final

from kernelbandits.errors import InvalidFile, KernelBanditsError, NotWritten
from kernelbandits.service.journal import last_seq
from kernelbandits.service.logs import log_to_stderr
from kernelbandits.service.opening import current_learning, prepare, with_warm_start
from kernelbandits.service.settings import Learning, Settings, parse_settings, read_settings
from kernelbandits.service.storage import SqliteDatabase, open_database

_log = logging.getLogger(__name__)
_PATIENCE = 15.0  # seconds that processes have to finish
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "BLIS")}
"""The last bit of a product depends on the number of threads, so every process uses one."""


@final
class Supervisor:
    """Runs the service of one settings file. `run` returns after SIGTERM, when all has been finished and flushed."""

    def __init__(self, table: dict[str, Any], path: Path) -> None:
        self.settings = parse_settings(table, path)
        self._about: dict[str, Any] = {"table": table, "path": str(path), "parent": os.getpid()}
        self._stopped = threading.Event()
        self.is_stopped = self._stopped.is_set
        self._descriptors: dict[str, int] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}

    def stop(self, *_: Any) -> None:
        """Begin to end."""
        self._stopped.set()

    def run(self, ready: Callable[[str], None] = lambda address: None) -> None:
        """Serve until told to stop; `ready` is called with the address."""
        database = open_database(self.settings.database)
        self._about["offset"] = prepare(database, self.settings).offset
        database.close()
        server = self.settings.server
        sockets = listening(server.host, server.port, server.workers)
        host, port = sockets[0].getsockname()[:2]
        workers = {f"{socket.gethostname()}:{n}": each.fileno() for n, each in enumerate(sockets)}
        self._descriptors, names = workers, ["learner", *workers]
        try:
            for name in names:
                self._start(name)
            ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")
            while not self._stopped.wait(0.05):
                for name in names:
                    code = self._processes[name].poll()
                    if code is not None and time.monotonic() - self._started[name] > 0.5:  # not in a tight circle
                        _log.warning("%s ended with %d and is started again", name, code)
                        self._start(name)
        finally:
            for each in sockets:
                each.close()
            self._end()

    def _start(self, name: str) -> None:
        descriptor = self._descriptors.get(name)
        kind = "learner" if descriptor is None else "web"
        given = json.dumps({**self._about, "name": name, "descriptor": descriptor})
        command = [sys.executable, "-P", "-m", "kernelbandits.service.processes", kind]
        environment = {**os.environ, **_ONE_THREAD}
        passed = () if descriptor is None else (descriptor,)
        process = subprocess.Popen(command, env=environment, pass_fds=passed, stdin=subprocess.PIPE)  # noqa: S603
        assert process.stdin is not None  # noqa: S101
        with suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(given.encode())
        self._processes[name] = process
        self._started[name] = time.monotonic()

    def _end(self) -> None:
        for process in self._processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        end = time.monotonic() + _PATIENCE
        for process in self._processes.values():
            try:
                process.wait(max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def listening(host: str, port: int, n: int) -> list[socket.socket]:
    """Sockets that listen on one address, one for each of n workers, between which the kernel divides connections.

    From one socket whoever is quickest would take nearly all. The supervisor keeps them open, so that connections to a
    worker that has died wait until it is started again.
    """
    alone = _server(host, port, shared=False)  # refused if others listen there, even if they would share it
    if n == 1:
        return [alone]
    with alone:
        port = alone.getsockname()[1]
    return [_server(host, port, shared=True) for _ in range(n)]


def _server(host: str, port: int, *, shared: bool) -> socket.socket:
    v6 = ":" in host
    family = socket.AF_INET6 if v6 else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=2048, reuse_port=shared, dualstack_ipv6=v6)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]
        raise NotWritten(f"cannot listen on {host}:{port}: {reason}") from error
    made.set_inheritable(True)
    return made


def serve(path: Path, changes: dict[str, Any], say: Callable[[str], None]) -> None:
    """Serve a settings file until SIGTERM or Ctrl-C."""
    read_settings(path)
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    table["server"] = {**table.get("server", {}), **changes}
    supervise(Supervisor(table, path.resolve()), say)


def supervise(supervisor: Supervisor, say: Callable[[str], None]) -> None:
    """Run a supervisor until SIGTERM or Ctrl-C."""
    log_to_stderr("supervisor")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, supervisor.stop)
    supervisor.run(lambda address: say(f"serving on {address}"))


def check(path: Path) -> str:
    """Say what would be served with a settings file; raises if it cannot be. Nothing is written."""
    settings = read_settings(path)
    learning = with_warm_start(settings)
    lines = [f"{len(learning.arms)} arms, mode {learning.mode}, policy {type(learning.policy_spec()).__name__}"]
    encoder = learning.encoder()
    if encoder is not None:
        lines.append(f"{encoder.dim} features")
    where = settings.database if "://" not in settings.database else settings.database.partition("://")[0]
    lines.append(f"database {where}: {_found(settings, learning)}")
    keys = ", ".join(f"{key.name} ({', '.join(key.scopes)})" for key in settings.keys) or "none, this machine only"
    lines.append(f"listens on {settings.server.host}:{settings.server.port}, {settings.server.workers} workers")
    lines.append(f"keys: {keys}")
    return "\n".join(lines)


def _found(settings: Settings, learning: Learning) -> str:
    database = open_database(settings.database)
    if isinstance(database, SqliteDatabase):
        folder = Path(settings.database).parent
        if not folder.is_dir():
            raise InvalidFile(f"database: no such folder: {folder}")
        if not Path(settings.database).exists():
            return "will be made"
    try:
        with database.read() as tx:
            before, entries = current_learning(tx), last_seq(tx)
    except KernelBanditsError as error:
        if "no such table" in str(error) or "does not exist" in str(error):
            return "will be made"
        raise
    finally:
        database.close()
    changed = "" if before == learning else "; settings have changed"
    return f"{entries:,} entries in its journal{changed}"
