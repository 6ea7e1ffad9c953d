"""Arrays in bundles. Arrays that share memory share it again, at the same distance from a cache line.

The last bit of a product may depend on where its operands start, and what is written into one view is read from others.
So memory is stored, each piece once, and arrays are views of it.
"""

from collections.abc import Sequence
from ctypes import c_ubyte
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Self, TypeAlias, final

import numpy as np
from numpy.lib.array_utils import byte_bounds

from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.saving.kinds import Json, Kind, is_plain, plain_dtype

AnyArray: TypeAlias = np.ndarray[Any, Any]

LINE = 64  # bytes of a cache line
_NO_FIT = "an array does not fit into its memory"


class Piece(NamedTuple):
    """A piece of memory: the type and number of its entries, and how far after the start of a cache line it begins."""

    dtype: np.dtype[Any]
    length: int
    start: int

    @classmethod
    def from_json(cls, facts: Json) -> Self:
        """The piece that a bundle describes."""
        name, length, start = facts
        if type(length) is not int or length < 1 or type(start) is not int or not 0 <= start < LINE:
            raise InvalidFile(f"{shown(facts)} is not a piece of memory")
        dtype = plain_dtype(name)
        if start % dtype.alignment:
            raise InvalidFile(f"{shown(facts)} is not a piece of memory: it starts where no {dtype} can")
        return cls(dtype, length, start)

    def allocate(self) -> AnyArray:
        """New memory like this, as an array of one axis with any values."""
        size = self.length * self.dtype.itemsize
        memory = np.empty(size + 2 * LINE, dtype=np.uint8)
        first = (self.start - memory.ctypes.data) % LINE
        return memory[first : first + size].view(self.dtype)


@final
class Arrays:
    """Arrays: views of pieces of memory, which are known when all arrays have been seen."""

    def __init__(self, memory: Sequence[AnyArray] = ()) -> None:
        """`memory` holds the pieces to put arrays together from."""
        self._memory = memory
        self._seen: list[tuple[int, int, AnyArray, list[Json]]] = []
        self.kind = Kind("array", self._apart, self._together)

    def _apart(self, thing: AnyArray) -> tuple[Json, Sequence[Any]]:
        if not is_plain(thing.dtype):
            raise InvalidArgument(f"an array of type {thing.dtype} cannot be saved; numbers, texts and times can")
        writeable, (low, high) = thing.flags.writeable, _bounds(thing)
        # An array may repeat its entries, but none in a bundle does.
        if _repeats(thing.shape, thing.strides, thing.itemsize) or not thing.flags.aligned:
            thing = thing.copy()
            low, high = _bounds(thing)
        facts: list[Json] = [thing.dtype.str, 0, 0, [*thing.shape], [*thing.strides], writeable]
        if thing.size:
            self._seen.append((low, high, thing, facts))
        return facts, ()

    def pieces(self) -> list[AnyArray]:
        """The memory of all arrays seen, as arrays of one axis; completes what was told of each array."""
        groups: list[_Group] = []
        for low, high, array, facts in sorted(self._seen, key=lambda seen: seen[0]):
            if groups and low < groups[-1].stop:
                groups[-1].stop = max(groups[-1].stop, high)
            else:
                groups.append(_Group(low, high, []))
            groups[-1].members.append((array, facts))
        return [group.piece(number) for number, group in enumerate(groups)]

    def _together(self, facts: Json, parts: list[Any]) -> AnyArray:
        name, number, offset, shape, strides, writeable = facts
        dtype = plain_dtype(name)
        if any(type(size) is not int or size < 0 for size in shape):
            raise InvalidFile(_NO_FIT)
        if 0 in shape:
            return np.empty(shape, dtype)
        memory = self._memory[number] if type(number) is int and number >= 0 else np.empty(0)
        if memory.dtype != dtype or prod(shape) > memory.size or any(step % dtype.itemsize for step in strides):
            raise InvalidFile(_NO_FIT)
        array: AnyArray = np.ndarray(shape, dtype, memory, offset, strides)  # refuses what lies outside
        if writeable and _repeats(shape, strides, dtype.itemsize):
            raise InvalidFile("entries of an array share memory, so writing one would change others")
        array.flags.writeable = writeable
        return array


def _repeats(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether entries of an array may share memory: parts of an array in any order of its axes do not."""
    extent = itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(strides, shape, strict=True) if size > 1):
        if stride < extent:
            return True
        extent += stride * (size - 1)
    return False


def _bounds(array: AnyArray) -> tuple[int, int]:
    """The addresses from and up to which an array reads its memory."""
    if array.flags.c_contiguous:
        address = array.__array_interface__["data"][0]
        return address, address + array.nbytes
    return byte_bounds(array)


@dataclass(slots=True)
class _Group:
    """Arrays that share the memory from one address to another."""

    start: int
    stop: int
    members: list[tuple[AnyArray, list[Json]]]

    def piece(self, number: int) -> AnyArray:
        """The memory, of which each member is told the number and its own place there."""
        dtype = self.members[0][0].dtype
        for array, facts in self.members:
            facts[1:3] = number, array.__array_interface__["data"][0] - self.start
            if array.dtype != dtype or facts[2] % dtype.itemsize:
                raise InvalidArgument(f"arrays of types {dtype} and {array.dtype} share memory, which cannot be saved")
        if len(self.members) == 1 and array.flags.c_contiguous:
            return array.reshape(-1)
        memory = (c_ubyte * (self.stop - self.start)).from_address(self.start)  # the members keep it alive
        piece: AnyArray = np.frombuffer(memoryview(memory).cast("B"), dtype)
        return piece
