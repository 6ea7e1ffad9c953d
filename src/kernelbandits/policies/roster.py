"""Which arms of an agent are left, when arms come and go."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array, BoolArray


@final
class Roster:
    """Arms by number. An arm that is removed keeps its number for ever, a new one gets the next."""

    __slots__ = ("_complete", "_left")

    def __init__(self, n_arms: int) -> None:
        self._left = np.ones(n_arms, dtype=np.bool_)
        self._complete = True

    def add(self) -> None:
        """One more arm, with the next number."""
        self._left = np.append(self._left, True)

    def remove(self, arm: int) -> None:
        """Take an arm out."""
        if not self._left[arm]:
            raise InvalidArgument(f"arm {arm} was removed before")
        if np.count_nonzero(self._left) == 1:
            raise InvalidArgument(f"arm {arm} is the only one left; add another before removing it")
        self._left[arm] = False
        self._complete = False

    def eligible(self, mask: BoolArray | None) -> BoolArray | None:
        """The mask, of shape (K,) or (B, K), without the arms that are gone; None if that is every arm."""
        if self._complete:
            return mask
        left: BoolArray = self._left.copy() if mask is None else mask & self._left
        if not left.any(axis=-1).all():
            raise InvalidArgument(
                f"eligible must allow at least one arm that was not removed; left are {np.flatnonzero(self._left)}"
            )
        return left

    def shown(self, contexts: Array) -> Array:
        """Contexts of shape (…, K, d), in which arms that are gone show what the first that is left shows."""
        if self._complete:
            return contexts
        first = int(self._left.argmax())
        return np.where(self._left[:, np.newaxis], contexts, contexts[..., first : first + 1, :])
