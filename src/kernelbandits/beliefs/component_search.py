"""The search for the components that explain rewards best, in steps of bounded work."""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple, TypeAlias, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.anchored_kernels import height
from kernelbandits.beliefs.context_units import FeatureRamps, FeatureScales, Units
from kernelbandits.beliefs.estimation import CONSTANT, median_distance, typical_distance
from kernelbandits.beliefs.evidence import (
    LOG_PRIOR,
    ArmEvidence,
    Components,
    EvidenceSums,
    correlation_of,
    offset_and_ridge,
)
from kernelbandits.types import Array

MULTIPLES = (4.0, 1.0, 0.25, 0.0625, 0.0156, 0.0039)
"""m in h(m t/t̄): from functions with which two typical contexts have little in common to linear ones."""

_ORDER = 2  # the kind of units that is
_UNUSUAL = 2.0  # nats less likely than other units, for it is one of very many ways to bend features

_START = (1, 0, 0)
_COMMON = (1.0, 0.0)
_ROUNDING = 1e-24
_TIE = 1e-6  # of a log evidence: with one pair of contexts all units are alike, and rounding must not decide
_LOST = 1e-6  # distances that are smaller than this share of squared norms are computed from differences

Candidate: TypeAlias = tuple[int, int, int]
"""Numbers of a multiple, of a kind of units, and of what is common."""


@final
class ComponentSearch:
    """Climbs from m = 1 to neighbouring bandwidths, other units or anchors as long as the evidence grows.

    Units are contexts as they are, or every feature in units of its deviation. Functions are those of exp(−γ t), or
    those of them that are 0 at the mean context, beside their level. Where rewards take few values, so that some noise
    is certain, 1/(1 + γ t) is in the place of exp(−γ t): rewards of 0 and 1 tell regions apart, within which functions
    hardly change. Regions may then be told apart by the order of a feature's values and not by their size, so there is
    a third kind of units (`FeatureRamps`). The answer depends on the data alone, not on an earlier one. Rewards that do
    not vary tell nothing about noise: then the prior decides.

    Attributes:
        done: whether the best components are `found`.
        arms: contexts and rewards less levels of every arm.

    """

    _spaces: list[_Space]
    _arms: list[tuple[Array, Array]]
    _variance: float
    _least_noise: float = 0.0  # which earlier files lack
    _found: dict[Candidate, Array]
    _best: Candidate
    _queue: list[Candidate]
    _sums: tuple[EvidenceSums, EvidenceSums]
    _next_arm: int

    def __init__(self, arms: list[tuple[Array, Array]], variance: float, least_noise: float = 0.0) -> None:
        """For contexts and rewards less levels of arms; `variance` is that of all rewards, `least_noise` of noise."""
        contexts = [X for X, _ in arms]
        kinds: list[Units] = [FeatureScales.as_given(contexts), FeatureScales.own(contexts)]
        if least_noise:
            kinds.append(FeatureRamps.among(contexts))
        self._spaces = [_Space(units, contexts) for units in kinds]
        self._arms, self._variance, self._least_noise = arms, variance, least_noise
        self._found = {}
        self._best, self._queue = _START, [_START]
        self._begin()
        if sum(float(y @ y) for _, y in arms) <= _ROUNDING * variance:
            self._found[_START], self._queue = LOG_PRIOR, []

    def _validate(self) -> None:
        dims, n_kinds = {space.units.dim for space in self._spaces}, len(self._spaces)
        fit = [X.ndim == 2 and X.shape[1] in dims and y.shape == (len(X),) for X, y in self._arms]
        fit += [space.fits([len(y) for _, y in self._arms]) for space in self._spaces]
        fit += [posterior.shape == LOG_PRIOR.shape for posterior in self._found.values()]
        known = {(i, j, k) for i in range(len(MULTIPLES)) for j in range(n_kinds) for k in range(2)}
        wanted = {self._best, *self._queue, *self._found}
        sizes = n_kinds in (_ORDER, _ORDER + 1) and len(dims) == 1 and 0 <= self._next_arm < max(len(self._arms), 1)
        checks.refuse_inconsistent(self, sizes, wanted <= known, bool(self._queue) or self._best in self._found, *fit)

    @property
    def done(self) -> bool:
        return not self._queue

    @property
    def arms(self) -> list[tuple[Array, Array]]:
        return self._arms

    def _begin(self) -> None:
        self._sums, self._next_arm = (EvidenceSums(), EvidenceSums()), 0  # with all that is common, and without

    def step(self) -> float:
        """Look at one arm with one candidate. Returns the work, in floating-point operations up to a factor."""
        number, kind, _ = self._queue[0]
        multiple, space, y = self._multiple(number), self._spaces[kind], self._arms[self._next_arm][1]
        apart = ArmEvidence.of(space.gram(multiple, 0.0, self._next_arm), space.anchor(multiple, self._next_arm), y)
        for sums, part in zip(self._sums, reversed(apart), strict=True):
            sums.add(part)
        self._next_arm += 1
        if self._next_arm == len(self._arms):
            self._queue.pop()
            for which, (sums, common) in enumerate(zip(self._sums, _COMMON, strict=True)):
                posterior = sums.log_posterior(multiple.typical(common), self._variance, self._least_noise)
                self._found[number, kind, which] = posterior - (_UNUSUAL if kind == _ORDER else 0.0)
            self._begin()
            if space.typical is not None:
                self._climb()
        return float(len(y) ** 3)

    def _multiple(self, number: int) -> _Multiple:
        return _Multiple(MULTIPLES[number], self._least_noise > 0.0)

    def _climb(self) -> None:
        """Go to neighbours that are better, until there is none or one is not known yet, which is then asked for."""
        while not self._queue:
            for candidate in self._neighbours():
                if candidate not in self._found:
                    self._queue = [candidate]
                    break
                if self._found[candidate].max() > self._found[self._best].max() + _TIE:
                    self._best = candidate
                    break
            else:
                return

    def _neighbours(self) -> list[Candidate]:
        multiple, space, common = self._best
        near = [(other, space, common) for other in (multiple + 1, multiple - 1) if 0 <= other < len(MULTIPLES)]
        others = [(multiple, other, common) for other in range(len(self._spaces)) if other != space]
        return [(multiple, space, 1 - common), *others, *near]

    def found(self) -> tuple[Components, list[Array]]:
        """The best, and its kernel matrices of the contexts of every arm, without those that have lost digits."""
        number, kind, which = self._best
        multiple, space, common = self._multiple(number), self._spaces[kind], _COMMON[which]
        offset, ridge = offset_and_ridge(self._found[self._best])
        gamma = CONSTANT if space.typical is None else multiple.m / space.typical
        variance, shared = multiple.typical(common) + offset, multiple.size * common * multiple.apart
        grams = [space.gram(multiple, common, arm) for arm in range(len(self._arms))]
        found = Components(
            space.units,
            gamma,
            common,
            multiple.size,
            offset,
            ridge,
            shared + offset,
            variance,
            correlation_of([gram - shared for gram in grams]),
            self._variance / (variance + ridge),
            self._least_noise,
        )
        return found, [gram + offset for gram in grams] if space.exact else []


