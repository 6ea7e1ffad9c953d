"""Frozen specs: what to do, as a value. Checked when built, comparable, printable, to and from TOML.

The type of a field states its range, as in `gamma: Positive`. Constructors and TOML files are checked by the same code.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

import kernelbandits
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.user_modules import Source

S = TypeVar("S")

_ACCEPTED: dict[type, tuple[type, ...]] = {
    float: (int, float, np.integer, np.floating),
    int: (int, np.integer),
    str: (str,),
    bool: (bool, np.bool_),
}


@dataclass(frozen=True, slots=True)
class Range:
    """A set of numbers, texts or truth values, and the words that describe it."""

    words: str
    contains: Callable[[Any], bool] = lambda value: True

    def conform(self, value: Any, kind: type, owner: str) -> Any:
        """Return `value` as a member of this set. NaN, infinity, and truth values as numbers are refused."""
        wrong_bool = kind is not bool and isinstance(value, bool | np.bool_)
        if wrong_bool or not isinstance(value, _ACCEPTED[kind]):
            raise InvalidArgument(f"{owner} must be {self.words}; got {shown(value)}")
        try:
            number = kind(value)
        except OverflowError:  # a whole number beyond the largest float
            number = np.inf
        if kind is float and not np.isfinite(number):
            raise InvalidArgument(f"{owner} must be {self.words}, and finite; got {shown(value)}")
        if not self.contains(number):
            raise InvalidArgument(f"{owner} must be {self.words}; got {shown(value)}")
        return number


@dataclass(frozen=True, slots=True)
class ExistingFile:
    """A file that exists, kept as an absolute path because a worker process may run in another folder."""

    def conform(self, value: Any, kind: type, owner: str) -> str:
        """Return the absolute path of the file."""
        if not isinstance(value, str | os.PathLike) or not str(value):
            raise InvalidArgument(f"{owner} must be the path of a file; got {shown(value)}")
        try:
            path = Path(value).expanduser().absolute()
            is_dir, is_file = path.is_dir(), path.is_file()
        except (OSError, RuntimeError) as error:  # too long a name, no such user
            raise InvalidArgument(f"{owner} must be the path of a file; got {shown(value)} ({error})") from error
        if is_dir:
            raise InvalidArgument(f"{owner} must be a file; {path} is a folder")
        if not is_file:
            raise InvalidArgument(f"{owner}: no such file: {path}")
        return os.path.normpath(path)


Positive = Annotated[float, Range("a number above 0", lambda v: v > 0)]
NonNegative = Annotated[float, Range("a number of at least 0", lambda v: v >= 0)]
Probability = Annotated[float, Range("a number between 0 and 1, both excluded", lambda v: 0 < v < 1)]
Share = Annotated[float, Range("a number above 0 and at most 1", lambda v: 0 < v <= 1)]
Count = Annotated[int, Range("a whole number of at least 1", lambda v: v >= 1)]
CountFromZero = Annotated[int, Range("a whole number of at least 0", lambda v: v >= 0)]
Label = Annotated[
    str, Range("a text of at most 200 characters, all printable", lambda v: len(v) <= 200 and v.isprintable())
]
"""A text that stands in tables and pictures: short, and without line breaks and other control characters."""
FilePath = Annotated[str, ExistingFile()]
"""A data file. Relative paths start in the current folder in Python, in the folder of the file in TOML."""

_UNIONS = (Union, types.UnionType)  # `X | None` is the only kind that a field may have
_PLAIN = {float: Range("a number"), int: Range("a whole number"), str: Range("a text"), bool: Range("true or false")}


def conform(value: Any, annotation: Any, owner: str) -> Any:
    """Return `value` as the annotation wants it (4 becomes 4.0 for a float), or raise an error that names `owner`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        kind, allowed = get_args(annotation)
        return allowed.conform(value, kind, owner)
    if annotation in _PLAIN:
        return _PLAIN[annotation].conform(value, annotation, owner)
    if origin in _UNIONS:
        return None if value is None else conform(value, get_args(annotation)[0], owner)
    if origin is tuple:
        if not isinstance(value, tuple | list):
            raise InvalidArgument(f"{owner} must be a list; got {shown(value)}")
        return tuple(conform(entry, get_args(annotation)[0], f"{owner}[{i}]") for i, entry in enumerate(value))
    kind = origin or annotation  # Estimator[Predictor] is checked as Estimator
    if isinstance(kind, type) and not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidArgument(f"{owner} must be {article} {kind.__name__}; got {shown(value)}")
    return value


