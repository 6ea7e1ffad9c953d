"""Which outcomes are due: rewards that came, and default rewards where none came in time."""

from __future__ import annotations

from typing import NamedTuple

from kernelbandits.service.journal import JournalEntry, append
from kernelbandits.service.settings import Learning
from kernelbandits.service.storage import Transaction

GRACE = 2_000_000
"""Microseconds that a default waits beyond its time, for rewards that are being written."""

_AT_ONCE = 500


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
        (_AT_ONCE,),
    )
    settled_now: set[str] = set()
    for number, value, time, *columns in rewards:
        event = _Event(*columns)
        fate = _fate(learning, event, time, event.id in settled_now)
        tx.change("UPDATE rewards SET fate = ? WHERE n = ?", (fate, number))
        if fate in ("learned", "late learned"):
            settled_now.add(event.id)
            entries.append(_outcome(tx, learning, event, value, "late" if fate == "late learned" else "reward", now))
    if len(rewards) < _AT_ONCE:
        entries += _overdue(tx, learning, now, settled_now)
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


def _overdue(tx: Transaction, learning: Learning, now: int, settled_now: set[str]) -> list[JournalEntry]:
    """Outcomes of events whose time is over: the sum of what came in time, else the default."""
    rows = tx.rows(
        "SELECT id, due, control, active, settled FROM events WHERE settled = 0 AND active = 1 AND due < ?"
        " ORDER BY due, n LIMIT ?",
        (now - GRACE, _AT_ONCE),
    )
    entries = []
    for row in rows:
        event = _Event(*row)
        if event.id in settled_now:
            continue
        summed = tx.value("SELECT sum(value) FROM rewards WHERE event_id = ? AND fate = 'added'", (event.id,))
        value, source = (learning.default_reward, "default") if summed is None else (summed, "reward")
        entries.append(_outcome(tx, learning, event, value, source, now))
    return entries


def _outcome(tx: Transaction, learning: Learning, event: _Event, value: float, source: str, now: int) -> JournalEntry:
    tx.change("UPDATE events SET settled = 1, outcome = ?, fate = ? WHERE id = ?", (value, source, event.id))
    learned = learning.learns and not event.control
    return JournalEntry("learn" if learned else "note", now, event_id=event.id, value=value, detail=source)
