"""What the command `serve` does."""

from __future__ import annotations

import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernelbandits.service.logs import log_to_stderr
from kernelbandits.service.settings import read_settings
from kernelbandits.service.supervisor import Supervisor


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
    """Say whether a settings file and its database can be served, or raise."""
    from kernelbandits.service.checking import checked

    return checked(read_settings(path))


def serve_demo(changes: dict[str, Any], say: Callable[[str], None]) -> None:
    """Serve a made-up shop with simulated customers."""
    from kernelbandits.service.demo import run_demo

    run_demo(changes, say)