class Spec:
    """Base class of all specs. A subclass is a frozen dataclass whose annotations are checked when it is built.

    Conditions that involve several fields go into an optional method `_validate`, which raises `InvalidArgument`.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, (annotation, _) in _fields(type(self)).items():  # type: ignore[arg-type]
            owner = f"{type(self).__name__}: {name}"
            object.__setattr__(self, name, conform(getattr(self, name), annotation, owner))
        if hasattr(self, "_validate"):
            self._validate()


@cache
def _fields(spec: Any) -> dict[str, tuple[Any, type]]:
    """The fields by name, each with its annotation and the class of its default."""
    hints, fields = get_type_hints(spec, include_extras=True), dataclasses.fields(spec)
    return dict(zip([f.name for f in fields], [(hints[f.name], type(f.default)) for f in fields], strict=True))


def path_of(kind: type) -> str:
    """Return `module:Class`, by which a file names a class from outside the library."""
    return f"{kind.__module__}:{kind.__qualname__}"


def to_table(spec: Any, of_file: Callable[[str], str] = str, of_foreign: Callable[[type], str] = path_of) -> Any:
    """Return the spec as plain tables, lists, numbers and texts. Fields that are None are left out.

    `of_file` maps the path of a data file, `of_foreign` a class from outside the library, to what represents it.
    """
    if dataclasses.is_dataclass(spec) and not isinstance(spec, type):
        kind = type(spec)
        ours = kind.__module__.split(".")[0] == __package__
        table: dict[str, Any] = {"type": kind.__name__ if ours else of_foreign(kind)}
        for name, (hint, _) in _fields(kind).items():
            value = getattr(spec, name)
            if value is not None:
                is_file = FilePath in (hint, *get_args(hint))
                table[name] = of_file(value) if is_file else to_table(value, of_file, of_foreign)
        return table
    if isinstance(spec, Mapping):
        return dict(zip(spec, to_table([*spec.values()], of_file, of_foreign), strict=True))
    if isinstance(spec, tuple | list):
        return [to_table(value, of_file, of_foreign) for value in spec]
    return spec


def names_below(base: type) -> list[str]:
    """Return the exported names of all concrete classes below `base`, in alphabetical order."""
    names, below = set(), [base]
    while below:  # a room loads all its classes, so those below `base` are there
        spec = below.pop()
        below += spec.__subclasses__()
        name = spec.__name__
        if name in dir(kernelbandits) and kernelbandits.exported(name) is spec and not inspect.isabstract(spec):
            names.add(name)
    return sorted(names)


def kinds_in_files(*roots: type) -> dict[str, list[str]]:
    """By kind, the names that `type` may have where a file describes one of the roots: its own and those of its fields.

    A class is listed below its most general kind only; one with a field that no file can state, not at all.
    """
    found: dict[type, list[str]] = {}
    waiting = [*roots]
    while waiting:
        kind = waiting.pop(0)
        if kind in found:
            continue
        parts = {name: _parts_of(kernelbandits.exported(name)) for name in names_below(kind)}
        found[kind] = [name for name, own in parts.items() if object not in own]
        waiting += [part for own in parts.values() for part in own if isinstance(part, type) and issubclass(part, Spec)]
    most_general = [kind for kind in found if not any(kind is not other and issubclass(kind, other) for other in found)]
    return {kind.__name__: found[kind] for kind in most_general}


def _parts_of(spec: type) -> list[Any]:
    """All classes that the annotations of the fields are made of."""
    found, waiting = [], [annotation for annotation, _ in _fields(spec).values()]
    while waiting:
        annotation = waiting.pop(0)
        found.append(get_origin(annotation) or annotation)
        waiting += get_args(annotation)
    return found


def from_table(
    table: Any,
    expected: type[S],
    where: str,
    source: Source = Source(),  # noqa: B008
    usual: type[S] | None = None,
) -> S:
    """Return the spec that a table describes: `type` names the class, every other key is a field.

    `expected` is the class wanted at this place; if it is abstract, `type` says which: an exported name or
    `module:Class`. Without a `type` it is the class of the field's default, `usual`. `where` is the place in the file
    for messages, `source` says where the file comes from.
    """
    if not isinstance(table, Mapping):
        raise InvalidFile(f"{where}: expected a table with a `type`, such as {{ type = … }}; got {shown(table)}")
    if "type" in table:
        name = table["type"]
        found = kernelbandits.exported(name) if isinstance(name, str) and name in dir(kernelbandits) else None
        fits = isinstance(found, type) and issubclass(found, expected) and not inspect.isabstract(found)
        spec = cast("type[S]", found if fits else _foreign(name, expected, f"{where}.type", source, found))
    elif usual is not None:
        spec = usual
    elif inspect.isabstract(expected) or not dataclasses.is_dataclass(expected):
        raise InvalidFile(f"{where}: `type` is missing; it names a {expected.__name__}")
    else:
        spec = expected  # only one class fits
    if not dataclasses.is_dataclass(spec):
        raise InvalidFile(f"{where}.type: {spec.__name__} must be a dataclass: put @dataclass(frozen=True) above it")
    try:
        fields, values = _fields(spec), {}
        for key in (key for key in table if key != "type"):
            if key not in fields:
                raise InvalidFile(f"{where}: {spec.__name__} has no key {key!r}; {nearest(key, fields)}")
            values[key] = _decode(table[key], fields[key][0], f"{where}.{key}", source, fields[key][1])
        parameters = inspect.signature(spec).parameters.values()
        missing = [each.name for each in parameters if each.default is each.empty and each.name not in values]
        if missing:
            raise InvalidArgument(f"{spec.__name__} needs {', '.join(missing)}")
        return spec(**values)
    except (InvalidFile, RecursionError):
        raise
    except InvalidArgument as error:
        raise InvalidFile(f"{where}: {error}") from error
    except Exception as error:  # a class of the user may raise anything
        raise InvalidFile(f"{where}: {spec.__name__} cannot be built ({type(error).__name__}: {error})") from error


def _foreign(name: Any, expected: type[S], where: str, source: Source, exported: Any) -> type[S]:
    """The class that `module:Class` names; for any other name the reason why it, or what is exported, does not fit."""
    if not isinstance(name, str):
        raise InvalidFile(f"{where}: expected the name of a {expected.__name__}; got {shown(name)}")
    found = _imported(name, where, source) if ":" in name else exported
    fits = isinstance(found, type) and issubclass(found, expected)
    if found is not None and fits and not inspect.isabstract(found):
        return found  # type: ignore[no-any-return]
    known = names_below(expected)
    if found is None:
        raise InvalidFile(f"{where}: no {expected.__name__} is called {name!r}; {nearest(name, known)}")
    wrong = "is only the base of others" if fits else f"is not a {expected.__name__}"
    raise InvalidFile(f"{where}: {name} {wrong}; known: {', '.join(known)}")


def _imported(path: str, where: str, source: Source) -> Any:
    """What `module:Class` names, which lets a user's own policy stand in the same file."""
    module_name, _, name = path.partition(":")
    try:
        module = source.module(module_name)
    except InvalidFile as error:
        raise InvalidFile(f"{where}: {error}") from error
    if not hasattr(module, name):
        raise InvalidFile(f"{where}: module {module_name!r} has no {name!r}; {nearest(name, vars(module))}")
    return getattr(module, name)


def _decode(value: Any, annotation: Any, where: str, source: Source, usual: type | None = None) -> Any:
    """Turn tables into specs, and let paths of data files start in the file's folder; specs check their values."""
    if get_origin(annotation) in _UNIONS:
        annotation = get_args(annotation)[0]
    kind = get_origin(annotation) or annotation
    if kind is tuple and isinstance(value, list):
        item = get_args(annotation)[0]
        return [_decode(entry, item, f"{where}[{i}]", source) for i, entry in enumerate(value)]
    if isinstance(kind, type) and issubclass(kind, Spec):
        fits = usual is not None and issubclass(usual, kind)
        return from_table(value, kind, where, source, usual if fits else None)
    if annotation == FilePath and source.folder is not None and isinstance(value, str) and value[:1] not in ("", "~"):
        return source.folder / value
    return value
