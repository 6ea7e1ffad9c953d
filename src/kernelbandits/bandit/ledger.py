"""Decisions that await their reward."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.types import Array

_EPOCH, _TICK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_LATEST = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH) // _TICK
_RANGES = {
    "arms": (np.int64, 0, 2**31),
    "propensities": (np.float64, 0.0, 1.0 + 1e-9),
    "versions": (np.int64, 0, 2**62),
    "times": (np.int64, -_LATEST // 8, _LATEST),
    "settled_rewards": (np.float64, -checks.HUGE, checks.HUGE),
}
"""Type, smallest and largest entry of each array with one entry per decision."""


class Awaiting(NamedTuple):
    """A decision whose reward has not come.

    Attributes:
        id: of the decision.
        time: when it was made, with time zone.
        context: the encoded context of the played arm, shape (d,).
        arm: number of the played arm.
        propensity: probability with which it was chosen.
        eligible: names of the arms that could be played; None if all.
        version: number of rewards that the bandit had observed when it decided.

    >>> bandit = Bandit(["short", "long"], policy=Uniform()).encode({"age": [20.0, 30.0, 60.0]})
    >>> decision = bandit.choose({"age": 25.0})
    >>> [(entry.id == decision.id, entry.propensity, entry.version) for entry in bandit.ledger]
    [(True, 0.5, 0)]

    See also `Bandit`, `Ledger`, `Calibration`.
    """

    id: str
    time: datetime
    context: Array
    arm: int
    propensity: float
    eligible: tuple[str, ...] | None
    version: int


@final
class Ledger:
    """Decisions that await their reward, in memory, oldest first; and the rewards of those that have it.

    With a `capacity` it keeps that many of each, and forgets the oldest: a reward that comes later is refused.

    Attributes:
        capacity: how many decisions that await their reward, and how many rewards, are kept; None keeps all.
        n_forgotten: decisions forgotten before their reward came.

    >>> bandit = Bandit(["short", "long"], policy=Uniform(), ledger=Ledger(capacity=1)).encode({"age": [20, 30]})
    >>> _ = bandit.choose_many({"age": [20, 30]})
    >>> bandit.ledger, bandit.ledger.n_forgotten
    (Ledger(capacity=1): 1 await a reward, 1)

    See also `Bandit`, `Calibration`, `Awaiting`, `ArmSummary`.
    """

    __slots__ = ("_awaiting", "_settled", "capacity", "n_forgotten")

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = None if capacity is None else checks.whole("capacity", capacity, at_least=1)
        self.n_forgotten = 0
        self._awaiting: dict[str, Awaiting] = {}
        self._settled: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._awaiting)

    def __iter__(self) -> Iterator[Awaiting]:
        return iter(self._awaiting.values())

    def __repr__(self) -> str:
        return f"Ledger(capacity={self.capacity}): {len(self):,} await a reward"

    @property
    def since(self) -> datetime | None:
        """When the oldest decision that awaits its reward was made; None if there is none."""
        return next((entry.time for entry in self), None)

    def add(self, entry: Awaiting) -> None:
        """Enter a decision."""
        self._awaiting[entry.id] = entry
        if self.capacity is not None and len(self._awaiting) > self.capacity:
            del self._awaiting[next(iter(self._awaiting))]
            self.n_forgotten += 1

    def find(self, decision: str, reward: float) -> Awaiting | None:
        """Return the decision that awaits this reward; None if it has had the same one.

        Raises if it has had another one, or is not known.
        """
        if not isinstance(decision, str):
            raise InvalidArgument(f"id must be the text in decision.id; got {shown(decision)}")
        entry = self._awaiting.get(decision)
        if entry is not None:
            return entry
        known = self._settled.get(decision)
        if known is None:
            forgotten = f"; {self.n_forgotten:,} older ones were forgotten" if self.n_forgotten else ""
            raise InvalidArgument(f"id: no decision {shown(decision)} awaits a reward{forgotten}")
        if known != reward:
            raise InvalidArgument(
                f"reward: decision {shown(decision)} has had the reward {known:g}, which counts; got {reward:g}"
            )
        return None

    def settle(self, decision: str, reward: float) -> None:
        """Note the reward of a decision that awaits it."""
        del self._awaiting[decision]
        self._settled[decision] = reward
        if self.capacity is not None and len(self._settled) > self.capacity:
            del self._settled[next(iter(self._settled))]

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it: one array per column, so that a long ledger is written in no time."""
        entries = [*self]
        sets = [*dict.fromkeys(entry.eligible for entry in entries if entry.eligible is not None)]
        numbers = {None: -1} | {names: number for number, names in enumerate(sets)}
        return {
            "capacity": self.capacity,
            "n_forgotten": self.n_forgotten,
            "contexts": np.array([entry.context for entry in entries], dtype=np.float64),
            "arms": np.array([entry.arm for entry in entries], dtype=np.int64),
            "propensities": np.array([entry.propensity for entry in entries], dtype=np.float64),
            "versions": np.array([entry.version for entry in entries], dtype=np.int64),
            "ids": [entry.id for entry in entries],
            "times": np.array([(entry.time - _EPOCH) // _TICK for entry in entries], dtype=np.int64),
            "eligible": np.array([numbers[entry.eligible] for entry in entries], dtype=np.int64),
            "eligible_sets": sets,
            "settled_ids": [*self._settled],
            "settled_rewards": np.array([*self._settled.values()], dtype=np.float64),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The ledger with this state."""
        _refuse_unfit(state)
        ledger = cls(state["capacity"])
        ledger.n_forgotten = state["n_forgotten"]
        sets = [*state["eligible_sets"], None]  # the last one stands for all arms: its number is −1
        columns = [state[key].tolist() for key in ("arms", "propensities", "versions", "times", "eligible")]
        for decision, context, arm, propensity, version, time, allowed in zip(
            state["ids"], state["contexts"], *columns, strict=True
        ):
            when = _EPOCH + time * _TICK
            ledger._awaiting[decision] = Awaiting(decision, when, context, arm, propensity, sets[allowed], version)
        ledger._settled = dict(zip(state["settled_ids"], state["settled_rewards"].tolist(), strict=True))
        return ledger


def _refuse_unfit(state: dict[str, Any]) -> None:
    """Raise if the columns of a ledger are not what `Ledger.to_state` writes."""
    checks.whole("n_forgotten", state["n_forgotten"], at_least=0)
    for key in ("ids", "settled_ids"):
        if type(state[key]) is not list or not all(type(text) is str for text in state[key]):
            raise InvalidFile(f"{key} of the ledger: expected a list of texts")
        if len(set(state[key])) < len(state[key]):
            raise InvalidFile(f"{key} of the ledger: the same one comes twice")
    n, sets = len(state["ids"]), state["eligible_sets"]
    if type(sets) is not list or any(type(names) is not tuple or not {*map(type, names)} <= {str} for names in sets):
        raise InvalidFile("eligible_sets of the ledger: expected names of arms")
    for key, (kind, low, high) in {**_RANGES, "eligible": (np.int64, -1, len(sets) - 1)}.items():
        length = len(state["settled_ids"]) if key == "settled_rewards" else n
        checks.refuse_unfit(f"{key} of the ledger", state[key], kind, (length,))
        if not ((low <= state[key]) & (state[key] <= high)).all():
            raise InvalidFile(f"{key} of the ledger: expected numbers from {low:g} to {high:g}")
    checks.refuse_unfit("contexts of the ledger", state["contexts"], np.float64, (n, None) if n else (0,))
    checks.refuse_unusable("contexts of the ledger", state["contexts"])
