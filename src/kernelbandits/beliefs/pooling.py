"""What arms share: one amplitude and noise level for all of them, or one for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.evidence import RIDGES, Spectrum, log_evidence
from kernelbandits.specs import Positive, Spec
from kernelbandits.types import Array, IntArray


class Pooling(Spec, ABC):
    """How much arms tell about each other's amplitude s and noise."""

    __slots__ = ()

    @abstractmethod
    def amplitudes(self, squares: Array, counts: IntArray) -> Array:
        """s² of every arm, shape (K,) or (), from its n squared standardised innovations: their sums and numbers."""

    @abstractmethod
    def ridges(self, spectra: Sequence[Spectrum], together: Array) -> Array:
        """The ridge of every arm that has a spectrum; `together` is the log posterior of `RIDGES` for all of them."""


@final
@dataclass(frozen=True, slots=True)
class Pooled(Pooling):
    """All arms share amplitude and noise."""

    def amplitudes(self, squares: Array, counts: IntArray) -> Array:
        return np.asarray(squares.sum() / max(counts.sum(), 1))

    def ridges(self, spectra: Sequence[Spectrum], together: Array) -> Array:
        return np.full(len(spectra), RIDGES[together.argmax()])


@final
@dataclass(frozen=True, slots=True)
class PerArm(Pooling):
    """Every arm has its own, drawn toward that of all arms as if by `strength` rewards."""

    strength: Positive = 10.0

    def amplitudes(self, squares: Array, counts: IntArray) -> Array:
        everyone = squares.sum() / max(counts.sum(), 1)
        shrunk: Array = (squares + self.strength * everyone) / (counts + self.strength)
        return shrunk

    def ridges(self, spectra: Sequence[Spectrum], together: Array) -> Array:
        n = sum(len(spectrum.values) for spectrum in spectra)
        weight = min(1.0, self.strength / n)
        own = [log_evidence([spectrum]) + weight * together for spectrum in spectra]
        chosen: Array = RIDGES[np.argmax(own, axis=1)]
        return chosen
