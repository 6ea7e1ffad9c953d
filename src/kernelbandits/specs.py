"""Frozen specs: what to do, as a value. Checked when built, comparable, printable, to and from TOML."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import types
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError, nearest
from kernelbandits.fields import FilePath, conform

S = TypeVar("S")


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
