"""What the page shows of the outcomes so far, kept as plain numbers.

Outcomes are taken in when the waiting time of their event is over, in the order of the events. In the order in which
they come, rewards would be before defaults, and every mean too high.
"""

from collections import Counter
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kernelbandits.offline.confidence_sequence import ConfidenceSequence, RunningInterval
from kernelbandits.service.journal import GRACE, learning_at
from kernelbandits.service.requests import Kept
from kernelbandits.service.settings import Learning
from kernelbandits.service.storage import Transaction

LEVEL = 0.95
_BLOCK = 64
"""Outcomes enter the intervals so many at a time, counted from the first: sums then always have the same bits."""

_CHANGING = 1.0 + 1e-6
"""A largest weight that makes intervals hold for means that change from round to round, as those of a learner do."""

_BUCKETS, _AT_ONCE = 120, 500
_SUMMED = ("n", "reward", "control_n", "control_reward")


class Bucket(msgspec.Struct):
    """Outcomes that follow each other: numbers and sums of rewards of the policy and of the control share."""

    since: int
    n: int = 0
    reward: float = 0.0
    control_n: int = 0
    control_reward: float = 0.0
    arms: dict[str, int] = {}


class _Outcome(NamedTuple):
    """An event whose waiting time is over."""

    n: int
    due: int
    time: int
    revision: int
    arm: str
    preferred: str
    propensity: float
    control: int
    settled: int
    outcome: float | None
    fate: str | None
    request: str


class Running(msgspec.Struct):
    """A `RunningInterval` as plain numbers."""

    largest_weight: float
    n: int = 0
    sums: dict[str, float] | None = None


