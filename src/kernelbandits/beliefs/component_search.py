"""The search for the components that explain rewards best, in steps of bounded work."""

from __future__ import annotations

from math import exp
from typing import TypeAlias, final

import numpy as np

from kernelbandits.beliefs.anchored_gaussian import Units
from kernelbandits.beliefs.estimation import typical_distance
from kernelbandits.beliefs.evidence import LOG_PRIOR, Components, EvidenceSums, correlation_of, offset_and_ridge
from kernelbandits.types import Array

MULTIPLES = (4.0, 1.0, 0.25, 0.0625, 0.0156, 0.0039)
"""m in exp(−m t/t̄): from functions with which two typical contexts have little in common to linear ones."""

_START = (1, 0, 0)
_COMMON = (1.0, 0.0)
_ROUNDING = 1e-24
_TIE = 1e-6  # of a log evidence: with one pair of contexts all units are alike, and rounding must not decide
_CONSTANT = 1e-100  # a γ with exp(−γ t) = 1 for all contexts that can be

Candidate: TypeAlias = tuple[int, int, int]
"""Numbers of a multiple, of a kind of units, and of what is common."""


@final
class ComponentSearch:
    """Climbs from m = 1 to neighbouring bandwidths, other units or anchors as long as the evidence grows.

    Units are contexts as they are, or every feature in units of its deviation. Functions are those of exp(−γ t), or of
    those that are 0 at the mean context, beside their level. The answer depends on the data
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
        multiple, space, common = self._told(self._queue[0])
        y = self._arms[self._next_arm][1]
        self._sums.add_gram(space.gram(multiple, common, self._next_arm), y)
        self._next_arm += 1
        if self._next_arm == len(self._arms):
            candidate = self._queue.pop(0)
            self._found[candidate] = self._sums.log_posterior(_typical(multiple, common), self._variance)
            self._sums, self._next_arm = EvidenceSums(), 0
            if not self._queue and space.typical is not None:
                self._climb()
        return float(len(y) ** 3)

    def _climb(self) -> None:
        """Go to neighbours that are better, until there is none or one is not known yet, which is then asked for."""
        moved = True
        while moved and not self._queue:
            moved = False
            for candidate in self._neighbours():
                if candidate not in self._found:
                    self._queue = [candidate]
                    break
                if self._evidence(candidate) > self._evidence(self._best) + _TIE:
                    self._best, moved = candidate, True
                    break

    def _evidence(self, candidate: Candidate) -> float:
        return float(self._found[candidate].max())

    def _neighbours(self) -> list[Candidate]:
        multiple, space, common = self._best
        near = [(other, space, common) for other in (multiple + 1, multiple - 1) if 0 <= other < len(MULTIPLES)]
        return [(multiple, space, 1 - common), (multiple, 1 - space, common), *near]

    def _told(self, candidate: Candidate) -> tuple[float, _Space, float]:
        multiple, space, common = candidate
        return MULTIPLES[multiple], self._spaces[space], _COMMON[common]

    @property
    def components(self) -> Components:
        """The best that was found."""
        multiple, space, common = self._told(self._best)
        offset, ridge = offset_and_ridge(self._found[self._best])
        gamma = _CONSTANT if space.typical is None else multiple / space.typical
        variance, shared = _typical(multiple, common) + offset, _size(multiple) * common * exp(-multiple)
        reach = correlation_of([space.gram(multiple, common, arm) - shared for arm in range(len(self._arms))])
        return Components(
            space.units,
            gamma,
            common,
            _size(multiple),
            offset,
            ridge,
            shared + offset,
            variance,
            reach,
            self._variance / (variance + ridge),
        )


def _size(multiple: float) -> float:
    """The factor that makes the variance of half the difference between typical contexts 1, whatever the bandwidth."""
    return 1.0 / (1.0 - exp(-multiple))


def _typical(multiple: float, common: float) -> float:
    """K(x, x) at a typical context, t̄/2 from the mean context."""
    return _size(multiple) * (1.0 - (1.0 - common) * exp(-multiple))


@final
class _Space:
    """Units, their typical distance t̄ (None if no arm has two different contexts), and distances between contexts."""

    __slots__ = ("_contexts", "_products", "typical", "units")

    def __init__(self, units: Units, contexts: list[Array]) -> None:
        self.units = units
        self.typical = typical_distance(contexts, units)
        self._contexts = contexts
        self._products: dict[int, Array] = {}  # u(x)ᵀu(z)/(d t̄) for every two contexts of an arm

    def gram(self, multiple: float, common: float, arm: int) -> Array:
        """The kernel matrix of an arm's contexts with γ = multiple/t̄; 0 if there is no t̄."""
        if arm not in self._products:
            U = self.units._map(self._contexts[arm])
            self._products[arm] = U @ U.T / (self.typical * U.shape[1]) if self.typical else np.zeros((len(U), len(U)))
        products = self._products[arm]
        squares = products.diagonal()
        t = squares + squares[:, np.newaxis] - 2.0 * products
        np.fill_diagonal(t, 0.0)
        values: Array = np.exp(-multiple * np.maximum(t, 0.0))
        if common < 1.0:
            anchor = np.exp(-multiple * squares)
            values -= (1.0 - common) * np.outer(anchor, anchor)
        values *= _size(multiple)
        return values
