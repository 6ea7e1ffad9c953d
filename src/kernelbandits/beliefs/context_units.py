"""In which units distances between contexts are measured: those of the features, or of their order."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import MappedGeometry, Radial
from kernelbandits.types import Array, IntArray

_CONSTANT = 1e-12  # a difference that is rounding, relative to the size of the feature
_MOST_RAMPS = 8  # of a feature,
_COORDINATES = 512  # and of all features together about this many


@dataclass(frozen=True, slots=True, eq=False)
class Units(MappedGeometry):
    """t = ‖u(x) − u(z)‖²/p with coordinates u(x) ∈ R^p. Their `origin`, shape (p,), is where u(x) = 0.

    The origin changes no distance: functions may be 0 there, and no digits are lost if contexts are far from 0.
    """

    mapped = Radial()
    origin: Array

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of features of contexts, d."""

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


@final
@dataclass(frozen=True, slots=True, eq=False)
class FeatureScales(Units):
    """u(x) = scales · (x − origin): every feature times its own scale; `origin` and `scales` have shape (d,)."""

    scales: Array

    def _validate(self) -> None:
        checks.refuse_misshapen(self, origin=(None,), scales=(len(self.origin),))

    @property
    def dim(self) -> int:
        return len(self.origin)

    @classmethod
    def as_given(cls, groups: list[Array]) -> FeatureScales:
        """Features as they are in groups of points, arrays of shape (n, d)."""
        origin = np.concatenate(groups).mean(axis=0)
        return cls(origin, np.ones_like(origin))

    @classmethod
    def own(cls, groups: list[Array]) -> FeatureScales:
        """Each feature in units of its deviation within groups of points, arrays of shape (n, d).

        One that is constant there has the root mean square of the units of the others: it may vary later.
        """
        together = np.concatenate(groups)
        apart = np.concatenate([X - X.mean(axis=0) for X in groups])
        units = np.sqrt((apart**2).mean(axis=0))
        constant = units <= _CONSTANT * np.abs(together).max(axis=0)
        typical = np.sqrt(np.mean(units[~constant] ** 2)) if not constant.all() else 1.0
        return cls(together.mean(axis=0), 1.0 / np.where(constant, typical, units))

    def _map(self, X: Array) -> Array:
        return (X - self.origin) * self.scales


@final
@dataclass(frozen=True, slots=True, eq=False)
class FeatureRamps(Units):
    """u = weights · clip((x_j − starts)/lengths, 0, 1) − origin, every ramp on the feature j = features.

    The ramps of a feature rise one after the other, each over an equal share of the points it was made of. So the
    coordinates tell where x_j stands among these points, whatever its unit, a monotone function of it is a sum of
    ramps, and a jump at one value, as between nothing and something, is as large as any other part. Functions of small
    γ are sums of functions of single features, as are those of boosted trees of depth one. Features of few values have
    a ramp between any two that are next to each other; the squared length of all ramps of a feature together is 1.

    All arrays have shape (p,); `features` are their numbers, below `n_features`.
    """

    weights: Array
    features: IntArray
    starts: Array
    lengths: Array
    n_features: int

    def _validate(self) -> None:
        p = (len(self.origin),)
        checks.refuse_misshapen(self, origin=p, weights=p, features=p, starts=p, lengths=p)
        known = bool(((self.features >= 0) & (self.features < self.n_features)).all())
        checks.refuse_inconsistent(self, known, bool((self.lengths > 0.0).all()))

    @property
    def dim(self) -> int:
        return self.n_features

    @classmethod
    def among(cls, groups: list[Array]) -> FeatureRamps:
        """Ramps by the order of points in groups, arrays of shape (n, d). Constant features have none.

        If all are constant there is one ramp, which tells nothing.
        """
        points = np.sort(np.concatenate(groups), axis=0)
        d = points.shape[1]
        most = max(1, min(_MOST_RAMPS, _COORDINATES // d))
        found = [_ramps(points[:, feature], most) for feature in range(d)]
        counts = np.array([len(starts) for starts, _ in found])
        if not counts.any():
            return cls(np.zeros(1), np.ones(1), np.zeros(1, dtype=np.int64), points[-1, :1], np.ones(1), d)
        features = np.repeat(np.arange(d), counts)
        starts, ends = (np.concatenate(parts) for parts in zip(*found, strict=True))
        ramps = cls(np.zeros(len(features)), 1.0 / np.sqrt(counts[features]), features, starts, ends - starts, d)
        return replace(ramps, origin=ramps._map(points).mean(axis=0))

    def _map(self, X: Array) -> Array:
        U: Array = X[:, self.features]
        U -= self.starts
        U /= self.lengths
        np.clip(U, 0.0, 1.0, out=U)
        U *= self.weights
        U -= self.origin
        return U


def _ramps(values: Array, most: int) -> tuple[Array, Array]:
    """Starts and ends of at most so many ramps over sorted values, shape (n,)."""
    n = len(values)
    after = np.flatnonzero(np.diff(values) > _CONSTANT * max(abs(values[0]), abs(values[-1])))  # where values change
    if len(after) <= most:
        return values[after], values[after + 1]
    wanted = np.arange(1, most + 1) * (n / (most + 1)) - 1.0
    after = after[np.unique(np.abs(after[:, np.newaxis] - wanted).argmin(axis=0))]
    beside = n // (2 * (most + 1))
    return values[np.maximum(after - beside, 0)], values[np.minimum(after + 1 + beside, n - 1)]
