"""`kernelbandits serve --check`."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.service.journal import last_seq
from kernelbandits.service.opening import current_learning
from kernelbandits.service.settings import Settings
from kernelbandits.service.storage import SqliteDatabase, open_database


def checked(settings: Settings) -> str:
    """Say what would be served; raises if it cannot be. Nothing is written."""
    learning = settings.learning
    lines = [f"{len(learning.arms)} arms, mode {learning.mode}, policy {type(learning.policy_spec()).__name__}"]
    start = learning.warm_start
    if start is not None and not (settings.folder / (start.log or start.bundle or "")).is_file():
        raise InvalidFile(f"warm_start: no such file: {settings.folder / (start.log or start.bundle or '')}")
    reader = learning.reader()
    if reader is not None:
        lines.append(f"{reader.encoder().dim} features")
    where = settings.database if "://" not in settings.database else settings.database.partition("://")[0]
    lines.append(f"database {where}: {_found(settings)}")
    keys = ", ".join(f"{key.name} ({', '.join(key.scopes)})" for key in settings.keys) or "none, this machine only"
    lines.append(f"listens on {settings.server.host}:{settings.server.port}, {settings.server.workers} workers")
    lines.append(f"keys: {keys}")
    return "\n".join(lines)


def _found(settings: Settings) -> str:
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
    changed = "" if before == settings.learning else "; settings have changed"
    return f"{entries:,} entries in its journal{changed}"
