"""The journal: what changed the policy, in order. The policy is a function of it.

Outcomes that are due become entries (`settle`): rewards that came, and default rewards where none came in time.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from kernelbandits.errors import InvalidFile
from kernelbandits.service.requests import Kept, Row
from kernelbandits.service.settings import Learning
from kernelbandits.service.storage import Database, Transaction

GRACE = 2_000_000  # microseconds that a default waits beyond its time, for rewards that are being written
_PAGE = 500  # entries that are read at once, and outcomes of each kind that are settled at once


class JournalEntry(NamedTuple):
    """Something that changes the policy or its statistics."""

    kind: str  # settings, arm, removal, base; learn (an outcome that is learned) or note (one that is not)
    time: int  # in microseconds
    event_id: str | None = None  # of an outcome
    arm: str | None = None  # the one that came or went
    value: float | None = None  # the outcome
    detail: str | None = None  # settings as JSON; for an outcome where it comes from: reward, default, late
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


class _Event(NamedTuple):
    id: str
    due: int
    control: bool
    active: bool
    settled: bool


def settle(tx: Transaction, learning: Learning, now: int) -> bool:
    """Write the outcomes that are due into the journal, at most 500 of each kind; returns whether there were any."""
    entries: list[JournalEntry] = []
    rewards = tx.rows(
        "SELECT r.n, r.value, r.time, e.id, e.due, e.control, e.active, e.settled FROM rewards r"
        " JOIN events e ON e.id = r.event_id WHERE r.fate IS NULL ORDER BY r.n LIMIT ?",
        (_PAGE,),
    )
    settled_now: set[str] = set()
    for number, value, time, *columns in rewards:
        event = _Event(*columns)
        fate = _fate(learning, event, time, event.id in settled_now)
        tx.change("UPDATE rewards SET fate = ? WHERE n = ?", (fate, number))
        if fate in ("learned", "late learned"):
            settled_now.add(event.id)
            entries.append(_outcome(tx, learning, event, value, "late" if fate == "late learned" else "reward", now))
    if len(rewards) < _PAGE:
        entries += _overdue(tx, learning, now)
    if entries:
        append(tx, entries)
    return bool(rewards or entries)


def _fate(learning: Learning, event: _Event, time: int, just_settled: bool) -> str:
    """What becomes of a reward."""
    if not event.active:
        return "inactive"
    if time > event.due:
        wanted = learning.late_rewards == "learn" and not event.control and not just_settled
        return "late learned" if wanted else "late"
    if event.settled or just_settled:
        return "extra"
    return "learned" if learning.aggregation == "earliest" else "added"


def _overdue(tx: Transaction, learning: Learning, now: int) -> list[JournalEntry]:
    """Outcomes of events whose time is over: the sum of what came in time, else the default."""
    rows = tx.rows(
        "SELECT id, due, control, active, settled FROM events WHERE settled = 0 AND active = 1 AND due < ?"
        " ORDER BY due, n LIMIT ?",
        (now - GRACE, _PAGE),
    )
    entries = []
    for row in rows:
        event = _Event(*row)
        summed = tx.value("SELECT sum(value) FROM rewards WHERE event_id = ? AND fate = 'added'", (event.id,))
        value, source = (learning.default_reward, "default") if summed is None else (summed, "reward")
        entries.append(_outcome(tx, learning, event, value, source, now))
    return entries


def _outcome(tx: Transaction, learning: Learning, event: _Event, value: float, source: str, now: int) -> JournalEntry:
    tx.change("UPDATE events SET settled = 1, outcome = ?, fate = ? WHERE id = ?", (value, source, event.id))
    learned = learning.learns and not event.control
    return JournalEntry("learn" if learned else "note", now, event_id=event.id, value=value, detail=source)