class _Multiple(NamedTuple):
    """h(m t/t̄), with the `height` h."""

    m: float
    rational: bool

    @property
    def apart(self) -> float:
        """h(m): the correlation of two typical contexts, t̄ from each other."""
        return 1.0 / (1.0 + self.m) if self.rational else exp(-self.m)

    @property
    def size(self) -> float:
        """The factor that makes the variance of half the difference between typical contexts 1, whatever m is."""
        return 1.0 / (1.0 - self.apart)

    def typical(self, common: float) -> float:
        """K(x, x) at a typical context, t̄/2 from the mean context, whose square h(m/2)² is h(m) if h(s) = e⁻ˢ."""
        return self.size * (1.0 - (1.0 - common) * ((1.0 + self.m / 2.0) ** -2 if self.rational else self.apart))


@final
class _Space:
    """Units, their typical distance t̄ (None if no arm has two different contexts), and distances between contexts.

    Attributes:
        units: the units.
        typical: t̄.
        exact: whether no distance has lost many digits, so that Gram matrices are as good as those of the kernel.

    """

    __slots__ = ("_distances", "_squares", "exact", "typical", "units")
    units: Units
    _distances: list[Array]
    _squares: list[Array]
    exact: bool
    typical: float | None

    def __init__(self, units: Units, contexts: list[Array]) -> None:
        self.units = units
        self._distances, self._squares, self.exact = [], [], True
        for X in contexts:
            U = units._map(X)
            products = U @ U.T
            squares = products.diagonal() / U.shape[1]
            t = squares + squares[:, np.newaxis] - (2.0 / U.shape[1]) * products
            np.fill_diagonal(t, np.inf)
            self.exact &= bool(t.min() > _LOST * squares.max())
            np.fill_diagonal(t, 0.0)
            self._distances.append(t)  # ‖u(x) − u(z)‖²/p for every two contexts of an arm
            self._squares.append(squares)  # ‖u(x)‖²/p
        self.typical = median_distance(self._distances) if self.exact else typical_distance(contexts, units)

    def fits(self, sizes: list[int]) -> bool:
        """Whether what was loaded from a file can be distances between these numbers of contexts per arm."""
        shapes = [t.shape for t in self._distances] == [(n, n) for n in sizes]
        return shapes and [squares.shape for squares in self._squares] == [(n,) for n in sizes]

    def gram(self, multiple: _Multiple, common: float, arm: int) -> Array:
        """The kernel matrix of an arm's contexts with γ = m/t̄; constant if there is no t̄."""
        gamma = multiple.m / self.typical if self.typical else 0.0
        values = height(gamma * np.maximum(self._distances[arm], 0.0), rational=multiple.rational)
        values *= multiple.size
        if common < 1.0:
            anchor = self.anchor(multiple, arm)
            values -= (1.0 - common) * np.outer(anchor, anchor)
        return values

    def anchor(self, multiple: _Multiple, arm: int) -> Array:
        """Covariances with the value at the mean context, in units of its deviation: what `common` is a share of."""
        gamma = multiple.m / self.typical if self.typical else 0.0
        return sqrt(multiple.size) * height(gamma * self._squares[arm], rational=multiple.rational)
