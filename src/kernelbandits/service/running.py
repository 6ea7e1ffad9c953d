"""What the command `serve` does with a settings file."""

from __future__ import annotations

import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.service.journal import last_seq
from kernelbandits.service.logs import log_to_stderr
from kernelbandits.service.opening import current_learning, with_warm_start
from kernelbandits.service.settings import Learning, Settings, read_settings
from kernelbandits.service.storage import SqliteDatabase, open_database
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
    """Say what would be served with a settings file; raises if it cannot be. Nothing is written."""
    settings = read_settings(path)
    learning = with_warm_start(settings)
    lines = [f"{len(learning.arms)} arms, mode {learning.mode}, policy {type(learning.policy_spec()).__name__}"]
    reader = learning.reader()
    if reader is not None:
        lines.append(f"{reader.encoder().dim} features")
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
