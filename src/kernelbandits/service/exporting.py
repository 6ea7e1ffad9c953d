"""The log as a table that `kernelbandits evaluate` reads: one row per event with an outcome."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.reporting import replacing
from kernelbandits.service.requests import Kept
from kernelbandits.service.storage import Database, Transaction

_PAGE = 5000
_OWN = ("event_id", "time", "arm", "propensity", "reward", "eligible")
_COLUMNS = "n, id, time, arm, propensity, outcome, ranking, request"
_EVER = 2**62


def export(database: Database, path: Path, *, control: bool = True, before: int = _EVER) -> int:
    """Write the events that have an outcome to a parquet file, oldest first; returns how many.

    Features are columns of their own; those of the chosen arm are joined to those of the context. A feature that is
    called like one of the other columns gets `feature_` before its name. `control` keeps the random share; `before` is
    the time, in microseconds, up to which events are written.
    """
    with database.read() as tx:
        frames = [
            pl.DataFrame([_record(row) for row in rows], infer_schema_length=None, strict=False)
            for rows in _pages(tx, control, before)
        ]
    if not frames:
        raise InvalidFile("no event has an outcome yet: wait for rewards, or until the waiting time is over")
    table = pl.concat(frames, how="diagonal_relaxed", rechunk=True)
    with replacing(path) as part:
        table.write_parquet(part)
    return table.height


def _pages(tx: Transaction, control: bool, before: int) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while True:
        where = "settled = 1 AND n > ? AND control <= ? AND time < ?"
        sql = f"SELECT {_COLUMNS} FROM events WHERE {where} ORDER BY n LIMIT ?"  # noqa: S608 (constants)
        rows = tx.rows(sql, (last, int(control), before, _PAGE))
        if not rows:
            return
        yield rows
        last = rows[-1][0]


def _record(row: tuple[Any, ...]) -> dict[str, Any]:
    _, event_id, time, arm, propensity, outcome, ranking, request = row
    record: dict[str, Any] = {
        "event_id": event_id,
        "time": time,
        "arm": arm,
        "propensity": propensity,
        "reward": outcome,
        "eligible": sorted(name for name, _ in msgspec.json.decode(ranking)),
    }
    for name, value in msgspec.json.decode(request, type=Kept).row_of(arm).items():
        plain = value if value is None or isinstance(value, str | int | float) else msgspec.json.encode(value).decode()
        record[f"feature_{name}" if name in _OWN else name] = plain
    return record
