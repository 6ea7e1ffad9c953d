"""The arms of an agent when arms are added and removed."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array, BoolArray


@final
class ActiveArms:
    """Which arms are active. A removed arm keeps its number, a new one gets the next.

    Attributes:
        complete: whether no arm was removed.

    """

    __slots__ = ("_active", "complete")

    def __init__(self, n_arms: int) -> None:
        self._active = np.ones(n_arms, dtype=np.bool_)
        self.complete = True

    def add(self) -> None:
        """Add an arm with the next number."""
        self._active = np.append(self._active, True)

    def remove(self, arm: int) -> None:
        """Remove an arm; refused for the last one."""
        if not self._active[arm]:
            raise InvalidArgument(f"arm {arm} was removed before")
        if np.count_nonzero(self._active) == 1:
            raise InvalidArgument(f"arm {arm} is the only one left; add another before removing it")
        self._active[arm] = False
        self.complete = False

    def eligible(self, mask: BoolArray | None) -> BoolArray | None:
        """The mask, of shape (K,) or (B, K), without removed arms; None if that is every arm."""
        if self.complete:
            return mask
        left: BoolArray = self._active.copy() if mask is None else mask & self._active
        if not left.any(axis=-1).all():
            raise InvalidArgument(
                f"eligible must allow at least one arm that was not removed; left are {np.flatnonzero(self._active)}"
            )
        return left

    def shown(self, contexts: Array) -> Array:
        """Contexts of shape (…, K, d), in which removed arms have the context of the first active arm."""
        if self.complete:
            return contexts
        first = int(self._active.argmax())
        return np.where(self._active[:, np.newaxis], contexts, contexts[..., first : first + 1, :])
