"""Independent arms on features that all arms share: the same cost for the millionth reward as for the first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.arm_models import ArmModel, Construction
from kernelbandits.beliefs.arm_sums import ArmSums, add_outer
from kernelbandits.beliefs.base import Prefetched
from kernelbandits.beliefs.evidence import Components, EvidenceSums, offset_and_ridge
from kernelbandits.beliefs.kernel_features import KernelFeatures
from kernelbandits.problem import Problem
from kernelbandits.types import Array, IntArray

_CANDIDATES = 1024  # contexts among which centres are chosen, but not fewer than half of that
_COORDINATES = 2**18  # of all of them together
_PIECE = 512  # rewards that are added at once


@final
class SketchedArms(ArmModel):
    """Bayesian linear regression of every arm on features ψ = (1, φ) with prior variances (o, 1, …, 1).

    With P = (Σ ψψᵀ + ridge · diag(1/o, 1, …, 1))⁻¹ and w = P Σ ψ y: mean = ψᵀw, and the variance is
    K(x, x) − ‖φ‖² + ridge · ψᵀPψ: what the features do not span keeps its prior variance. O(r²) per reward and arm.
    """

    __slots__ = ("_P", "_asked", "_features", "_sums", "_w", "components")
    _features: KernelFeatures
    _sums: ArmSums
    _P: Array
    _w: Array
    _asked: tuple[Array, Array] | None

    def __init__(self, components: Components, features: KernelFeatures, sums: ArmSums, precisions: Array) -> None:
        """`precisions` has the P of every arm, shape (K, r, r)."""
        self.components = components
        self._features, self._sums, self._P = features, sums, precisions
        self._w = np.matmul(precisions, sums.products[:, :, np.newaxis])[:, :, 0]
        self._asked = None

    def _validate(self) -> None:
        n_arms, r = self._sums.size
        checks.refuse_misshapen(self, _P=(n_arms, r, r), _w=(n_arms, r))
        shapes = (n_arms, self._features.dim), (n_arms, r)
        fit = self._asked is None or tuple(part.shape for part in self._asked) == shapes
        checks.refuse_inconsistent(self, self._features.n == r, self._P.flags.c_contiguous, fit)

    @property
    def counts(self) -> IntArray:
        return self._sums.counts

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        known = self._features.of(contexts if contexts.strides[0] else contexts[:1])  # one row if arms share it
        psi = np.broadcast_to(known, (len(contexts), known.shape[1]))
        self._asked = (contexts.copy(), psi)
        spread = np.vecdot(np.matmul(self._P, psi[:, :, np.newaxis])[:, :, 0], psi)
        beyond = self._beyond(contexts[: len(known)], known)
        return np.vecdot(self._w, psi), np.sqrt(beyond + self.components.ridge * np.maximum(spread, 0.0))

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array]:
        means, stds = np.empty(contexts.shape[:2]), np.empty(contexts.shape[:2])
        psi, beyond = np.empty((0, 0)), np.empty(0)
        for arm, (weights, precision) in enumerate(zip(self._w, self._P, strict=True)):
            shown = contexts[:, arm]
            if not arm or not np.array_equal(shown, contexts[:, arm - 1]):  # arms often share their contexts
                psi = self._features.of(shown)
                beyond = self._beyond(shown, psi)
            np.matmul(psi, weights, out=means[:, arm])
            spread = np.maximum(np.vecdot(psi @ precision, psi), 0.0)
            np.sqrt(beyond + self.components.ridge * spread, out=stds[:, arm])
        return means, stds

    def _beyond(self, contexts: Array, psi: Array) -> Array:
        """K(x, x) − ‖φ‖², what the features do not span."""
        beyond: Array = self._features.variances(contexts) - np.vecdot(psi[:, 1:], psi[:, 1:])
        return np.maximum(beyond, 0.0, out=beyond)

    def _psi(self, context: Array, arm: int) -> Array:
        """Features of an arm's context: known if it was asked about last."""
        if self._asked is not None and self._asked[0][arm].tobytes() == context.tobytes():
            psi: Array = self._asked[1][arm]
            return psi
        [psi] = self._features.of(context[np.newaxis])
        return psi

    def outlook(self, context: Array, arm: int) -> tuple[float, float]:
        psi = self._psi(context, arm)
        [beyond] = self._beyond(context[np.newaxis], psi[np.newaxis])
        spread = max(float(psi @ (self._P[arm] @ psi)), 0.0)
        return float(self._w[arm] @ psi), float(beyond) + self.components.ridge * spread

    def observe(self, context: Array, arm: int, reward: float) -> float:
        psi = self._psi(context, arm)
        direction = self._P[arm] @ psi
        spread = max(float(psi @ direction), 0.0)
        innovation, share = reward - float(self._w[arm] @ psi), 1.0 / (1.0 + spread)
        add_outer(self._P[arm], direction, -share)
        self._w[arm] += share * innovation * direction
        self._sums.add_one(arm, psi, reward)
        return innovation * innovation * share / self.components.ridge  # noise includes what is not spanned

    def sum_of_squares(self) -> float:
        explained = np.vecdot(self._w, self._sums.products)
        return float(np.maximum(self._sums.squares - explained, 0.0).sum()) / self.components.ridge

    def level_variances(self) -> Array:
        """Of the mean of an arm's reward function over the contexts of its rewards."""
        ridge, shared, counts = self.components.ridge, self.components.shared, self._sums.counts
        middle = self._sums.ones / np.maximum(counts, 1)[:, np.newaxis]
        known = ridge * np.vecdot(np.matmul(self._P, middle[:, :, np.newaxis])[:, :, 0], middle)
        return np.where(counts > 0, np.maximum(known, ridge / (counts + ridge / shared)), shared)

    def prefetch(self, block: Prefetched | None) -> None:
        """Nothing is prepared: a round costs little."""

    def add_arm(self, problem: Problem) -> None:
        self._sums.add_arm()
        new = np.eye(self._P.shape[1]) / self.components.ridge
        new[0, 0] *= self.components.offset
        self._P = np.concatenate([self._P, new[np.newaxis]])
        self._w = np.concatenate([self._w, np.zeros_like(self._w[:1])])
        self._asked = None

    def revision(self) -> SketchRevision:
        """The same arms with a new level variance and noise."""
        return SketchRevision(self.components, self._features, self._sums.copy())


