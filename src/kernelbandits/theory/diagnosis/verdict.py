"""The verdict of a diagnosis: whether kernel interpolation works on these data, and what to do.

1. A permutation test finds a dependence of rewards on contexts, or not. If not, contexts tell nothing, unless so much
   may be hidden by so few rows that there are too few to tell: the test leaves it open, or what is linear in the
   contexts may be more than a quarter of the variance of rewards (`linear_share` and three standard errors).
2. Interpolation that is worse than the mean of the arm beyond chance does not work.
3. A factor common to all predictions does not change which arm is best, so predictors are compared by the correlation ρ
   of predictions and rewards, as the ratio ρ²/(1 − ρ²) of explained to unexplained variance (Cohen's f²). Ridge or a
   linear model is better if its ratio is more than twice as large and ρ² a tenth more, or its R² more than four times
   as large, beyond chance.
4. Otherwise interpolation works, if the comparison can be trusted: the best predictor has learned at least half of the
   linear share, so that the order will not change with more rows; no other predictor is ahead by those margins, chance
   or not; and interpolation is better than the mean beyond chance. If not, it is left open.

No step counts rows: all of them compare an estimate with its standard error.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from kernelbandits.theory import ExplorationAdvice
from kernelbandits.theory.diagnosis.cross_validation import INTERPOLATION, LINEAR, METHODS, RIDGE, HeldOutScores
from kernelbandits.types import Array, IntArray

SIGNAL_LEVEL = 5e-4
"""Contexts tell something if chance does so well at most this often: one wrong verdict in 2,000 useless tables."""
MARGIN = 2.0  # interpolation works if no other predictor has more than this many times its ratio of explained variance,
NOTICED = 0.1  # and explains this much more of all variance: where both explain nearly all of it, a ratio means little
OPEN_LEVEL = 0.002
"""A larger p-value is what useless contexts have in 499 of 500 tables; one between the two levels leaves it open."""
WORTH_KNOWING = 0.25  # contexts that may explain a larger share of the variance of rewards are not said to tell nothing
LEARNED = 0.5  # predictors are compared when the best of them has learned this much of what is linear in the contexts
_SHRUNK = 4.0
_BEYOND_CHANCE = 2.0
_CLEARLY = 3.0
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


class DiagnosisVerdict(NamedTuple):
    """A verdict: its kind, for programs, and one line for a reader, with the numbers that decide."""

    kind: Suitability
    text: str


NO_REWARDS = DiagnosisVerdict(
    Suitability.NO_REWARDS, "No verdict from contexts alone: it needs the arm played and its reward in every row"
)


def judge(found: HeldOutScores | None) -> Suitability:
    """The kind of verdict on held-out scores; None means that too few rows had rewards to have any."""
    if found is None:
        return Suitability.TOO_FEW
    if found.signal > SIGNAL_LEVEL:  # no effect was found, but one worth knowing may not be excluded either
        is_open = found.signal <= OPEN_LEVEL or most_hidden(found) > WORTH_KNOWING
        return Suitability.TOO_FEW if is_open else Suitability.NO_CONTEXT
    own = found.pooled.scores[INTERPOLATION]
    if _is_worse(found):
        return Suitability.MEAN
    name = best_other(found)
    ranks_better, explains_more = _ahead(found, name)
    if (ranks_better and found.advantage[name] >= _CLEARLY) or (explains_more and found.gain[name] >= _CLEARLY):
        return Suitability.RIDGE if name == RIDGE else Suitability.LINEAR
    best = max(score.r_squared for score in found.pooled.scores.values())
    if not best >= LEARNED * found.linear_share:  # so little has been learned that the order of predictors may change
        return Suitability.UNDECIDED
    if own.r_squared <= 0.0 or own.correlation < _BEYOND_CHANCE * own.correlation_error:
        return Suitability.MEAN
    ahead = any(_ahead(found, RIDGE)) or any(_ahead(found, LINEAR))
    return Suitability.UNDECIDED if ahead else Suitability.INTERPOLATION


def best_other(found: HeldOutScores) -> str:
    """The better of ridge and a linear model, by correlation."""
    return max((RIDGE, LINEAR), key=lambda name: found.pooled.scores[name].correlation)


def most_hidden(found: HeldOutScores) -> float:
    """The largest share of the variance of rewards that may be linear in the contexts, from 0 to 1."""
    return min(max(found.linear_share, 0.0) + _CLEARLY * found.linear_share_error, 1.0)


def _is_worse(found: HeldOutScores) -> bool:
    """Whether interpolation predicts worse than the mean, beyond chance."""
    own = found.pooled.scores[INTERPOLATION]
    return own.r_squared < -_BEYOND_CHANCE * own.r_squared_error


def _ahead(found: HeldOutScores, name: str) -> tuple[bool, bool]:
    """Whether a predictor looks better than interpolation by more than the margins, by chance or not.

    By its correlation, it has more than twice the ratio of explained to unexplained variance and explains a tenth more
    of it all; or it has four times the R².
    """
    own, other = found.pooled.scores[INTERPOLATION], found.pooled.scores[name]
    ranks_better = _odds(other.correlation) > MARGIN * _odds(own.correlation)
    noticed = other.correlation**2 - own.correlation**2 > NOTICED
    return ranks_better and noticed, other.r_squared > _SHRUNK * own.r_squared


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
        rows = f"{len(y):,} rows, at most {longest:,} of one arm, {_shown(found)}"
        words = f"Too few rows to tell whether contexts help: {rows}. Play on, and run this again"
        return DiagnosisVerdict(kind, words)
    other = "ridge" if best_other(found) == RIDGE else "a linear model"
    text = {
        Suitability.INTERPOLATION: _works(found, advice),
        Suitability.RIDGE: "Ridge predicts better than interpolation: take the default policy",
        Suitability.LINEAR: "A linear model predicts better than interpolation: take the default policy or LinearUCB",
        Suitability.UNDECIDED: f"Contexts help, but there are too few rows to tell whether {other} predicts "
        "better than interpolation: take the default policy",
        Suitability.MEAN: f"Kernel interpolation is {'worse' if _is_worse(found) else 'no better'} than predicting the "
        "mean: take the default policy",
        Suitability.NO_CONTEXT: "Contexts tell nothing about rewards: a bandit without contexts will do",
    }[kind]
    if kind is Suitability.NO_CONTEXT and pay_alike(groups, y):
        text += ", and the arms pay alike"
    return DiagnosisVerdict(kind, f"{text} ({_numbers(kind, found)})")


def _budget(advice: ExplorationAdvice) -> str:
    return f" explore about {float(f'{advice.n_explore:.2g}'):,.0f} of {advice.horizon:,} rounds"


def _works(found: HeldOutScores, advice: ExplorationAdvice | None) -> str:
    """What to do where interpolation works, and whether a linear model does as well, or predicts better."""
    words, ahead, scores = "Kernel interpolation works here", found.advantage[LINEAR], found.pooled.scores
    explains_more = scores[LINEAR].r_squared - scores[INTERPOLATION].r_squared > NOTICED
    if explains_more and found.gain[LINEAR] > _BEYOND_CHANCE and ahead >= 0.0:
        words += ", but a linear model predicts somewhat better: take the default policy or LinearUCB"
        return f"{words}, or{_budget(advice)} and interpolate" if advice else words
    words += f":{_budget(advice)}, or take the default policy" if advice else ": take the default policy"
    return words if ahead < -_BEYOND_CHANCE else f"{words}; a linear model does as well"


def _shown(found: HeldOutScores | None) -> str:
    """What too few rows show of an effect of contexts."""
    if found is None:
        return "show no effect of contexts"
    if found.signal <= OPEN_LEVEL:
        return f"hint at an effect of contexts without proving it (p = {found.signal:.2g}, asked {SIGNAL_LEVEL:.2g})"
    return f"show no effect of contexts beyond chance (p = {found.signal:.2g}{_hidden(found)})"


def _hidden(found: HeldOutScores) -> str:
    return f"; a linear effect may still be up to {most_hidden(found):.0%} of their variance"


def _numbers(kind: Suitability, found: HeldOutScores) -> str:
    scores = found.pooled.scores
    shares = ", ".join(
        f"{name} {_short(scores[name].r_squared)} ± {_short(scores[name].r_squared_error)}" for name in METHODS
    )
    first = f"held-out R²: {shares}, mean 0"
    if kind is Suitability.NO_CONTEXT:
        return f"p = {found.signal:.2g} in {found.pooled.n:,} rows{_hidden(found)}; {first}"
    if kind in (Suitability.RIDGE, Suitability.LINEAR, Suitability.UNDECIDED):
        values = ", ".join(f"{name} {scores[name].correlation:.2f}" for name in METHODS)
        share = f"{_short(found.linear_share)} ± {_short(found.linear_share_error)}"
        return f"{first}; correlation: {values}; linear in the contexts: {share} of the variance"
    return first


def _short(value: float) -> str:
    """Two decimals; numbers far from 0 with two digits."""
    text = f"{value:.2f}" if abs(value) < 100.0 else f"{value:.2g}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")
