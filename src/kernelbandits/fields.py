"""What a field of a spec may hold, written as its type: `gamma: Positive`. Checks constructors and TOML alike."""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

from kernelbandits.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Range:
    """An interval of numbers with the words that describe it."""

    words: str
    contains: Callable[[float], bool]

    def conform(self, value: Any, base: type, owner: str) -> Any:
        """`value` as a number of this interval."""
        number = _plain(value, base, self.words, owner)
        if not self.contains(number):
            raise InvalidArgument(f"{owner} must be {self.words}; got {value!r}")
        return number


@dataclass(frozen=True, slots=True)
class ExistingFile:
    """A file that is there, kept as its absolute path: a worker process may have another current folder."""

    def conform(self, value: Any, base: type, owner: str) -> str:
        """`value`, a text or a path, as the absolute path of a file."""
        if not isinstance(value, str | os.PathLike) or not str(value):
            raise InvalidArgument(f"{owner} must be the path of a file; got {value!r}")
        path = Path(value).expanduser().absolute()
        if path.is_dir():
            raise InvalidArgument(f"{owner} must be a file; {path} is a folder")
        if not path.is_file():
            raise InvalidArgument(f"{owner}: no such file: {path}")
        return os.path.normpath(path)


Positive = Annotated[float, Range("a number above 0", lambda v: v > 0)]
NonNegative = Annotated[float, Range("a number of at least 0", lambda v: v >= 0)]
Probability = Annotated[float, Range("a number between 0 and 1, both excluded", lambda v: 0 < v < 1)]
Share = Annotated[float, Range("a number above 0 and at most 1", lambda v: 0 < v <= 1)]
Count = Annotated[int, Range("a whole number of at least 1", lambda v: v >= 1)]
CountFromZero = Annotated[int, Range("a whole number of at least 0", lambda v: v >= 0)]
FilePath = Annotated[str, ExistingFile()]
"""A data file. Relative paths are taken from the current folder in Python, from the folder of the file in TOML."""

_ANY_RANGE = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}


def conform(value: Any, annotation: Any, owner: str) -> Any:
    """`value` as the annotation wants it (4 becomes 4.0 for a float), or `InvalidArgument` that begins with `owner`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, kind = get_args(annotation)
        return kind.conform(value, base, owner)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(annotation):
            return None
        [inner] = [option for option in get_args(annotation) if option is not type(None)]
        return conform(value, inner, owner)
    if origin is tuple:
        if not isinstance(value, tuple | list):
            raise InvalidArgument(f"{owner} must be a list; got {value!r}")
        item = get_args(annotation)[0]
        return tuple(conform(entry, item, f"{owner}[{i}]") for i, entry in enumerate(value))
    if annotation in _ANY_RANGE:
        return _plain(value, annotation, _ANY_RANGE[annotation], owner)
    kind = origin or annotation  # Estimator[Predictor] is checked as Estimator
    if isinstance(kind, type) and not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidArgument(f"{owner} must be {article} {kind.__name__}; got {value!r}")
    return value


def _plain(value: Any, kind: type, words: str, owner: str) -> Any:
    """A number, text or truth value of exactly the kind asked for; no NaN, no infinity, no truth value as number."""
    accepted: dict[type, tuple[type, ...]] = {
        float: (int, float, np.integer, np.floating),
        int: (int, np.integer),
        str: (str,),
        bool: (bool, np.bool_),
    }
    wrong_bool = kind is not bool and isinstance(value, bool | np.bool_)
    if wrong_bool or not isinstance(value, accepted[kind]):
        raise InvalidArgument(f"{owner} must be {words}; got {value!r}")
    try:
        number = kind(value)
    except OverflowError:  # a whole number beyond the largest float
        number = np.inf
    if kind is float and not np.isfinite(number):
        raise InvalidArgument(f"{owner} must be {words}, and finite; got {value!r}")
    return number
