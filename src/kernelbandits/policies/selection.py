"""How an arm is picked: in turn, by the best score, or by optimism."""

from __future__ import annotations

from math import inf, isfinite
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, NumericalBreakdown
from kernelbandits.linalg import EPS
from kernelbandits.policies.learner import Choice, Scores
from kernelbandits.policies.turn_order import central_first
from kernelbandits.types import Array, BoolArray, IntArray

TIE = 1e-12
"""Scores this close, relative to the spread of all, are equal, so that rounding does not decide between equal arms."""

_ROUNDING = 4.0 * EPS
"""The same relative to their size: what remains of a common level that is much larger than the spread."""

_STATED = 1e-9
"""A stated propensity may differ by this much from what follows from the scores."""


def mask_scores(scores: Array, eligible: BoolArray | None) -> Array:
    """Scores with −∞ for arms that are not eligible."""
    return scores if eligible is None else np.where(eligible, scores, -np.inf)


def tie_margin(scores: Array, best: float) -> float:
    """How far below `best` a score is equal to it up to rounding; raises if a score that counts is not finite.

    A common shift of all scores does not change it until rounding does, nor does an arm with −∞, which is left out.
    """
    lowest = scores.item(scores.argmin())
    if lowest == -inf < best:
        lowest = float(scores[scores > -inf].min())
    margin = TIE * (best - lowest) + _ROUNDING * abs(best)
    if not isfinite(margin):
        raise NumericalBreakdown(
            f"the scores of the arms are {scores}, but must be finite: contexts, rewards or constants of the policy "
            "are out of the reach of double precision; rescale them"
        )
    return margin


def best_arms(scores: Array, rng: np.random.Generator) -> tuple[IntArray, Array]:
    """`best_arm` for every row of scores (B, K): arms and propensities, shape (B,)."""
    arms, tied = _tied(scores)
    n_tied = np.count_nonzero(tied, axis=1)
    for row in np.flatnonzero(n_tied > 1):
        arms[row], _ = best_arm(scores[row], rng)
    return arms, 1.0 / n_tied


def best_shares(scores: Array) -> Array:
    """The probability of every arm under `best_arm`, for every row of scores: the best share it. Shape (B, K)."""
    _, tied = _tied(scores)
    shares: Array = tied / np.count_nonzero(tied, axis=1)[:, np.newaxis]
    return shares


def _tied(scores: Array) -> tuple[IntArray, BoolArray]:
    """For every row of scores (B, K) an arm with the largest score, and which arms are tied with it."""
    arms = scores.argmax(axis=1)
    best = np.take_along_axis(scores, arms[:, np.newaxis], axis=1)
    lowest = np.where(scores == -inf, best, scores).min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # ∞ − ∞, which `tie_margin` refuses below
        margins = TIE * (best - lowest) + _ROUNDING * np.abs(best)
    for row in np.flatnonzero(~np.isfinite(margins)):
        tie_margin(scores[row], best.item(row))
    return arms, scores >= best - margins


def best_arm(scores: Array, rng: np.random.Generator) -> tuple[int, float]:
    """The arm with the largest score and its probability; tied arms are equally likely."""
    arm = int(scores.argmax())
    best = scores.item(arm)  # NaN if there is one, which `tie_margin` refuses
    tied = scores >= best - tie_margin(scores, best)
    n_tied = tied.tobytes().count(1)  # for few arms much faster than numpy
    if n_tied > 1:
        arm = int(rng.choice(np.flatnonzero(tied)))
    return arm, 1.0 / n_tied


