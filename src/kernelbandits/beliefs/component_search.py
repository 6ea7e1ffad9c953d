"""The search for the components that explain rewards best, in steps of bounded work."""

from __future__ import annotations

from math import exp
from typing import TypeAlias, final

import numpy as np

from kernelbandits.beliefs.estimation import typical_distance
from kernelbandits.beliefs.evidence import LOG_PRIOR, Components, EvidenceSums, correlation_of, offset_and_ridge
from kernelbandits.beliefs.anchored_gaussian import Units
from kernelbandits.types import Array

MULTIPLES = (4.0, 1.0, 0.25, 0.0625, 0.0156, 0.0039)
"""m in exp(−m t/t̄): from functions with which two typical contexts have little in common to linear ones."""

_START = (1, 0)
_ROUNDING = 1e-24
_TIE = 1e-6  # of a log evidence: with one pair of contexts all units are alike, and rounding must not decide
_CONSTANT = 1e-100  # a γ with exp(−γ t) = 1 for all contexts that can be

Candidate: TypeAlias = tuple[int, int]
"""Numbers of a multiple and of a kind of units."""


@final
class ComponentSearch:
    """Climbs from m = 1 to neighbouring bandwidths and to the other units as long as the evidence grows.

    Units are contexts as they are, or every feature in units of its deviation. The answer depends on the data
    alone, not on an earlier one. Rewards that do not vary tell nothing about noise: then it is the prior that decides.

    Attributes:
        done: whether `components` is known.

    """

    __slots__ = ("_arms", "_best", "_found", "_next_arm", "_queue", "_spaces", "_sums", "_variance")

    def __init__(self, arms: list[tuple[Array, Array]], variance: float) -> None:
        """For contexts and rewards less levels of arms; `variance` is that of all rewards."""
        contexts = [X for X, _ in arms]
        self._spaces = [_Space(units, contexts) for units in (Units.as_given(contexts), Units.own(contexts))]
        self._arms, self._variance = arms, variance
        self._found: dict[Candidate, Array] = {}
        self._best, self._queue = _START, [_START]
        self._sums, self._next_arm = EvidenceSums(), 0
        if sum(float(y @ y) for _, y in arms) <= _ROUNDING * variance:
            self._found[_START], self._queue = LOG_PRIOR, []

    @property
    def done(self) -> bool:
        return not self._queue

    def step(self) -> float:
        """Look at one arm with one candidate. The answer is the work, in floating-point operations up to a factor."""
        multiple, space = self._queue[0][0], self._spaces[self._queue[0][1]]
        y = self._arms[self._next_arm][1]
        self._sums.add_gram(space.gram(MULTIPLES[multiple], self._next_arm), y)
        self._next_arm += 1
        if self._next_arm == len(self._arms):
            candidate = self._queue.pop(0)
            self._found[candidate] = self._sums.log_posterior(self._variance)
            self._sums, self._next_arm = EvidenceSums(), 0
            if not self._queue and space.typical is not None:
                self._climb()
        return float(len(y) ** 3)

    def _climb(self) -> None:
        near = self._neighbours()
        self._queue = [candidate for candidate in near if candidate not in self._found]
        if not self._queue:
            better = max(near, key=self._evidence)
            if self._evidence(better) > self._evidence(self._best) + _TIE:
                self._best = better
                self._climb()

    def _evidence(self, candidate: Candidate) -> float:
        return float(self._found[candidate].max())

    def _neighbours(self) -> list[Candidate]:
        multiple, space = self._best
        near = [(other, space) for other in (multiple - 1, multiple + 1) if 0 <= other < len(MULTIPLES)]
        return [*near, (multiple, 1 - space)]

    @property
    def components(self) -> Components:
        """The best that was found."""
        multiple, space = MULTIPLES[self._best[0]], self._spaces[self._best[1]]
        offset, ridge = offset_and_ridge(self._found[self._best])
        gamma = _CONSTANT if space.typical is None else multiple / space.typical
        reach = correlation_of([space.gram(multiple, arm) for arm in range(len(self._arms))])
        prior = self._variance / (1.0 + offset + ridge)
        return Components(space.units, gamma, _size(multiple), offset, ridge, reach, prior)


def _size(multiple: float) -> float:
    """The factor that makes the variance at a typical context 1, whatever the bandwidth."""
    return 1.0 / (1.0 - exp(-multiple))


@final
class _Space:
    """Units, their typical distance t̄ (None if no arm has two different contexts), and distances between contexts."""

    __slots__ = ("_contexts", "_products", "typical", "units")

    def __init__(self, units: Units, contexts: list[Array]) -> None:
        self.units = units
        self.typical = typical_distance(contexts, units)
        self._contexts = contexts
        self._products: dict[int, Array] = {}  # u(x)ᵀu(z)/(d t̄) for every two contexts of an arm

    def gram(self, multiple: float, arm: int) -> Array:
        """The kernel matrix of an arm's contexts with γ = multiple/t̄; 0 if there is no t̄."""
        if arm not in self._products:
            U = self.units._map(self._contexts[arm])
            self._products[arm] = U @ U.T / (self.typical * U.shape[1]) if self.typical else np.zeros((len(U), len(U)))
        products = self._products[arm]
        squares = products.diagonal()
        t = squares + squares[:, np.newaxis] - 2.0 * products
        np.fill_diagonal(t, 0.0)
        anchor = np.exp(-multiple * squares)
        values: Array = np.exp(-multiple * np.maximum(t, 0.0)) - np.outer(anchor, anchor)
        values *= _size(multiple)
        return values
