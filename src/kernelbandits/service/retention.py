"""Old events are archived and deleted; what was learned from them stays, as a base that replays begin at."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from kernelbandits.service.exporting import export
from kernelbandits.service.journal import JournalEntry, append
from kernelbandits.service.state import State
from kernelbandits.service.storage import Database, StorageUnavailable, keep_file

_OLD = "time < ? AND (settled = 1 OR active = 0)"


def forget(database: Database, state: State, before: int, now: int, archive: Path | None) -> int:
    """Delete settled events that are older than `before`, in microseconds; returns how many.

    The state is kept in the database as the base of later replays, so that it still follows from what is kept.
    """
    if state.bandit is None:
        return 0
    with database.read() as tx:
        n: int = tx.value(f"SELECT count(*) FROM events WHERE {_OLD}", (before,))  # noqa: S608 (a constant)
    if not n:
        return 0
    if archive is not None:
        archive.mkdir(parents=True, exist_ok=True)
        export(database, archive / f"events-before-{before}.parquet", before=before)
    with TemporaryDirectory(dir=database.scratch(), prefix=".") as folder:
        path = state.bandit.save(Path(folder) / "base.kb")
        with database.write() as tx:
            about = {"digest": keep_file(tx, path), "revision": state.revision, "refused": state.refused}
            detail = msgspec.json.encode(about).decode()
            if append(tx, [JournalEntry("base", now, value=float(state.version), detail=detail)]) != state.version + 1:
                raise StorageUnavailable("the journal has grown meanwhile; try again")
            for table in ("rewards", "journal"):
                old = f"SELECT id FROM events WHERE {_OLD}"  # noqa: S608 (a constant)
                tx.change(f"DELETE FROM {table} WHERE event_id IN ({old})", (before,))  # noqa: S608
            tx.change(f"DELETE FROM events WHERE {_OLD}", (before,))  # noqa: S608
    database.shrink()
    return n
