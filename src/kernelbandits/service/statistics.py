"""What the page shows of the outcomes so far: a function of the journal, kept as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from kernelbandits.offline.confidence_sequence import ConfidenceSequence, RunningInterval
from kernelbandits.service.journal import Entry, Shown
from kernelbandits.service.settings import Learning

LEVEL = 0.95
_BLOCK = 64
"""Outcomes enter the intervals so many at a time, counted from the first: sums then always have the same bits."""

_CHANGING = 1.0 + 1e-6
"""A largest weight that makes intervals hold for means that change from round to round, as those of a learner do."""

_BUCKETS = 120


class Bucket(msgspec.Struct):
    """Outcomes that follow each other: numbers and sums of rewards of the policy and of the control share."""

    since: int
    n: int = 0
    reward: float = 0.0
    control_n: int = 0
    control_reward: float = 0.0
    arms: dict[str, int] = {}


class Running(msgspec.Struct):
    """A `RunningInterval` as plain numbers."""

    largest_weight: float
    n: int = 0
    sums: dict[str, float] | None = None


class Statistics(msgspec.Struct):
    """Sums over the outcomes in the journal.

    Attributes:
        n: outcomes so far; of these learned, given by default, late (learned on request), of the control share.
        agreed: outcomes for which the policy preferred the baseline, the arm that came first.
        refused: outcomes that the policy could not learn.
        intervals: of the policy, of the control share and (`arm …`) of each arm.
        pending: outcomes that are not in the intervals yet, (policy, reward, arm, propensity, ranked arms).
        size: outcomes in a full bucket of the history.

    """

    n: int = 0
    learned: int = 0
    defaulted: int = 0
    late: int = 0
    control: int = 0
    agreed: int = 0
    refused: int = 0
    clipped: int = 0
    low: float = 0.0
    high: float = 1.0
    largest_weight: float = 0.0
    intervals: dict[str, Running] = {}
    pending: list[tuple[str, float, str, float, list[str]]] = []
    size: int = 8
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

    def take(self, entry: Entry, shown: Shown, *, evaluable: bool) -> None:
        """Take in an outcome; `evaluable` says whether every arm could have been answered."""
        value = entry.value or 0.0
        self.n += 1
        self.learned += entry.kind == "learn"
        self.defaulted += entry.detail == "default"
        self.late += entry.detail == "late"
        self.control += shown.control
        first = shown.kept.arms[0]
        self.agreed += shown.preferred == (first if isinstance(first, str) else first.id)
        clipped = min(max(value, self.low), self.high)
        self.clipped += clipped != value
        names = [arm if isinstance(arm, str) else arm.id for arm in shown.kept.arms]
        offered = [name for name in names if name not in shown.kept.excluded] if evaluable or shown.control else []
        group = "control" if shown.control else "policy"
        self.pending.append((group, clipped, shown.arm, shown.propensity, offered))
        if len(self.pending) >= _BLOCK:
            self.flush()
        self._count(shown, value)

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

    def _count(self, shown: Shown, value: float) -> None:
        """Enter an outcome into the history; neighbours are joined when it is full."""
        if not self.buckets or self.buckets[-1].n + self.buckets[-1].control_n >= self.size:
            if len(self.buckets) >= _BUCKETS:
                pairs = zip(self.buckets[::2], self.buckets[1::2], strict=True)
                self.buckets = [_joined(first, second) for first, second in pairs]
                self.size *= 2
            self.buckets.append(Bucket(shown.time, arms={}))
        last = self.buckets[-1]
        if shown.control:
            last.control_n += 1
            last.control_reward += value
        else:
            last.n += 1
            last.reward += value
            last.arms[shown.arm] = last.arms.get(shown.arm, 0) + 1

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
        counts = ("n", "learned", "defaulted", "late", "control", "agreed", "refused", "clipped")
        return {
            **{name: getattr(self, name) for name in counts},
            "intervals": found,
            "level": LEVEL,
            "history": [msgspec.to_builtins(bucket) for bucket in self.buckets],
        }


def _joined(first: Bucket, second: Bucket) -> Bucket:
    arms: Mapping[str, int] = {
        name: first.arms.get(name, 0) + second.arms.get(name, 0) for name in {**first.arms, **second.arms}
    }
    return Bucket(
        first.since,
        first.n + second.n,
        first.reward + second.reward,
        first.control_n + second.control_n,
        first.control_reward + second.control_reward,
        dict(arms),
    )
