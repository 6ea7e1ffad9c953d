"""Beliefs are frozen specs of how rewards are modelled. A belief starts a tracker, which follows the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.problem import Problem
from kernelbandits.regression import Posterior
from kernelbandits.specs import Spec
from kernelbandits.types import Array, IntArray

_LARGEST = 2**22  # entries of contexts in a rehearsal, 32 MB


@final
class Prefetched:
    """B announced rounds, taken one after the other: iterates over their contexts, arrays of shape (K, d).

    The agent shares one such object with everything that answers for these rounds, and passes on the very array that
    it took from it. So a round is recognised by identity, `contexts is block.shown`, at no cost.

    Attributes:
        contexts: shape (B, K, d).
        row: number of the round taken last, −1 before the first.
        shown: its contexts, None before the first.

    >>> block = Prefetched(np.zeros((5, 2, 3)))
    >>> block.row, next(iter(block)).shape, block.row
    (-1, (2, 3), 0)

    See also `Belief`, `Tracker`, `HierarchicalBayes`.
    """

    __slots__ = ("_rounds", "contexts", "row", "shown")
    contexts: Array
    _rounds: list[Array]
    row: int
    shown: Array | None

    def __init__(self, contexts: Array) -> None:
        self.contexts = contexts
        self._rounds = list(contexts)
        self.row = -1
        self.shown = None

    def _validate(self) -> None:
        checks.refuse_misshapen(self, contexts=(len(self._rounds), None, None))
        fit = all(shown.shape == self.contexts.shape[1:] for shown in self._rounds)
        checks.refuse_inconsistent(
            self, fit, -1 <= self.row < len(self._rounds), self.shown is None or self.shown is self._rounds[self.row]
        )

    def __iter__(self) -> Iterator[Array]:
        for row, shown in enumerate(self._rounds):
            self.row, self.shown = row, shown
            yield shown

    def take(self, contexts: Array) -> Array | None:
        """Go to the next round if it has these contexts, by value, and return its own array; else None."""
        row = self.row + 1
        if row == len(self._rounds) or np.count_nonzero(self._rounds[row] != contexts):
            return None
        self.row, self.shown = row, self._rounds[row]
        return self.shown

    def row_with(self, context: Array, arm: int) -> int | None:
        """The number of the round taken last if it shows this context for the arm, by value; else None."""
        shown = self.shown
        return self.row if shown is not None and shown[arm].tobytes() == context.tobytes() else None


class Tracker(ABC):
    """Mean and standard deviation of every arm's mean reward, kept current while rewards arrive in any order.

    >>> tracker = LinearArms(intercept=False, rewards=AsGiven()).start(Problem(n_arms=2, dim=1))
    >>> tracker.observe(np.ones(1), arm=0, reward=4.0)
    >>> mean, std = tracker.mean_and_std(np.ones((2, 1)))  # arm 1 has no rewards yet
    >>> mean.round(2), std.round(2)
    (array([2., 0.]), array([0.71, 1.  ]))

    See also `Belief`, `HierarchicalBayes`, `Prefetched`, `JointArms`.
    """

    __slots__ = ()

    @abstractmethod
    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two new arrays of shape (K,)."""

    @abstractmethod
    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Take one reward into account."""

    @abstractmethod
    def prefetch(self, block: Prefetched | None) -> None:
        """Prepare for coming rounds; None forgets them. Saves time, changes no answer."""

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array] | None:
        """`mean_and_std` for contexts of shape (B, K, d) in few calls, shape (B, K); None: ask round by round.

        A hook for trackers that can do so without prefetching.
        """
        return None

    def _size(self) -> tuple[int, int] | None:
        """Numbers of arms and features, K and d; None: a loaded tracker of this class is not rehearsed."""
        return None

    def _rehearse(self) -> None:
        """Ask and observe a little, to see whether a loaded tracker works; not with contexts of more than 32 MB."""
        n_arms, dim = self._size() or (0, 0)
        if not 0 < n_arms * dim <= _LARGEST:
            return
        block = np.random.default_rng(0).standard_normal((2, n_arms, dim))
        for step in range(min(2 * n_arms + 4, 32)):
            self.mean_and_std(block[step % 2])
            self.observe(block[step % 2, step % n_arms], step % n_arms, 0.5 * step)
        self.means_and_stds(block)
        self.prefetch(coming := Prefetched(block))
        for shown in coming:
            self.mean_and_std(shown)
        self.prefetch(None)

    @abstractmethod
    def add_arm(self, problem: Problem) -> None:
        """Add an arm, the last of `problem`, and forget prefetched rounds; or raise and change nothing."""


class LearningTracker(Tracker):
    """A tracker that also knows which part of its deviations further rewards of an arm would reduce everywhere."""

    __slots__ = ()

    @property
    @abstractmethod
    def counts(self) -> IntArray:
        """The number of rewards of every arm that count, shape (K,)."""

    @abstractmethod
    def learnable(self) -> tuple[Array, float]:
        """Variances of the levels of arms, shape (K,), and how far other deviations reach, from 0 to 1.

        A level is what the rewards of an arm have in common at all contexts. The reach is the typical correlation of
        what is beyond it between two contexts of an arm.
        """


class AffineTracker(Tracker):
    """A tracker whose means are linear in the rewards, so that it can follow a change of their units."""

    __slots__ = ()

    @property
    @abstractmethod
    def functions(self) -> IntArray:
        """The number of each arm's reward function, shape (K,): arms with one function have one number."""

    @abstractmethod
    def restate(self, shifts: Array, factor: float) -> None:
        """Replace every reward y of arm i that was observed by (y − shiftsᵢ)/factor; `shifts` has shape (K,)."""


def restated(posterior: Posterior, shifts: Array, factor: float) -> Posterior:
    """The posterior given (y − shifts)/factor instead of its targets y, in O(n²); `shifts` has shape (n,)."""
    n, targets = posterior.n, posterior.whitened_targets.copy()
    targets[:n] -= posterior.factor.whiten(shifts)
    targets[:n] /= factor
    return replace(posterior, whitened_targets=targets)


class Belief(Spec, ABC):
    """How rewards are modelled. Policies such as Thompson sampling act on any belief.

    >>> for belief in (EmpiricalBayes(), LinearArms()):
    ...     agent = ThompsonSampling(belief).start(Problem(n_arms=2, dim=3), rng=0)
    ...     agent.observe_batch(np.ones((20, 3)), [0, 1] * 10, [0.0, 1.0] * 10)
    ...     agent.choose(np.ones(3)).arm
    1
    1

    See also `EmpiricalBayes`, `IndependentArms`.
    """

    __slots__ = ()

    @abstractmethod
    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        """A tracker without rewards; raises if the belief does not fit the problem.

        All of its randomness comes from `rng` (a generator or a seed).
        """
