"""The two methods by which a class takes part in saving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable


@runtime_checkable
class Saveable(Protocol):
    """A class with these two methods is saved through them. Learners and trackers of your own need them.

    >>> class Memory:
    ...     def __init__(self, rewards):
    ...         self.rewards = rewards
    ...
    ...     def to_state(self):
    ...         return {"rewards": self.rewards}
    ...
    ...     @classmethod
    ...     def from_state(cls, state):
    ...         return cls(**state)
    >>> import pathlib, tempfile
    >>> path = save(Memory([1.0, 0.5]), pathlib.Path(tempfile.mkdtemp(), "memory.kb"))
    >>> load(path, classes=[Memory]).rewards
    [1.0, 0.5]

    See also `save`, `load`.
    """

    def to_state(self) -> Mapping[str, Any]:
        """What must be kept: numbers, texts, arrays, generators, lists, tuples, dictionaries, other saveable things."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The thing again, from what `to_state` returned. It must refuse a state that it cannot work with."""