def _inverse(A: Array, components: Components) -> Array:
    """(A + ridge · diag(1/o, 1, …, 1))⁻¹."""
    A = A + components.ridge * np.eye(len(A))
    A[0, 0] += components.ridge * (1.0 / components.offset - 1.0)
    roots = np.sqrt(A.diagonal())
    inverse: Array = np.linalg.inv(A / np.outer(roots, roots)) / np.outer(roots, roots)
    return 0.5 * (inverse + inverse.T)


def _some_contexts(data: ArmData, n_coordinates: int) -> Array:
    """At most about `_CANDIDATES` contexts, of every arm in proportion to its rewards; fewer of many coordinates."""
    most = min(_CANDIDATES, max(_CANDIDATES // 2, _COORDINATES // n_coordinates))
    share = min(1.0, most / max(len(data), 1))
    parts = [data.thinned(arm, max(1, round(share * int(data.counts[arm]))))[0] for arm in data.played]
    return np.concatenate(parts)


@final
@dataclass(slots=True, eq=False)
class SketchConstruction(Construction):
    """`SketchedArms` from the rewards themselves: features, sums over pieces of every arm's rewards, then a revision.

    Level variance and noise are estimated again because noise now includes what the features do not span. The levels
    of arms, shape (K,), are subtracted from their rewards. There are at most `_most` features.
    """

    _components: Components
    _levels: Array
    _data: ArmData
    _most: int
    _features: KernelFeatures | None = None
    _sums: ArmSums = field(default_factory=lambda: ArmSums(0, 0))
    _revision: SketchRevision | None = None

    def _validate(self) -> None:
        n_arms, (arms, r) = len(self._data.counts), self._sums.size
        known = None if self._features is None else self._features.n
        checks.refuse_misshapen(self, _levels=(n_arms,))
        checks.refuse_inconsistent(self, n_arms == arms or known is None, known in (None, r))

    @property
    def done(self) -> bool:
        return self._revision is not None and self._revision.done

    def step(self) -> float:
        if self._revision is not None:
            return self._revision.step()
        if self._features is None:
            contexts = _some_contexts(self._data, len(self._components.units.origin))
            self._features = KernelFeatures(self._components, contexts, self._most)
            self._sums = ArmSums(len(self._levels), self._features.n)
            return float(len(contexts) * self._features.n**2)
        behind = np.flatnonzero(self._sums.counts < self._data.counts)
        if not len(behind):
            self._revision = SketchRevision(self._components, self._features, self._sums)
            return 0.0
        arm = int(behind[0])
        X, y = self._data.arrived(arm)
        rows = slice(int(self._sums.counts[arm]), int(self._sums.counts[arm]) + _PIECE)
        self._sums.add(arm, self._features.of(X[rows]), y[rows] - self._levels[arm])
        return float(len(X[rows]) * self._features.n**2)

    def model(self) -> SketchedArms:
        return cast("SketchRevision", self._revision).model()  # it is there as soon as the model is done


@final
@dataclass(slots=True, eq=False)
class SketchRevision(Construction):
    """`SketchedArms` with a new level variance and noise, from their sums alone: the rewards may be forgotten."""

    _components: Components
    _features: KernelFeatures
    _sums: ArmSums
    _evidence: EvidenceSums = field(default_factory=EvidenceSums)
    _n_seen: int = 0
    _n_inverses: int = 0
    _P: Array = field(init=False)

    def __post_init__(self) -> None:
        self._P = np.empty_like(self._sums.features)

    def _validate(self) -> None:
        n_arms, r = self._sums.size
        checks.refuse_misshapen(self, _P=(n_arms, r, r))
        steps = 0 <= self._n_seen <= n_arms and 0 <= self._n_inverses <= n_arms
        checks.refuse_inconsistent(self, self._features.n == r, steps)

    @property
    def done(self) -> bool:
        return self._n_inverses == len(self._P)

    def step(self) -> float:
        sums = self._sums
        if self._n_seen < len(self._P):
            if sums.counts[self._n_seen]:
                sums.add_evidence(self._n_seen, self._evidence)
            self._n_seen += 1
            if self._n_seen == len(self._P):
                variance = sums.variance
                found = self._components
                posterior = self._evidence.log_posterior(found.variance - found.offset, variance, found.least_noise)
                self._components = self._components.revised(*offset_and_ridge(posterior), variance)
        else:
            self._P[self._n_inverses] = _inverse(sums.features[self._n_inverses], self._components)
            self._n_inverses += 1
        return float(sums.features.shape[1] ** 3)

    def model(self) -> SketchedArms:
        return SketchedArms(self._components, self._features, self._sums, self._P)
