"""Events and rewards in the database: what web workers write, and the log as a table that `evaluate` reads."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from kernelbandits.errors import InvalidFile, KernelBanditsError, shown
from kernelbandits.reporting import replacing
from kernelbandits.service.decisions import Decided, Snapshot
from kernelbandits.service.journal import JournalEntry, append
from kernelbandits.service.requests import Answer, Kept, RankedArm, RankRequest
from kernelbandits.service.storage import Database, Transaction

_encode = msgspec.json.Encoder().encode
_PAGE = 5000
_OWN = ("event_id", "time", "arm", "propensity", "reward", "eligible")
_COLUMNS = "n, id, time, arm, propensity, outcome, ranking, request"
_EVER = 2**62


class Conflict(KernelBanditsError, ValueError):  # noqa: N818
    """An id was used before for something else."""


class NotFound(KernelBanditsError, LookupError):  # noqa: N818
    """There is no event, or no arm, of that name."""


class Taken(NamedTuple):
    """A reward that was written."""

    late: bool  # whether it came after the time in which rewards count
    repeated: bool  # whether the same reward had come before


def insert_event(
    tx: Transaction, event_id: str, time: int, snapshot: Snapshot, decided: Decided
) -> tuple[Answer, bool]:
    """Write a decision; returns the answer and whether it is new. An id that was used is answered as it was then."""
    request = _encode(decided.kept).decode()
    ranking = _encode(decided.ranking).decode()
    active = 0 if decided.kept.deferred else 1
    since = (time, time + snapshot.learning.wait, snapshot.version, snapshot.revision)
    chosen = (decided.arm, decided.preferred, decided.propensity, ranking, request, int(decided.control), active)
    inserted = tx.change(
        "INSERT INTO events (id, time, due, version, revision, arm, preferred, propensity, ranking, request, control,"
        " active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (event_id, *since, *chosen),
    )
    if inserted:
        if decided.new_arms:
            add_arms(tx, decided.new_arms, time)
        return answer(event_id, decided.arm, decided.propensity, decided.ranking, snapshot.version), True
    earlier = earlier_answer(tx, event_id, decided.kept)
    assert earlier is not None  # noqa: S101 (it conflicted)
    return earlier, False


def earlier_answer(tx: Transaction, event_id: str, request: Kept | RankRequest) -> Answer | None:
    """Return what was answered to this request before; None if the id is new."""
    row = tx.one("SELECT arm, propensity, ranking, version, request FROM events WHERE id = ?", (event_id,))
    if row is None:
        return None
    other = _different(msgspec.json.decode(row[4], type=Kept), request)
    if other is not None:
        raise Conflict(
            f"{other}: event {shown(event_id)} was decided before with another value of this field; "
            "give each request an event_id of its own"
        )
    return answer(event_id, row[0], row[1], msgspec.json.decode(row[2]), row[3])


def _different(before: Kept, request: Kept | RankRequest) -> str | None:
    """The first field in which a request is not the one before. Arms that neither names may have changed since."""
    for field in ("context", "excluded", "deferred", "named"):
        if getattr(before, field) != getattr(request, field):
            return "arms" if field == "named" else field
    return "arms" if before.named and before.arms != request.arms else None


def answer(event_id: str, arm: str, propensity: float, ranking: Iterable[Any], version: int) -> Answer:
    """The answer to a request."""
    return Answer(event_id, arm, propensity, [RankedArm(name, chance) for name, chance in ranking], version)


def insert_reward(tx: Transaction, event_id: str, reward_id: str, value: float, time: int) -> Taken:
    """Write a reward; the same one again changes nothing."""
    due = tx.value("SELECT due FROM events WHERE id = ?", (event_id,))
    if due is None:
        raise NotFound(f"no event has the id {shown(event_id)}")
    late = time > due
    inserted = tx.change(
        "INSERT INTO rewards (event_id, reward_id, value, time) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (event_id, reward_id) DO NOTHING",
        (event_id, reward_id, value, time),
    )
    if inserted:
        return Taken(late, repeated=False)
    before = tx.value("SELECT value FROM rewards WHERE event_id = ? AND reward_id = ?", (event_id, reward_id))
    if before != value:
        raise Conflict(f"reward_id: {shown(reward_id)} was used for another value; give each reward an id of its own")
    return Taken(late, repeated=True)


def activate(tx: Transaction, event_id: str) -> bool:
    """Let a deferred event be learned; returns whether it was not active before. Its rewards are looked at again."""
    if tx.change("UPDATE events SET active = 1 WHERE id = ? AND active = 0", (event_id,)):
        tx.change("UPDATE rewards SET fate = NULL WHERE event_id = ? AND fate = 'inactive'", (event_id,))
        return True
    if tx.one("SELECT 1 FROM events WHERE id = ?", (event_id,)) is None:
        raise NotFound(f"no event has the id {shown(event_id)}")
    return False


def add_arms(tx: Transaction, names: Iterable[str], time: int) -> list[str]:
    """Make arms known; returns those that are new."""
    new = [name for name in names if tx.change("INSERT INTO arms (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))]
    if new:
        append(tx, [JournalEntry("arm", time, arm=name) for name in new])
    return new


def remove_arm(tx: Transaction, name: str, time: int) -> bool:
    """Take an arm out for good; returns whether it was there."""
    removed = tx.value("SELECT removed FROM arms WHERE name = ?", (name,))
    if removed is None:
        raise NotFound(f"no arm is called {shown(name)}")
    if removed:
        return False
    if tx.value("SELECT count(*) FROM arms WHERE removed = 0") <= 1:
        raise Conflict(f"arm {shown(name)} is the only one left; add another before removing it")
    tx.change("UPDATE arms SET removed = 1 WHERE name = ?", (name,))
    append(tx, [JournalEntry("removal", time, arm=name)])
    return True


_EVENT = "id, time, due, version, arm, preferred, propensity, ranking, request, control, active, settled, outcome, fate"


def newest_events(
    tx: Transaction, limit: int, where: str = "1 = 1", values: Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """Events as plain data, the newest first; `where` is the text of a condition, which must be a constant."""
    rows = tx.rows(f"SELECT {_EVENT} FROM events WHERE {where} ORDER BY n DESC LIMIT ?", (*values, limit))  # noqa: S608
    records = [dict(zip(_EVENT.split(", "), row, strict=True)) for row in rows]
    for record in records:
        record["ranking"] = [{"id": name, "probability": p} for name, p in msgspec.json.decode(record["ranking"])]
        record["request"] = msgspec.json.decode(record["request"])
        record |= {flag: bool(record[flag]) for flag in ("control", "active", "settled")}
    return records


def find_event(tx: Transaction, event_id: str) -> dict[str, Any]:
    """Everything that is known of an event."""
    found = newest_events(tx, 1, "id = ?", (event_id,))
    if not found:
        raise NotFound(f"no event has the id {shown(event_id)}")
    rewards = tx.rows("SELECT reward_id, value, time, fate FROM rewards WHERE event_id = ? ORDER BY n", (event_id,))
    listed = [dict(zip(("reward_id", "value", "time", "fate"), each, strict=True)) for each in rewards]
    return {**found[0], "rewards": listed}


def n_awaiting(tx: Transaction) -> int:
    """The number of events whose outcome is not known yet."""
    return int(tx.value("SELECT count(*) FROM events WHERE settled = 0 AND active = 1"))


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
