"""Frozen specs: what to do, as a value. Checked when built, comparable, printable, to and from TOML.

What a field may hold is written as its type, `gamma: Positive`; constructors and TOML files are checked alike.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError, nearest

S = TypeVar("S")


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


class Vocabulary(Protocol):
    """The names by which a file may call classes."""

    def find(self, name: str) -> type[Any] | None:
        """The class of this name, None if there is none."""

    def names_below(self, base: type) -> list[str]:
        """Names of all concrete classes below `base`, in alphabetical order."""


class Spec:
    """Base of all frozen specs. Subclasses are frozen dataclasses; their annotations are checked when one is built."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, annotation in _hints(type(self)).items():  # type: ignore[arg-type]
            owner = f"{type(self).__name__}: {name}"
            object.__setattr__(self, name, conform(getattr(self, name), annotation, owner))
        self._validate()

    def _validate(self) -> None:
        """Conditions that tie several fields together; raise `InvalidArgument`. Nothing by default."""


@cache
def _hints(spec: Any) -> dict[str, Any]:
    hints = get_type_hints(spec, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(spec)}


def to_table(spec: Any, of_file: Callable[[str], str] = str) -> Any:
    """The spec as plain tables, lists, numbers and texts; None (a default left alone) is left out.

    `of_file` is what stands for a data file: its path, unless told otherwise.
    """
    if dataclasses.is_dataclass(spec) and not isinstance(spec, type):
        table: dict[str, Any] = {"type": type_name(type(spec))}
        files = file_fields(type(spec))
        for field in dataclasses.fields(spec):
            value = getattr(spec, field.name)
            if value is not None:
                table[field.name] = of_file(value) if field.name in files else to_table(value, of_file)
        return table
    if isinstance(spec, Mapping):
        return {key: to_table(value, of_file) for key, value in spec.items()}
    if isinstance(spec, tuple | list):
        return [to_table(value, of_file) for value in spec]
    return spec


@cache
def file_fields(spec: Any) -> frozenset[str]:
    """Names of the fields that hold a data file."""
    if not issubclass(spec, Spec):
        return frozenset()
    return frozenset(name for name, hint in _hints(spec).items() if FilePath in (hint, *get_args(hint)))


def type_name(spec: type) -> str:
    """How a TOML file names the class: `Gaussian`, or `module:Class` for a class from elsewhere."""
    if spec.__module__.split(".")[0] == __package__:
        return spec.__name__
    return f"{spec.__module__}:{spec.__qualname__}"


def from_table(table: Any, expected: type[S], vocabulary: Vocabulary, where: str, folder: Path | None = None) -> S:
    """The spec that a table describes: `type` names the class, every other key is a field.

    `expected` is the class wanted at this place; if it is abstract, `type` says which. `vocabulary` finds a class by
    name, `where` is the place in the file for messages, `folder` is where relative paths of data files start.
    """
    if not isinstance(table, Mapping):
        raise InvalidFile(f"{where}: expected a table with a `type`, such as {{ type = … }}; got {table!r}")
    if "type" in table:
        spec = _find(table["type"], expected, vocabulary, where)
    elif inspect.isabstract(expected) or not dataclasses.is_dataclass(expected):
        raise InvalidFile(f"{where}: `type` is missing; it names a {expected.__name__}")
    else:
        spec = expected  # only one class fits
    if not dataclasses.is_dataclass(spec):
        raise InvalidFile(f"{where}.type: {spec.__name__} must be a dataclass: put @dataclass(frozen=True) above it")
    hints = _hints(spec)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key == "type":
            continue
        if key not in hints:
            raise InvalidFile(f"{where}: {spec.__name__} has no key {key!r}; {nearest(key, hints)}")
        values[key] = _decode(value, hints[key], vocabulary, f"{where}.{key}", folder)
    try:
        return spec(**values)
    except TypeError as error:
        missing = [
            field.name
            for field in dataclasses.fields(spec)
            if field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING
            and field.name not in values
        ]
        raise InvalidFile(f"{where}: {spec.__name__} needs {', '.join(missing) or error}") from error
    except InvalidArgument as error:
        raise InvalidFile(f"{where}: {error}") from error


def _find(name: Any, expected: type[S], vocabulary: Vocabulary, where: str) -> type[S]:
    if not isinstance(name, str):
        raise InvalidFile(f"{where}.type: expected the name of a {expected.__name__}; got {name!r}")
    found = _imported(name, where) if ":" in name else vocabulary.find(name)
    fits = isinstance(found, type) and issubclass(found, expected)
    if found is not None and fits and not inspect.isabstract(found):
        return found
    known = vocabulary.names_below(expected)
    if found is None:
        raise InvalidFile(f"{where}.type: no {expected.__name__} is called {name!r}; {nearest(name, known)}")
    wrong = "is only the base of others" if fits else f"is not a {expected.__name__}"
    raise InvalidFile(f"{where}.type: {name} {wrong}; known: {', '.join(known)}")


def _imported(name: str, where: str) -> type[Any] | None:
    """The class behind `module:Class`, so that a user's own policy can stand in the same file."""
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise InvalidFile(
            f"{where}.type: cannot import module {module_name!r} ({error}); put it beside the file"
        ) from error
    if not hasattr(module, attribute):
        raise InvalidFile(
            f"{where}.type: module {module_name!r} has no {attribute!r}; {nearest(attribute, vars(module))}"
        )
    found: type[Any] = getattr(module, attribute)
    return found


def _decode(value: Any, annotation: Any, vocabulary: Vocabulary, where: str, folder: Path | None) -> Any:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        [inner] = [option for option in get_args(annotation) if option is not type(None)]
        return _decode(value, inner, vocabulary, where, folder)
    if origin is tuple and isinstance(value, list):
        item = get_args(annotation)[0]
        return tuple(_decode(entry, item, vocabulary, f"{where}[{i}]", folder) for i, entry in enumerate(value))
    kind = origin or annotation
    if isinstance(kind, type) and issubclass(kind, Spec):
        return from_table(value, kind, vocabulary, where, folder)
    if annotation == FilePath and folder is not None and isinstance(value, str) and value:
        value = folder / Path(value).expanduser()
    try:
        return conform(value, annotation, where)
    except InvalidFile:
        raise
    except KernelBanditsError as error:
        raise InvalidFile(str(error)) from error
