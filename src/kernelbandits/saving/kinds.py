"""How things of one kind are taken apart for a bundle, and put together again."""

from __future__ import annotations

import operator
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, shown

Json: TypeAlias = Any
"""None, truth values, numbers, texts, and lists and dictionaries of them."""

_DTYPE_KINDS = "biufcSUMm"


class Kind(NamedTuple):
    """One kind of things. A thing is a few facts, which are JSON, and the things that it is made of.

    `apart` returns the facts of a thing and its parts, `together` the thing. What it cannot understand may raise
    anything; the caller explains it. `add` adds the second thing to the first, if a thing can be there before its parts
    and so contain itself.
    """

    name: str  # in a bundle
    apart: Callable[[Any], tuple[Json, Sequence[Any]]]
    together: Callable[[Json, list[Any]], Any]
    add: Callable[[Any, Any], Any] | None = None


def _scalar_apart(thing: np.generic) -> tuple[Json, Sequence[Any]]:
    if not is_plain(thing.dtype):
        raise InvalidArgument(f"a {thing.dtype} cannot be saved; numbers, texts and times can")
    return [thing.dtype.str, thing.tobytes().hex()], ()


def _scalar(facts: Json, parts: list[Any]) -> Any:
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


SCALARS = Kind("scalar", _scalar_apart, _scalar)  # numbers of numpy: their type and bytes

PLAIN_KINDS: dict[type, Kind] = {
    list: Kind("list", lambda thing: (None, thing), lambda _, parts: parts, operator.iadd),
    dict: Kind(
        "dict",
        lambda thing: (None, [part for pair in thing.items() for part in pair]),
        lambda _, parts: dict(zip(parts[::2], parts[1::2], strict=True)),
        operator.ior,
    ),
    set: Kind("set", lambda thing: (None, [*thing]), lambda _, parts: set(parts), operator.ior),
    tuple: Kind("tuple", lambda thing: (None, thing), lambda _, parts: tuple(parts)),
    frozenset: Kind("frozenset", lambda thing: (None, [*thing]), lambda _, parts: frozenset(parts)),
    bytes: Kind(
        "bytes",
        lambda thing: (b64encode(thing).decode("ascii"), ()),
        lambda facts, _: b64decode(facts, validate=True),
    ),
    date: Kind("date", lambda thing: (thing.isoformat(), ()), lambda facts, _: date.fromisoformat(facts)),
    datetime: Kind("datetime", lambda thing: (thing.isoformat(), ()), lambda facts, _: datetime.fromisoformat(facts)),
    timedelta: Kind(
        "timedelta",
        lambda thing: ([thing.days, thing.seconds, thing.microseconds], ()),
        lambda facts, _: timedelta(*facts),
    ),
}
"""Containers, bytes in base 64, and times as ISO 8601 writes them: a time zone is kept as its difference to UTC."""
