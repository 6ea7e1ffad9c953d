"""How the features of a request become a point, without a table to fit an encoding to."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from math import inf, isfinite, sqrt
from typing import Annotated, Any

import msgspec
import numpy as np

from kernelbandits.errors import InvalidArgument, nearest, shown
from kernelbandits.tables import Encoder, declared_encoder

_DEEPEST = 8
_NESTED = frozenset((dict, list))  # what JSON nests with


class FeatureColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature: a number, of which mean and standard deviation are roughly known, or a text, one of `levels`."""

    mean: float | None = None
    std: Annotated[float, msgspec.Meta(gt=0.0)] | None = None
    levels: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)] | None = None

    def __post_init__(self) -> None:
        number = self.mean is not None and self.std is not None
        if number == (self.levels is not None) or (self.mean is None) != (self.std is None):
            raise ValueError("a feature is { mean = …, std = … } for a number or { levels = […] } for a text")


def column_encoder(columns: Mapping[str, FeatureColumn]) -> Encoder:
    """The encoder of features by name."""
    numbers = {name: (each.mean or 0.0, each.std or 1.0) for name, each in columns.items() if each.levels is None}
    return declared_encoder(numbers, {name: each.levels for name, each in columns.items() if each.levels is not None})


def hash_encoder(dim: int) -> Encoder:
    """The encoder of rows that `hashed` returns, which have length 1."""
    return declared_encoder({f"h{j}": (0.0, 1.0 / sqrt(dim)) for j in range(dim)}, {})


def hashed(row: Mapping[str, Any], dim: int) -> Mapping[str, Any]:
    """Whatever features come, nested or not, each added to one of `dim` numbers by a hash of its name (and text)."""
    point = np.zeros(dim)
    for name, value in _leaves(row, "", 0):
        code = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        point[(code >> 1) % dim] += value if code & 1 else -value
    length = float(np.sqrt(point @ point))
    if not isfinite(length):
        raise InvalidArgument("features: a number is too large; expected at most about 1e150")
    if length > 0.0:
        point /= length
    return {f"h{j}": value for j, value in enumerate(point.tolist())}


def plain(row: Mapping[str, Any], columns: Mapping[str, FeatureColumn]) -> Mapping[str, Any]:
    """The row, unless it has features in features, or others than these columns, if there are any."""
    if columns and not row.keys() <= columns.keys():
        unknown = next(name for name in row if name not in columns)
        raise InvalidArgument(f"feature {shown(unknown)} is not in the settings; {nearest(unknown, columns)}")
    if not _NESTED.isdisjoint(map(type, row.values())):
        name, value = next((name, value) for name, value in row.items() if type(value) in _NESTED)
        raise InvalidArgument(f"feature {shown(name)} is {shown(value)}; expected a number or a text")
    return row


def _leaves(value: Any, name: str, depth: int) -> Iterator[tuple[str, float]]:
    """Names and values of all features below: a text is a feature of its own, with the value 1."""
    if depth > _DEEPEST:
        raise InvalidArgument(f"features are nested more than {_DEEPEST} deep at {shown(name)}")
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _leaves(entry, f"{name}\x1f{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _leaves(entry, name, depth + 1)
    elif isinstance(value, str | bool):
        yield f"{name}\x1e{value}", 1.0
    elif value is not None:
        number = float(value) if abs(value) <= 1e100 else inf
        if number == inf:
            raise InvalidArgument(f"feature {shown(name)} is {shown(value)}; expected a number of at most 1e100")
        yield name, number
