"""Random generators in bundles: the state of the numbers to come, and of the generators to be spawned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Generator, Philox, SeedSequence

from kernelbandits.errors import InvalidFile, shown
from kernelbandits.saving.kinds import Json, Kind

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
