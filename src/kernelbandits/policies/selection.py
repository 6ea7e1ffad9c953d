"""How an arm is picked: in turn, by the best score, or by optimism."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.learner import Choice
from kernelbandits.types import Array, BoolArray, IntArray

TIE = 1e-10
"""Scores this close, relative to the best, are equal, so that rounding does not decide between identical arms."""


def mask_scores(scores: Array, eligible: BoolArray | None) -> Array:
    """Scores with −∞ for arms that are not eligible."""
    return scores if eligible is None else np.where(eligible, scores, -np.inf)


def best_arms(scores: Array, rng: np.random.Generator) -> tuple[IntArray, Array]:
    """`best_arm` for every row of scores (B, K): arms and propensities, shape (B,)."""
    arms = scores.argmax(axis=1)
    best = np.take_along_axis(scores, arms[:, np.newaxis], axis=1)
    n_tied = np.count_nonzero(scores >= best - TIE * np.abs(best), axis=1)
    for row in np.flatnonzero(n_tied > 1):
        arms[row], _ = best_arm(scores[row], rng)
    return arms, 1.0 / n_tied


def best_arm(scores: Array, rng: np.random.Generator) -> tuple[int, float]:
    """The arm with the largest score and its probability; tied arms are equally likely."""
    arm = int(scores.argmax())
    best = scores.item(arm)
    tied = scores >= best - TIE * abs(best)
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
    shares = (choice.scores >= best - TIE * abs(best)).astype(np.float64)
    if choice.propensity == 1.0:  # certain, as in exploration in turn, whatever the scores
        shares = (np.arange(len(shares)) == choice.arm).astype(np.float64)
    shares /= shares.sum()
    if abs(shares[choice.arm] - choice.propensity) > TIE:
        raise InvalidArgument(
            f"the policy states the propensity {choice.propensity:g} for arm {choice.arm}, which does not follow from "
            "its scores: its learner must give the probabilities of all arms, Choice(…, probabilities=…)"
        )
    return shares


@final
class RoundRobin:
    """Counts the turns of every arm; next is the eligible arm with the fewest turns and the lowest number.

    Turns are decisions, not rewards: while rewards are on their way, no arm is tried again and again.

    Attributes:
        fewest: turns of the arm with the fewest.
        total: turns of all arms together.

    """

    __slots__ = ("_counts", "_last", "fewest", "total")

    def __init__(self, n_arms: int) -> None:
        self._counts = np.zeros(n_arms)
        self.fewest = self._last = self.total = 0

    def of(self, arms: BoolArray) -> int:
        """Turns of these arms together."""
        return int(self._counts[arms].sum())

    def due(self, n_turns: int, eligible: BoolArray | None) -> bool:
        """Whether an eligible arm has had fewer than `n_turns` turns."""
        return self.fewest < n_turns and (eligible is None or bool(self._counts[eligible].min() < n_turns))

    def next(self, eligible: BoolArray | None) -> Choice:
        """The arm whose turn it is. Known beforehand, so its propensity is 1."""
        arm = self._last = int(mask_scores(-self._counts, eligible).argmax())
        self._counts[arm] += 1
        self.fewest = int(self._counts.min())
        self.total += 1
        return Choice(arm, 1.0, mask_scores(np.zeros(len(self._counts)), eligible), explored=True)

    def withdraw(self) -> None:
        """Take the last turn back."""
        self._counts[self._last] -= 1
        self.fewest = min(self.fewest, int(self._counts[self._last]))
        self.total -= 1

    def add_arm(self) -> None:
        """Add an arm without turns."""
        self._counts = np.append(self._counts, 0.0)
        self.fewest = 0
