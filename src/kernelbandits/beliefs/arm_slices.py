"""What one arm contributes to the answers of a tracker that asks all arms in few calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from kernelbandits.kernels import Features, Kernel
from kernelbandits.linalg import aligned_zeros
from kernelbandits.regression import Posterior
from kernelbandits.types import Array


@final
@dataclass(slots=True, eq=False)
class ArmSlice:
    """What one arm contributes: features of its points, with spare room, and W by bands.

    Attributes:
        index: number of the arm among those with observations.
        features: of the arm's points; harmless numbers in the spare room.
        capacity: how many points there is room for.
        whitened: the arm's part of the whitened covariances, to be written.
        solves: (a band of W, the vector to multiply it with, where to write the product).

    """

    _kernel: Kernel
    _n: int = 0
    index: int = 0
    capacity: int = 0
    _covariances: Array = field(default_factory=lambda: np.zeros(0))
    _targets: Array = field(default_factory=lambda: np.zeros(0))
    features: Features = ()
    solves: list[tuple[Array, Array, Array]] = field(default_factory=list)
    whitened: Array = field(default_factory=lambda: np.zeros(0))

    def is_sound(self, index: int, posterior: Posterior) -> bool:
        """Whether the slice, at this place among the arms, can be what it says: one of a file may be forged."""
        sizes = {self.whitened.shape, self._covariances.shape, self._targets.shape}
        features = [feature.shape for feature in self.features]
        wanted = [(self.capacity, *f.shape[1:]) for f in self._kernel.left(posterior.points[:1])]
        solves = all(b.ndim == 2 and v.shape == b.shape[1:] and r.shape == b.shape[:1] for b, v, r in self.solves)
        counts = self.index == index and 0 <= self._n <= min(self.capacity, posterior.n)
        return counts and sizes == {(self.capacity,)} and features == wanted and solves

    def follow(self, posterior: Posterior) -> bool:
        """Add features of the posterior's new points. Returns whether they needed more room."""
        old, n, width = self._n, posterior.n, posterior.factor.width
        new, crowded = posterior.points[old:n], width > self.capacity
        if crowded:
            features = self.features or self._kernel.left(new)
            self.features = tuple([_with_room(feature, width) for feature in features])
            self.capacity = width
        self._kernel.left(new, out=tuple([feature[old:n] for feature in self.features]))
        self._n = n
        return crowded

    def move(self, index: int, covariances: Array, targets: Array, whitened: Array) -> None:
        """Read and write these arrays from now on, which have the slice's capacity."""
        self.index = index
        self._covariances, self._targets, self.whitened = covariances, targets, whitened
        self.solves.clear()

    def solve_with(self, posterior: Posterior) -> None:
        """Look up W and the targets of all points."""
        solves, n = self.solves, self._n
        del solves[-1:]  # the last band has grown; those before it were full
        for start, stop, rows in posterior.factor.bands[len(solves) :]:
            solves.append((rows, self._covariances[: rows.shape[1]], self.whitened[start:stop]))
        self._targets[:n] = posterior.whitened_targets[:n]


def _with_room(feature: Array, capacity: int) -> Array:
    """The rows with spare room that repeats the first of them: harmless numbers, whatever the kernel."""
    larger = aligned_zeros((capacity, feature.shape[1]))
    larger[: len(feature)] = feature
    larger[len(feature) :] = feature[0]
    return larger
