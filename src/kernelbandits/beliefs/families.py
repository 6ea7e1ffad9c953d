"""Which kernels an empirical Bayes belief chooses from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel, Radial
from kernelbandits.specs import Positive, Spec
from kernelbandits.types import Array

_ENOUGH = 300


class KernelFamily(Spec, ABC):
    """Candidates, maybe fitted to the scale of the contexts."""

    __slots__ = ()

    @abstractmethod
    def kernels(self, contexts: Sequence[Array]) -> tuple[Kernel, ...]:
        """The candidates for contexts given arm by arm, arrays of shape (n, d)."""


@final
@dataclass(frozen=True, slots=True)
class TheseKernels(KernelFamily):
    """Kernels named one by one.

    >>> family = TheseKernels((Gaussian(gamma=4.0), Matern(nu=1.5), Linear()))
    """

    candidates: tuple[Kernel, ...]

    def _validate(self) -> None:
        if not self.candidates:
            raise InvalidArgument("TheseKernels: candidates must have at least one kernel; got none")

    def kernels(self, contexts: Sequence[Array]) -> tuple[Kernel, ...]:
        return self.candidates


@final
@dataclass(frozen=True, slots=True)
class Bandwidths(KernelFamily):
    """exp(−m t / t̄) for each m in `multiples`, where t̄ is the median of ‖x − z‖²/d: no unit of the contexts matters.

    m = 4 makes two contexts nearly strangers, m = 1/16 makes functions nearly linear.
    """

    multiples: tuple[Positive, ...] = (4.0, 1.0, 0.25, 0.0625)

    def _validate(self) -> None:
        if not self.multiples:
            raise InvalidArgument("Bandwidths: multiples must have at least one number; got none")

    def kernels(self, contexts: Sequence[Array]) -> tuple[Kernel, ...]:
        typical = _typical_distance(contexts)
        return tuple(Gaussian(multiple / typical) for multiple in self.multiples)


def _typical_distance(contexts: Sequence[Array]) -> float:
    """The median of t(x, z) over pairs of different contexts, 1 if there are none; of many contexts some suffice."""
    X, geometry = np.concatenate(contexts), Radial()
    X = X[:: -(-len(X) // _ENOUGH)]
    t = geometry.evaluate(geometry.left(X), geometry.right(X))
    positive = t[t > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0
