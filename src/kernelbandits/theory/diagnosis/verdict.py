"""The verdict of a diagnosis: whether kernel interpolation works on these data, and what to do.

1. If a permutation test finds no dependence of rewards on contexts, contexts tell nothing.
2. Otherwise interpolation must predict held-out rewards better than the mean of their arm does.
3. A factor common to all predictions does not change which arm is best, so what counts then is the correlation ρ of
   predictions and rewards, as the ratio ρ²/(1 − ρ²) of explained to unexplained variance (Cohen's f²). Interpolation
   works unless that of ridge or of a linear model is more than twice as large, and larger beyond chance.
4. Where a few rows leave open whether contexts help (a p-value that is small, but not small enough) or which predictor
   is better (more than twice the ratio, or four times the R², but not beyond chance), there are too few rows to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np

from kernelbandits.theory import ExplorationAdvice
from kernelbandits.theory.diagnosis.cross_validation import (
    INTERPOLATION,
    LINEAR,
    METHODS,
    RIDGE,
    HeldOutScore,
    HeldOutScores,
)
from kernelbandits.types import Array, IntArray

SIGNAL_LEVEL = 5e-4
"""Contexts tell something if chance does so well at most this often: one wrong verdict in 2,000 useless tables."""
MARGIN = 2.0
"""Interpolation works if no other predictor has more than this many times its ratio of explained variance."""
FEWEST_IN_ALL = 90
"""With fewer rows, the test sees only contexts that explain a fifth of the variance of rewards, or more."""
FEW_IN_ALL = 400
"""With fewer rows, contexts that explain a twentieth may be overlooked, and the verdict says so."""
FEW_TO_COMPARE = 1000
"""With fewer rows, predictors may differ by more than the margin although chance hides it."""
_DOUBTS = ((150, 0.05), (FEW_TO_COMPARE, 0.003))
"""With fewer rows than these, p-values up to those may come from weak effects, and say neither one nor the other."""
_SHRUNK = 4.0
_BEYOND_CHANCE = 2.0
_CLEARLY_BETTER = 3.0
_ALIKE = 0.01


class Suitability(Enum):
    """What a diagnosis says about kernel interpolation on the data."""

    INTERPOLATION = "interpolation works"
    RIDGE = "ridge predicts better"
    LINEAR = "a linear model predicts better"
    MEAN = "interpolation is no better than the mean"
    NO_CONTEXT = "contexts tell nothing"
    UNDECIDED = "too few rows to compare predictors"
    TOO_FEW = "too few rows"
    NO_REWARDS = "no rewards"


@final
@dataclass(frozen=True, slots=True)
class DiagnosisVerdict:
    """A verdict: its kind, for programs, and one line for a reader, with the numbers that decide."""

    kind: Suitability
    text: str


def judge(found: HeldOutScores | None) -> Suitability:
    """The kind of verdict on held-out scores; None means that too few rows had rewards to have any."""
    if found is None:
        return Suitability.TOO_FEW
    if found.signal > SIGNAL_LEVEL:
        return Suitability.TOO_FEW if _is_open(found) else Suitability.NO_CONTEXT
    scores = found.pooled.scores
    own = scores[INTERPOLATION]
    if own.r_squared < -_BEYOND_CHANCE * own.r_squared_error:
        return Suitability.MEAN
    name = best_other(found)
    best, ahead = scores[name], found.advantage[name]
    if ahead >= _CLEARLY_BETTER and _odds(best.correlation) > MARGIN * _odds(own.correlation):
        return Suitability.RIDGE if name == RIDGE else Suitability.LINEAR
    works = own.r_squared > 0.0 and _beyond_chance(own)
    if found.pooled.n < FEW_TO_COMPARE and (not works or _may_be_beaten(own, best)):
        return Suitability.UNDECIDED
    return Suitability.INTERPOLATION if works else Suitability.MEAN


def best_other(found: HeldOutScores) -> str:
    """The better of ridge and a linear model, by correlation."""
    return max((RIDGE, LINEAR), key=lambda name: found.pooled.scores[name].correlation)


def _is_open(found: HeldOutScores) -> bool:
    """Whether the p-value does not exclude that contexts help."""
    n = found.pooled.n
    return n < FEWEST_IN_ALL or any(n < rows and found.signal <= p for rows, p in _DOUBTS)


def _beyond_chance(score: HeldOutScore) -> bool:
    return score.correlation >= _BEYOND_CHANCE * score.correlation_error


def _may_be_beaten(own: HeldOutScore, best: HeldOutScore) -> bool:
    """Whether the other predictor looks better by more than the margin, or explains far more; chance may do so."""
    return _odds(best.correlation) > MARGIN * _odds(own.correlation) or best.r_squared > _SHRUNK * own.r_squared


def _odds(correlation: float) -> float:
    """ρ²/(1 − ρ²)."""
    share = correlation**2
    return share / max(1.0 - share, np.finfo(float).eps)


def pay_alike(groups: Sequence[IntArray], y: Array) -> bool:
    """Whether the rewards of the arms, `groups` of rows, differ by no more than chance (Kruskal and Wallis)."""
    from scipy import stats

    if len(groups) < 2 or np.ptp(y) == 0.0:
        return False
    return bool(stats.kruskal(*(y[rows] for rows in groups)).pvalue > _ALIKE)


def verdict_on(
    found: HeldOutScores | None, advice: ExplorationAdvice | None, groups: Sequence[IntArray], y: Array
) -> DiagnosisVerdict:
    """The verdict on a sample with rewards y, shape (n,); `groups` are the rows of each arm."""
    kind = judge(found)
    if found is None or kind is Suitability.TOO_FEW:
        longest = max(len(rows) for rows in groups)
        chance = "" if found is None else f" beyond chance (p = {found.signal:.2g})"
        rows = f"{len(y):,} rows, at most {longest:,} of one arm, show no effect of contexts{chance}"
        return DiagnosisVerdict(
            kind, f"Too few rows to tell whether contexts help: {rows}. Play on, and run this again"
        )
    text = {
        Suitability.INTERPOLATION: f"Kernel interpolation works here{_budget(advice)}{_aside(found)}",
        Suitability.RIDGE: "Ridge predicts better than interpolation: take the default policy",
        Suitability.LINEAR: "A linear model predicts better than interpolation: take the default policy or LinearUCB",
        Suitability.UNDECIDED: f"Contexts help, but there are too few rows to tell whether {_called(found)} predicts "
        "better than interpolation: take the default policy",
        Suitability.MEAN: f"Kernel interpolation is {_worse(found)} predicting the mean: take the default policy",
        Suitability.NO_CONTEXT: "Contexts tell nothing about rewards: a bandit without contexts will do"
        + _limits(found),
    }[kind]
    if kind is Suitability.NO_CONTEXT and pay_alike(groups, y):
        text += ", and the arms pay alike"
    return DiagnosisVerdict(kind, f"{text} ({_numbers(kind, found)})")


def no_rewards() -> DiagnosisVerdict:
    """The verdict on contexts alone."""
    return DiagnosisVerdict(
        Suitability.NO_REWARDS, "No verdict from contexts alone: it needs the arm played and its reward in every row"
    )


def _budget(advice: ExplorationAdvice | None) -> str:
    if advice is None:
        return ""
    return f": explore about {float(f'{advice.n_explore:.2g}'):,.0f} of {advice.horizon:,} rounds"


def _aside(found: HeldOutScores) -> str:
    """A few words on the linear model, if it does as well or better."""
    ahead = found.advantage[LINEAR]
    if ahead < -_BEYOND_CHANCE:
        return ""
    return "; a linear model predicts somewhat better" if ahead > _BEYOND_CHANCE else "; a linear model does as well"


def _limits(found: HeldOutScores) -> str:
    return " until there are more rows" if found.pooled.n < FEW_IN_ALL else ""


def _called(found: HeldOutScores) -> str:
    return "ridge" if best_other(found) == RIDGE else "a linear model"


def _worse(found: HeldOutScores) -> str:
    own = found.pooled.scores[INTERPOLATION]
    return "worse than" if own.r_squared < -_BEYOND_CHANCE * own.r_squared_error else "no better than"


def _numbers(kind: Suitability, found: HeldOutScores) -> str:
    scores = found.pooled.scores
    shares = ", ".join(
        f"{name} {_short(scores[name].r_squared)} ± {_short(scores[name].r_squared_error)}" for name in METHODS
    )
    first = f"held-out R²: {shares}, mean 0"
    if kind is Suitability.NO_CONTEXT:
        return f"p = {found.signal:.2g} in {found.pooled.n:,} rows; {first}"
    if kind in (Suitability.RIDGE, Suitability.LINEAR, Suitability.UNDECIDED):
        values = ", ".join(f"{name} {scores[name].correlation:.2f}" for name in METHODS)
        return f"{first}; correlation: {values}"
    return first


def _short(value: float) -> str:
    """Two decimals; numbers far from 0 with two digits."""
    text = f"{value:.2f}" if abs(value) < 100.0 else f"{value:.2g}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")
