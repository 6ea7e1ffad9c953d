"""States and decisions, made again from the log."""

from typing import NamedTuple

import msgspec

from kernelbandits.service.decisions import decide_kept
from kernelbandits.service.opening import salt_of
from kernelbandits.service.requests import Kept
from kernelbandits.service.state import State


class Repeated(NamedTuple):
    """A decision as it stands in the log, and as it is made again: (arm, probabilities by name)."""

    event_id: str
    logged: tuple[str, dict[str, float]]
    again: tuple[str, dict[str, float]]

    @property
    def agrees(self):
        """Whether it is the same arm, with the same probabilities up to rounding: requests are decided in groups."""
        (arm, chances), (other, others) = self.logged, self.again
        if arm != other or chances.keys() != others.keys():
            return False
        return all(abs(chance - others[name]) <= 1e-9 for name, chance in chances.items())


def replayed(database, until):
    """The state after the first `until` entries of the journal, from nothing."""
    return State(database).follow(until)


def repeat_decisions(database):
    """Make every decision in the log again, from the journal alone."""
    with database.read() as tx:
        salt = salt_of(tx)
        rows = tx.rows("SELECT id, version, arm, ranking, request FROM events ORDER BY version, n")
    state, found = State(database), []
    for event_id, version, arm, ranking, request in rows:
        state.follow(version)
        decided = decide_kept(state.snapshot(salt), msgspec.json.decode(request, type=Kept), event_id)
        logged = dict(msgspec.json.decode(ranking))
        found.append(Repeated(event_id, (arm, logged), (decided.arm, dict(decided.ranking))))
    return found