class Statistics(msgspec.Struct):
    """Sums over the outcomes in the journal."""

    due: int = 0  # waiting times up to here were looked at,
    last: int = 0  # and of those that ended then events up to this number
    n: int = 0  # outcomes so far; of these learned, given by default, late (learned on request), of the control share
    learned: int = 0
    defaulted: int = 0
    late: int = 0
    control: int = 0
    agreed: int = 0  # outcomes for which the policy preferred the baseline, the arm that came first
    clipped: int = 0
    low: float = 0.0
    high: float = 1.0
    largest_weight: float = 0.0
    intervals: dict[str, Running] = {}  # of the policy, of the control share and (`arm …`) of each arm
    pending: list[tuple[str, float, str, float, list[str]]] = []  # not there yet: group, reward, arm, propensity, arms
    size: int = 8  # outcomes in a full bucket of the history
    buckets: list[Bucket] = []

    def begin(self, learning: Learning, n_arms: int) -> None:
        """Begin the intervals anew where the rewards' range or the smallest propensity have changed."""
        largest = max(n_arms, 1) / learning.exploration if learning.exploration else 0.0
        if (self.low, self.high) != learning.reward_range:
            self.low, self.high = learning.reward_range
            self.intervals, self.pending = {}, []
        if largest != self.largest_weight:
            self.largest_weight = largest
            self.flush()
            self.intervals = {name: kept for name, kept in self.intervals.items() if not name.startswith("arm ")}

    def follow(self, tx: Transaction, learning: Learning, n_arms: int, now: int) -> int:
        """Take in the next events whose waiting time is over, at most 500; returns how many."""
        self.begin(learning, n_arms)
        rows = tx.rows(
            f"SELECT {', '.join(_Outcome._fields)} FROM events"  # noqa: S608 (constants)
            " WHERE due >= ? AND (due > ? OR n > ?) AND due < ? AND active = 1 ORDER BY due, n LIMIT ?",
            (self.due, self.due, self.last, now - 2 * GRACE, _AT_ONCE),
        )
        then: dict[int, Learning] = {}
        for number, row in enumerate(rows):
            each = _Outcome._make(row)
            if not each.settled:
                return number  # the learner is behind
            if each.revision not in then:
                then[each.revision] = learning_at(tx, each.revision)
            self._take(each, then[each.revision])
            self.due, self.last = each.due, each.n
        return len(rows)

    def _take(self, event: _Outcome, then: Learning) -> None:
        """Take in an outcome of an event that was decided under the settings `then`."""
        kept, value, control = msgspec.json.decode(event.request, type=Kept), event.outcome or 0.0, bool(event.control)
        self.n += 1
        self.learned += then.learns and not control
        self.defaulted += event.fate == "default"
        self.late += event.fate == "late"
        self.control += control
        names = [arm if isinstance(arm, str) else arm.id for arm in kept.arms if arm]
        self.agreed += event.preferred == names[0]
        clipped = min(max(value, self.low), self.high)
        self.clipped += clipped != value
        evaluable = control or (then.plays and then.exploration > 0.0)
        offered = [name for name in names if name not in kept.excluded] if evaluable else []
        self.pending.append(("control" if control else "policy", clipped, event.arm, event.propensity, offered))
        if len(self.pending) >= _BLOCK:
            self.flush()
        self._count(event.time, event.arm, value, control)

    def flush(self) -> None:
        """Take pending outcomes into the intervals."""
        for group in ("policy", "control"):
            rewards = [each[1] for each in self.pending if each[0] == group]
            self._observe(group, _CHANGING if group == "policy" else 1.0, rewards, [1.0] * len(rewards))
        if self.largest_weight:
            for arm in sorted({name for each in self.pending for name in each[4]}):
                rows = [each for each in self.pending if arm in each[4]]
                weights = [1.0 / each[3] if each[2] == arm else 0.0 for each in rows]
                limit = self.largest_weight
                kept = [(each[1], w) for each, w in zip(rows, weights, strict=True) if w <= limit * (1.0 + 1e-9)]
                self._observe(f"arm {arm}", limit, [reward for reward, _ in kept], [w for _, w in kept])
        self.pending = []

    def _observe(self, name: str, largest_weight: float, rewards: list[float], weights: list[float]) -> None:
        if rewards:
            kept = self.intervals.get(name) or Running(largest_weight)
            running = self._running(kept, LEVEL)
            running.observe(np.array(rewards), np.array(weights))
            self.intervals[name] = Running(kept.largest_weight, running.n, running.sums)

    def _running(self, kept: Running, level: float) -> RunningInterval:
        spec = ConfidenceSequence(level, self.low, self.high, kept.largest_weight)
        return RunningInterval(spec, kept.n, kept.sums)

    def _count(self, time: int, arm: str, value: float, control: bool) -> None:
        """Enter an outcome into the history; neighbours are joined when it is full."""
        if not self.buckets or self.buckets[-1].n + self.buckets[-1].control_n >= self.size:
            if len(self.buckets) >= _BUCKETS:
                pairs = zip(self.buckets[::2], self.buckets[1::2], strict=True)
                self.buckets = [_joined(first, second) for first, second in pairs]
                self.size *= 2
            self.buckets.append(Bucket(time, arms={}))
        last = self.buckets[-1]
        if control:
            last.control_n += 1
            last.control_reward += value
        else:
            last.n += 1
            last.reward += value
            last.arms[arm] = last.arms.get(arm, 0) + 1

    def summary(self) -> dict[str, Any]:
        """What the page shows: means, always-valid intervals that hold together, and the history."""
        last = msgspec.convert(msgspec.to_builtins(self), Statistics)
        last.flush()
        level = 1.0 - (1.0 - LEVEL) / max(len(last.intervals), 1)
        found: dict[str, Any] = {}
        for name, kept in last.intervals.items():
            running = last._running(kept, level)
            low, high = running.interval
            found[name] = {"n": running.n, "mean": running.mean, "low": low, "high": high}
        counts = ("n", "learned", "defaulted", "late", "control", "agreed", "clipped")
        return {
            **{name: getattr(self, name) for name in counts},
            "intervals": found,
            "level": LEVEL,
            "history": [msgspec.to_builtins(bucket) for bucket in self.buckets],
        }


def _joined(first: Bucket, second: Bucket) -> Bucket:
    sums = {name: getattr(first, name) + getattr(second, name) for name in _SUMMED}
    return Bucket(first.since, **sums, arms=dict(Counter(first.arms) + Counter(second.arms)))
