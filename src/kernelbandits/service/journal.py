"""The journal: what changed the policy, in order. The policy is a function of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from kernelbandits.errors import InvalidFile
from kernelbandits.service.requests import Kept, Row
from kernelbandits.service.settings import Learning
from kernelbandits.service.storage import Database, Transaction

_PAGE = 500


class JournalEntry(NamedTuple):
    """Something that changes the policy or its statistics.

    Attributes:
        kind: settings, arm, removal, base; learn (an outcome that is learned) or note (one that is not).
        time: when it was written, in microseconds.
        event_id: the event of an outcome.
        arm: the arm that came or went.
        value: the outcome.
        detail: settings as JSON; for an outcome where it comes from: reward, default, late.
        seq: its number.

    """

    kind: str
    time: int
    event_id: str | None = None
    arm: str | None = None
    value: float | None = None
    detail: str | None = None
    seq: int = 0


class ShownEvent(NamedTuple):
    """The event of an outcome: the arm that was answered, its probability, and the features with which it was shown."""

    arm: str
    propensity: float
    row: Row


def append(tx: Transaction, entries: Iterable[JournalEntry]) -> int:
    """Write entries after the last one; returns the number of the newest."""
    tx.append_alone()
    last = last_seq(tx)
    for last, entry in enumerate(entries, start=last + 1):  # noqa: B020 (it counts on)
        tx.change(
            "INSERT INTO journal (seq, kind, time, event_id, arm, value, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (last, *entry[:6]),
        )
    return last


def last_seq(tx: Transaction) -> int:
    """The number of the newest entry."""
    return int(tx.value("SELECT coalesce(max(seq), 0) FROM journal"))


def entries_after(database: Database, seq: int, until: int) -> Iterator[tuple[JournalEntry, ShownEvent | None]]:
    """All entries after `seq` up to `until` with their events, read page by page."""
    sql = (
        "SELECT j.kind, j.time, j.event_id, j.arm, j.value, j.detail, j.seq, e.arm, e.propensity, e.request"
        " FROM journal j LEFT JOIN events e ON e.id = j.event_id"
        " WHERE j.seq > ? AND j.seq <= ? ORDER BY j.seq LIMIT ?"
    )
    while seq < until:
        with database.read() as tx:
            rows = tx.rows(sql, (seq, until, _PAGE))
        if not rows:
            return
        for *columns, arm, propensity, request in rows:
            entry, shown = JournalEntry._make(columns), None
            if request is not None:
                shown = ShownEvent(arm, propensity, msgspec.json.decode(request, type=Kept).row_of(arm))
            yield entry, shown
            seq = entry.seq


def learning_at(tx: Transaction, seq: int) -> Learning:
    """The settings in an entry."""
    detail = tx.value("SELECT detail FROM journal WHERE seq = ?", (seq,))
    if detail is None:
        raise InvalidFile(f"the journal has no entry {seq} with settings")
    return msgspec.json.decode(detail, type=Learning)
