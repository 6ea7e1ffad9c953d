"""How things are taken apart for a bundle and put together again: containers, numbers, times, random generators."""

import operator
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Generator, Philox, SeedSequence

from kernelbandits.errors import InvalidArgument, InvalidFile, shown

Json: TypeAlias = Any  # None, truth values, numbers, texts, and lists and dictionaries of them

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

_BIT_GENERATORS: dict[str, type[BitGenerator]] = {
    kind.__name__: kind for kind in (PCG64, PCG64DXSM, MT19937, Philox, SFC64)
}
_LARGEST: dict[tuple[str, ...], int] = {("state", "pos"): 624, ("buffer_pos",): 4, ("has_uint32",): 1}
_LARGEST_POOL = 64


def _generator(facts: Json, parts: list[Any]) -> Generator:
    [bits] = parts
    if type(bits).__name__ not in _BIT_GENERATORS:
        raise InvalidFile(f"{shown(bits)} is not a source of random bits")
    return Generator(bits)


def _bits(facts: Json, parts: list[Any]) -> BitGenerator:
    state, seeds = parts
    if facts not in _BIT_GENERATORS or not isinstance(seeds, SeedSequence):
        raise InvalidFile(f"{shown(facts)} is not a source of random bits")
    bits = _BIT_GENERATORS[facts](seeds)
    bits.state = _checked(state, bits.state, ())
    return bits


def _seeds_apart(thing: SeedSequence) -> tuple[Json, Sequence[Any]]:
    entropy: Any = thing.entropy
    given = [int(part) for part in entropy] if isinstance(entropy, Sequence | np.ndarray) else int(entropy)
    return [given, [int(key) for key in thing.spawn_key], thing.pool_size, thing.n_children_spawned], ()


def _seeds(facts: Json, parts: list[Any]) -> SeedSequence:
    entropy, spawn_key, pool_size, n_spawned = facts
    if not 4 <= pool_size <= _LARGEST_POOL or not 0 <= n_spawned < 2**32:
        raise InvalidFile(f"{shown(facts)} is not a seed")
    return SeedSequence(entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=n_spawned)


def _with_lists(state: Any) -> Any:
    """A state with lists in place of arrays."""
    if isinstance(state, dict):
        return {key: _with_lists(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _checked(state: Any, like: Any, where: tuple[str, ...]) -> Any:
    """The state, if it is made like that of a new generator. numpy believes positions, even beyond the end."""
    if isinstance(like, dict):
        if not isinstance(state, dict) or state.keys() != like.keys():
            raise InvalidFile(f"{shown(state)} is not the state of a random generator")
        return {key: _checked(state[key], value, (*where, key)) for key, value in like.items()}
    if isinstance(like, np.ndarray):
        array = np.array(state, dtype=like.dtype)
        if array.shape != like.shape:
            raise InvalidFile(f"the state of a random generator has {shown(state)} in place of {like.size} numbers")
        return array
    largest = _LARGEST.get(where, 2**128 - 1)
    sound = state == like if isinstance(like, str) else type(state) is int and 0 <= state <= largest
    if not sound:
        raise InvalidFile(f"the state of a random generator has {shown(state)} in {'.'.join(where)}")
    return state


RANDOM_KINDS: dict[type, Kind] = {
    Generator: Kind("generator", lambda thing: (None, [thing.bit_generator]), _generator),
    SeedSequence: Kind("seeds", _seeds_apart, _seeds),
    **dict.fromkeys(
        _BIT_GENERATORS.values(),
        Kind("bits", lambda thing: (type(thing).__name__, [_with_lists(thing.state), thing.seed_seq]), _bits),
    ),
}
"""Random generators: the state of the numbers to come, and of the generators to be spawned."""
