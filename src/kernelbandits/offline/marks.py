"""What a log shows about itself: was it written by a learner, are rewards bounded, are they rare, what is wrong."""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import special

from kernelbandits.offline.intervals import EmpiricalLikelihood, IntervalMethod
from kernelbandits.offline.log import BLOCK, Log
from kernelbandits.types import Array

_PARTS = 10
_DRIFT = 1e-6
_RARE = 0.02


@final
@dataclass(frozen=True, slots=True)
class Marks:
    """What decides which interval holds."""

    adaptive: bool  # whether the policy that wrote the log learned meanwhile,
    why: str  # and why that is assumed
    low: float  # the smallest
    high: float  # and the largest possible reward,
    stated: bool  # and whether that is known or only seen
    rare: bool  # whether fewer than one row in fifty has a reward other than the usual one


def marks_of(log: Log) -> Marks:
    """Read the marks of a log."""
    adaptive, why = _adaptive(log)
    r = log.rewards
    binary = bool(np.isin(r, (0.0, 1.0)).all())
    low, high = log.bounds or ((0.0, 1.0) if binary else (float(r.min()), float(r.max())))
    unusual = min(float(np.mean(r != low)), float(np.mean(r != high)))
    return Marks(adaptive, why, low, high, log.bounds is not None or binary, unusual < _RARE)


def default_interval(marks: Marks) -> tuple[IntervalMethod, str]:
    """Return the interval for such a log, and why.

    A bootstrap covers too seldom where rewards are skewed, in logs of 20,000 rows as well, so it has to be asked for.
    """
    rows = "rows weighted by what the past says of their precision" if marks.adaptive else "rows independent"
    kind = "rare rewards" if marks.rare else "bounded rewards"
    if not marks.stated:
        kind = f"rewards taken to be between those seen, {marks.low:g} and {marks.high:g}"
    return EmpiricalLikelihood(), f"empirical likelihood: {kind}, {rows} ({marks.why})"


def findings(log: Log) -> tuple[str, ...]:
    """Say what looks wrong in a log, one line each."""
    lines = []
    n, K = len(log), log.n_arms
    counts = np.bincount(log.arms, minlength=K)
    never = [log.name(arm) for arm in np.flatnonzero(counts == 0).tolist()]
    if never:
        lines.append(f"{len(never)} of {K} arms were never played: {', '.join(never[:5])}")
    inverse = 1.0 / log.propensities
    due = float(K if log.eligible is None else log.eligible.sum(axis=1).mean())
    mean, error = float(inverse.mean()), float(inverse.std()) / np.sqrt(n)
    if abs(mean - due) > max(4.0 * error, 0.05 * due):
        lines.append(
            f"1/propensity averages {mean:.3g} and should be the number of arms that could be played, {due:.3g}: "
            "propensities are wrong, or arms had no chance in some rows"
        )
    paid = [log.name(arm) for arm in np.flatnonzero(counts).tolist() if np.ptp(log.rewards[log.arms == arm]) > 0.0]
    if np.ptp(log.rewards) == 0.0:
        lines.append(f"every reward is {log.rewards[0]:g}; nothing can be told apart")
    elif K > 1 and len(paid) == 1:
        lines.append(f"rewards differ for one arm only, {paid[0]!r}; were the others' rewards joined?")
    if log.times is not None and np.any(back := np.diff(log.times) < 0.0):
        row = int(back.argmax()) + 1
        lines.append(
            f"the clock runs backwards: row {row} (the first is 0) is earlier than the one before "
            f"({int(back.sum())} such); sort"
        )
    at_hand = isinstance(log.contexts, np.ndarray) or n <= BLOCK  # a larger file would have to be read once more
    twice = n - len(np.unique(_digests(log))) if at_hand and log.dim else 0
    if twice > max(1, n // 1000):
        lines.append(f"{twice:,} rows repeat another in context, arm, reward and propensity; count each decision once")
    return tuple(lines)


def _digests(log: Log) -> Array:
    """One number per row: the same for equal rows, and different for others, except by accident."""
    rng = np.random.default_rng(0)
    flat = log.contexts[0 : len(log)].reshape(len(log), -1)
    own = flat @ rng.standard_normal(flat.shape[1])
    times = 0.0 if log.times is None else log.times
    rewards = log.rewards / (np.abs(log.rewards).max() or 1.0)
    return np.asarray(own + 1.37 * log.arms + 0.811 * rewards + 0.2931 * log.propensities + 0.0173 * times)


def _adaptive(log: Log) -> tuple[bool, str]:
    if log.learned is not None:
        return log.learned, "as stated" if log.learned else "stated: the writer did not learn meanwhile"
    chances = np.log(log.propensities)
    if np.ptp(chances) < 1e-9:
        return False, "propensities are all equal"
    if _drifts(chances):
        return True, "propensities drift over the rows, as those of a policy that learns"
    return (
        True,
        "propensities vary, so the writer may have learned meanwhile; if it did not, say so: --fixed, or learned=False",
    )


def _drifts(chances: Array) -> bool:
    """Whether the means of ten parts differ by more than chance (analysis of variance)."""
    if len(chances) < 2 * _PARTS:  # parts of one row show no spread
        return False
    groups = np.array_split(chances, _PARTS)
    spread = sum(float(np.square(group - group.mean()).sum()) for group in groups) / (len(chances) - _PARTS)
    between = sum(len(group) * float(group.mean() - chances.mean()) ** 2 for group in groups)
    return float(special.chdtrc(_PARTS - 1, between / max(spread, 1e-300))) < _DRIFT
