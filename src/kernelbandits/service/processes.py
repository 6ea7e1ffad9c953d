"""The processes of the service: `python -m kernelbandits.service.processes web|learner`, started by a supervisor.

What they need comes as JSON on their standard input: a command line, which all users can read, must hold no address of
a database.
"""

import asyncio
import ctypes
import gc
import json
import logging
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn

from kernelbandits.service.clock import Clock
from kernelbandits.service.learner import LearnerProcess
from kernelbandits.service.logs import log_to_stderr
from kernelbandits.service.settings import Settings, parse_settings, seconds
from kernelbandits.service.storage import open_database
from kernelbandits.service.web.application import Application
from kernelbandits.service.web.protocol import TimedProtocol
from kernelbandits.service.worker import Worker

_log = logging.getLogger(__name__)
_PR_SET_PDEATHSIG = 1
_BACKLOG_CONNECTIONS = 2000


def run_web(settings: Settings, clock: Clock, name: str, descriptor: int) -> None:
    """Serve requests from a listening socket until SIGTERM; then finish, flush, and return."""
    gc.collect()
    gc.freeze()  # what was imported stays: looking through it again would take tens of milliseconds
    loop_factory: Any = asyncio.new_event_loop
    with suppress(ImportError):
        loop_factory = import_module("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(_serve(settings, clock, name, socket.socket(fileno=descriptor)))


async def _serve(settings: Settings, clock: Clock, name: str, listening: socket.socket) -> None:
    worker = Worker(settings, clock, name)
    config = uvicorn.Config(
        Application(worker),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        http=TimedProtocol,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        limit_concurrency=_BACKLOG_CONNECTIONS,
    )
    server = uvicorn.Server(config)
    watch = asyncio.create_task(_end_streams(server, worker))
    await server.serve([listening])
    watch.cancel()


async def _end_streams(server: uvicorn.Server, worker: Worker) -> None:
    """Let streams end when the server is told to."""
    while not server.should_exit:
        await asyncio.sleep(0.05)
    worker.stopping.set()


def run_learner(settings: Settings, clock: Clock) -> None:
    """Learn until SIGTERM."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    database = open_database(settings.database)
    server = settings.server
    retention = None if server.retention is None else seconds(server.retention)
    archive = None if server.archive is None else settings.folder / server.archive
    LearnerProcess(database, clock, server.publish_every, retention, archive).run(stopped.is_set)
    database.close()


def main(kind: str, given: str) -> None:
    """Run one process with what the supervisor gives it."""
    about = json.loads(given)
    # The supervisor's sockets must not be served by orphans: ask to be told when it dies.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != about["parent"]:
        sys.exit(0)
    log_to_stderr(about["name"])
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        raise RuntimeError("processes of the service are started by its supervisor")
    settings = parse_settings(about["table"], Path(about["path"]))
    clock = Clock(about["offset"])
    if kind == "web":
        run_web(settings, clock, about["name"], about["descriptor"])
    else:
        run_learner(settings, clock)
    _log.info("ended")


if __name__ == "__main__":
    main(sys.argv[1], sys.stdin.read())
