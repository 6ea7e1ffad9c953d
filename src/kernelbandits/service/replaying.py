"""Making states and decisions again from the log."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kernelbandits.service.decisions import decide_kept
from kernelbandits.service.opening import salt_of
from kernelbandits.service.requests import Kept
from kernelbandits.service.state import State
from kernelbandits.service.storage import Database


class Repeated(NamedTuple):
    """A decision as it stands in the log, and as it is made again: (arm, propensity, ranking as JSON)."""

    event_id: str
    logged: tuple[str, float, str]
    again: tuple[str, float, str]


def replayed(database: Database, until: int) -> State:
    """The state after the first `until` entries of the journal, from nothing."""
    return State(database).follow(until)


def repeat_decisions(database: Database) -> list[Repeated]:
    """Make every decision in the log again, from the journal alone."""
    with database.read() as tx:
        salt = salt_of(tx)
        rows = tx.rows("SELECT id, version, arm, propensity, ranking, request FROM events ORDER BY version, n")
    state, found = State(database), []
    for event_id, version, arm, propensity, ranking, request in rows:
        state.follow(version)
        decided = decide_kept(state.snapshot(salt), msgspec.json.decode(request, type=Kept), event_id)
        again = msgspec.json.encode(decided.ranking).decode()
        found.append(Repeated(event_id, (arm, propensity, ranking), (decided.arm, decided.propensity, again)))
    return found
