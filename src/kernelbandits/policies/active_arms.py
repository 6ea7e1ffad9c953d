"""Which arms of an agent were not removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


@final
@dataclass(slots=True, eq=False)
class ActiveArms:
    """The mask of the arms that may be chosen at all, shape (K,).

    Attributes:
        mask: True for arms that were not removed.
        all: whether that is every arm.

    """

    mask: BoolArray
    all: bool

    def add(self) -> None:
        """Add an arm."""
        self.mask = np.append(self.mask, True)

    def remove(self, arm: int, problem: Problem) -> None:
        """Remove an arm, unless it was before or no other is left."""
        if not self.mask[arm]:
            raise InvalidArgument(f"arm {problem.called(arm)} was removed before")
        if np.count_nonzero(self.mask) == 1:
            raise InvalidArgument(f"arm {problem.called(arm)} is the only one left; add another before removing it")
        self.mask[arm] = False
        self.all = False

    def shown(self, contexts: Array) -> Array:
        """Contexts of shape (…, K, d), in which removed arms have the context of the first active arm."""
        if self.all:
            return contexts
        first = int(self.mask.argmax())
        return np.where(self.mask[:, np.newaxis], contexts, contexts[..., first : first + 1, :])

    def per_arm(self, contexts: Array) -> Array:
        """Contexts of shape (B, K, d); read-only and without a copy if all arms share those given, (B, d)."""
        if contexts.ndim == 3:
            return contexts
        return np.broadcast_to(contexts[:, np.newaxis], (len(contexts), len(self.mask), contexts.shape[1]))

    def eligible(self, mask: BoolArray | None, problem: Problem) -> BoolArray | None:
        """The mask, of shape (K,) or (B, K), without removed arms; None if that is every arm."""
        if self.all:
            return mask
        left: BoolArray = self.mask.copy() if mask is None else mask & self.mask
        if not left.any(axis=-1).all():
            kept = ", ".join(map(problem.called, np.flatnonzero(self.mask).tolist()))
            raise InvalidArgument(f"eligible must allow at least one arm that was not removed; left are {kept}")
        return left


def ineligible(arm: int) -> InvalidArgument:
    """The error of a learner that does not keep to the mask."""
    return InvalidArgument(f"the policy chose arm {arm}, which is not eligible: its learner must keep to the mask")
