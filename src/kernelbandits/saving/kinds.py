"""How things of one kind are taken apart for a bundle, and put together again."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeAlias, final

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, shown

Json: TypeAlias = Any
"""None, truth values, numbers, texts, and lists and dictionaries of them."""

_DTYPE_KINDS = "biufcSUMm"


class Kind(ABC):
    """One kind of things. A thing is a few facts, which are JSON, and the things that it is made of.

    Attributes:
        name: what the kind is called in a bundle.
        grows: whether a thing can be there before its parts, so that it may contain itself.

    """

    name: str
    grows = False

    @abstractmethod
    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        """The facts of a thing, and its parts."""

    def begin(self, facts: Json) -> Any:  # noqa: B027
        """The thing without its parts, if it grows."""

    @abstractmethod
    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        """The thing with its parts. What cannot be understood may raise anything; the caller explains it."""


@final
class Lists(Kind):
    """Lists."""

    name = "list"
    grows = True

    def apart(self, thing: list[Any]) -> tuple[Json, Sequence[Any]]:
        return None, thing

    def begin(self, facts: Json) -> Any:
        return []

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        begun.extend(parts)
        return begun


@final
class Dictionaries(Kind):
    """Dictionaries: keys and values in turn."""

    name = "dict"
    grows = True

    def apart(self, thing: dict[Any, Any]) -> tuple[Json, Sequence[Any]]:
        return None, [part for pair in thing.items() for part in pair]

    def begin(self, facts: Json) -> Any:
        return {}

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        begun.update(zip(parts[::2], parts[1::2], strict=True))
        return begun


@final
class Sets(Kind):
    """Sets."""

    name = "set"
    grows = True

    def apart(self, thing: set[Any]) -> tuple[Json, Sequence[Any]]:
        return None, [*thing]

    def begin(self, facts: Json) -> Any:
        return set()

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        begun.update(parts)
        return begun


@final
class Sequences(Kind):
    """Tuples and frozen sets."""

    def __init__(self, name: str, made: type) -> None:
        self.name = name
        self._made = made

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        return None, [*thing]

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        return self._made(parts)


@final
class Bytes(Kind):
    """Bytes, in base 64."""

    name = "bytes"

    def apart(self, thing: bytes) -> tuple[Json, Sequence[Any]]:
        return base64.b64encode(thing).decode("ascii"), ()

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        return base64.b64decode(facts, validate=True)


@final
class Times(Kind):
    """Dates and times, as ISO 8601 writes them. A time zone is kept as its difference to UTC."""

    def __init__(self, name: str, made: type[date] | type[datetime]) -> None:
        self.name = name
        self._made = made

    def apart(self, thing: date) -> tuple[Json, Sequence[Any]]:
        return thing.isoformat(), ()

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        return self._made.fromisoformat(facts)


@final
class Durations(Kind):
    """Lengths of time: days, seconds, microseconds."""

    name = "timedelta"

    def apart(self, thing: timedelta) -> tuple[Json, Sequence[Any]]:
        return [thing.days, thing.seconds, thing.microseconds], ()

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        return timedelta(*facts)


@final
class Scalars(Kind):
    """Numbers of numpy: their type and bytes."""

    name = "scalar"

    def apart(self, thing: np.generic) -> tuple[Json, Sequence[Any]]:
        if not is_plain(thing.dtype):
            raise InvalidArgument(f"a {thing.dtype} cannot be saved; numbers, texts and times can")
        return [thing.dtype.str, thing.tobytes().hex()], ()

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        dtype, digits = facts
        [scalar] = np.frombuffer(bytes.fromhex(digits), plain_dtype(dtype))
        return scalar


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether an array of this type holds numbers, texts or times, rather than objects or records."""
    return dtype.kind in _DTYPE_KINDS and dtype.itemsize > 0


@lru_cache(maxsize=64)
def plain_dtype(name: Json) -> np.dtype[Any]:
    """The type of numbers, texts or times with this name."""
    dtype = np.dtype(name) if isinstance(name, str) and name[1:2] in _DTYPE_KINDS and len(name) < 30 else None
    if dtype is None or not is_plain(dtype) or dtype.str != name:
        raise InvalidFile(f"{shown(name)} is not a type of numbers or texts")
    return dtype


PLAIN_KINDS: dict[type, Kind] = {
    list: Lists(),
    dict: Dictionaries(),
    set: Sets(),
    tuple: Sequences("tuple", tuple),
    frozenset: Sequences("frozenset", frozenset),
    bytes: Bytes(),
    date: Times("date", date),
    datetime: Times("datetime", datetime),
    timedelta: Durations(),
}