def pick_best(scores: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
    """The eligible arm with the largest score, ties broken at random. Not an exploring choice."""
    if eligible is not None:
        scores = mask_scores(scores, eligible)
    arm, propensity = best_arm(scores, rng)
    return Choice(arm, propensity, scores, False)


def pick_optimistic(
    mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator, width: float = 1.0
) -> Choice:
    """The eligible arm with the largest mean + width · std; it explores if that is not the largest mean."""
    scores = mean + (std if width == 1.0 else width * std)
    if eligible is not None:
        scores, mean = mask_scores(scores, eligible), mask_scores(mean, eligible)
    arm, propensity = best_arm(scores, rng)
    return Choice(arm, propensity, scores, mean.item(arm) < mean.item(mean.argmax()))


def distribution(choice: Choice) -> Array:
    """The exact probability of every arm in the decision that gave this choice, shape (K,)."""
    if choice.probabilities is not None:
        return choice.probabilities
    best = float(choice.scores.max())
    shares = (choice.scores >= best - tie_margin(choice.scores, best)).astype(np.float64)
    if choice.propensity == 1.0:  # certain, as in exploration in turn, whatever the scores
        shares = (np.arange(len(shares)) == choice.arm).astype(np.float64)
    shares /= shares.sum()
    if abs(shares[choice.arm] - choice.propensity) > _STATED:
        raise InvalidArgument(
            f"the policy states the propensity {choice.propensity:g} for arm {choice.arm}, which does not follow from "
            "its scores: its learner must give the probabilities of all arms, Choice(…, probabilities=…)"
        )
    return shares


@final
class RoundRobin:
    """Counts the turns of every arm; next is the eligible arm with the fewest turns.

    Of several, it is the one with the lowest number; or, if contexts are given, the one that is `central_first`.

    A turn is a decision, so that no arm is tried again and again while its rewards are on their way. A reward that no
    turn waits for is a turn too: what was learned from a log, or from a decision of somebody else, need not be tried.

    Attributes:
        fewest: turns of the arm with the fewest.
        total: turns of all arms together.

    """

    __slots__ = ("_counts", "_last", "_waiting", "fewest", "total")
    _counts: Array
    _waiting: list[int]
    fewest: int
    _last: int
    total: int

    def __init__(self, n_arms: int) -> None:
        self._counts = np.zeros(n_arms)
        self._waiting = [0] * n_arms  # turns whose reward has not come
        self.fewest = self._last = self.total = 0

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, turns of arms that are not there."""
        checks.refuse_unfit("turns", self._counts, np.float64, (len(self._waiting),))
        if self._last not in range(len(self._waiting)) or not all(type(n) is int and n >= 0 for n in self._waiting):
            raise InvalidArgument("the turns of arms do not fit each other")

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self._counts)

    def of(self, arms: BoolArray) -> int:
        """Turns of these arms together."""
        return int(self._counts[arms].sum())

    def due(self, n_turns: int, eligible: BoolArray | None) -> bool:
        """Whether an eligible arm has had fewer than `n_turns` turns."""
        return self.fewest < n_turns and (eligible is None or bool(self._counts[eligible].min() < n_turns))

    def next(self, eligible: BoolArray | None, contexts: Array | None = None) -> Choice:
        """The arm whose turn it is, if contexts of shape (K, d) are given, by these. Its propensity is 1."""
        arm = self._last = self._first(eligible, contexts)
        self._waiting[arm] += 1
        self._count(arm, 1)
        return Choice(arm, 1.0, mask_scores(np.zeros(len(self._counts)), eligible), explored=True)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        """The turn as the answer for contexts of shape (B, K, d): nothing is known of the rewards."""
        unknown, probabilities = np.full(contexts.shape[:2], np.nan), np.zeros(contexts.shape[:2])
        self.take_over(probabilities, inf, eligible)
        return Scores(unknown, unknown.copy(), probabilities)

    def take_over(
        self, probabilities: Array, n_turns: float, eligible: BoolArray | None, contexts: Array | None = None
    ) -> None:
        """Make the arm whose turn it is certain in every round in which one is due; arrays of shape (B, K) or more."""
        allowed = np.ones(probabilities.shape, dtype=np.bool_) if eligible is None else eligible
        for row in np.flatnonzero(((self._counts < n_turns) & allowed).any(axis=1)):
            probabilities[row] = 0.0
            probabilities[row, self._first(allowed[row], None if contexts is None else contexts[row])] = 1.0

    def _first(self, eligible: BoolArray | None, contexts: Array | None) -> int:
        """The arm whose turn it is."""
        counts = mask_scores(-self._counts, eligible)
        if contexts is None:
            return int(counts.argmax())
        allowed = np.arange(self.n_arms) if eligible is None else np.flatnonzero(eligible)
        order = allowed[central_first(contexts if eligible is None else contexts[allowed])]
        return int(order[counts[order].argmax()])

    def observe(self, arm: int, counts: bool = True) -> bool:
        """A reward of this arm has come. Return whether it is that of a turn; one that no turn waits for may count."""
        if self._waiting[arm]:
            self._waiting[arm] -= 1
            return True
        if counts:
            self._count(arm, 1)
        return counts

    def withdraw(self) -> None:
        """Take the last turn back, unless a reward has been observed for it."""
        if self._waiting[self._last]:
            self._waiting[self._last] -= 1
            self._count(self._last, -1)

    def _count(self, arm: int, turns: int) -> None:
        self._counts[arm] += turns
        self.total += turns
        self.fewest = int(self._counts.min())

    def add_arm(self) -> None:
        """Add an arm without turns."""
        self._counts = np.append(self._counts, 0.0)
        self._waiting.append(0)
        self.fewest = 0
