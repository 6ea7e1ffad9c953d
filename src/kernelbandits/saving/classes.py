"""Classes in bundles: of the library's own rooms, or passed by the caller. No other name is looked up."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, final

import kernelbandits
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.saving.kinds import Json, Kind
from kernelbandits.specs import Spec

_ROOMS = ("problem", "kernels", "linalg", "regression", "beliefs", "policies", "tables", "bandit")
_PACKAGE = kernelbandits.__name__


@final
class Classes:
    """The classes of a bundle, numbered; each with the names of the fields that are stored."""

    def __init__(self, passed: Iterable[type] = ()) -> None:
        """`passed` are the classes from outside the library that a bundle may name."""
        self._passed: dict[str, type] = {}
        for each in passed:
            if not isinstance(each, type):
                raise InvalidArgument(f"classes must be classes; got {shown(each)}")
            if self._passed.setdefault(each.__qualname__, each) is not each:
                raise InvalidArgument(f"classes: two of them are called {each.__qualname__}")
        self._numbers: dict[tuple[type, tuple[str, ...]], int] = {}
        self._known: list[tuple[type, tuple[str, ...]]] = []

    def number(self, kind: type, fields: Sequence[str]) -> int:
        """The number of a class with these fields."""
        return self._numbers.setdefault((kind, (*fields,)), len(self._numbers))

    def __getitem__(self, number: Json) -> tuple[Any, tuple[str, ...]]:
        if type(number) is not int or not 0 <= number < len(self._known):
            raise InvalidFile(f"there is no class with the number {shown(number)}")
        return self._known[number]

    def to_json(self) -> Json:
        """The classes as JSON: whose they are, their names and fields."""
        return [[*_name(kind), [*fields]] for kind, fields in self._numbers]

    def read(self, table: Json) -> None:
        """Look up the classes that `to_json` wrote."""
        for whose, name, fields in table:
            if not (isinstance(name, str) and all(isinstance(field, str) for field in fields)):
                raise InvalidFile(f"{shown(name)} is not the name of a class")
            self._known.append((_ours(name) if whose == "library" else self._theirs(name), tuple(fields)))

    def _theirs(self, name: str) -> type:
        if name not in self._passed:
            raise InvalidFile(
                f"it holds a {shown(name)[1:-1]}, which is not of this library; load(path, classes=[…]) takes the "
                f"classes that it may use; {nearest(name, self._passed) if self._passed else 'none was given'}"
            )
        return self._passed[name]


def is_ours(kind: type) -> bool:
    """Whether a class is the library's, in a room whose things can be saved."""
    package, _, rest = kind.__module__.partition(".")
    return package == _PACKAGE and rest.split(".")[0] in _ROOMS


def _name(kind: type) -> tuple[str, str]:
    if not is_ours(kind):
        return "yours", kind.__qualname__
    return "library", f"{kind.__module__.removeprefix(_PACKAGE + '.')}.{kind.__qualname__}"


@lru_cache(maxsize=1024)
def _ours(name: str) -> type:
    """The class `room.file.Class` of the library: modules that are not of its rooms are never imported."""
    module, _, name_there = name.rpartition(".")
    found = vars(import_module(f"{_PACKAGE}.{module}")).get(name_there) if module in _modules() else None
    if not isinstance(found, type) or _name(found)[1] != name:
        raise InvalidFile(f"there is no class {shown(name)} in this version of the library")
    return found


@cache
def _modules() -> set[str]:
    """The modules of the rooms whose things can be saved, by the files of the library."""
    rooms = {info.name for info in pkgutil.iter_modules(kernelbandits.__path__)} & {*_ROOMS}
    folders = {room: [f"{path}/{room}" for path in kernelbandits.__path__] for room in rooms}
    return rooms | {f"{room}.{info.name}" for room in rooms for info in pkgutil.iter_modules(folders[room])}


class _OfClass(Kind):
    """Things of a class whose fields are stored."""

    @final
    def __init__(self, classes: Classes) -> None:
        self._classes = classes

    @final
    def _apart(self, thing: Any, fields: dict[str, Any]) -> tuple[Json, Sequence[Any]]:
        return self._classes.number(type(thing), [*fields]), [*fields.values()]


@final
class Specs(_OfClass):
    """Specs, the library's and yours: built by their constructor, which checks the fields."""

    name = "spec"

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        return self._apart(thing, {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing) if f.init})

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        kind, fields = self._classes[facts]
        if not is_spec(kind):
            raise InvalidFile(f"{kind.__name__} is not a spec")
        return kind(**dict(zip(fields, parts, strict=True)))


@final
class NamedTuples(_OfClass):
    """Named tuples of the library."""

    name = "named"

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        return self._apart(thing, thing._asdict())

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        kind, fields = self._classes[facts]
        if not is_named_tuple(kind) or fields != kind._fields:
            raise InvalidFile(f"{kind.__name__} has other fields in this version of the library")
        return tuple.__new__(kind, parts)


@final
class States(_OfClass):
    """Things that have the two methods of `Saveable`."""

    name = "state"

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        return self._apart(thing, {"state": dict(thing.to_state())})

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        kind, _ = self._classes[facts]
        [state] = parts
        if not has_state(kind) or type(state) is not dict:
            raise InvalidFile(f"{kind.__name__} has no method from_state")
        made = kind.from_state(state)
        if type(made) is not kind:
            raise InvalidFile(f"{kind.__name__}.from_state returned {shown(made)}")
        return made


@final
class Objects(_OfClass):
    """Other things of the library: all of their fields. Conditions on these stand in an optional method `_validate`."""

    name = "object"
    grows = True

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        kind = type(thing)
        slots = {name: getattr(thing, name) for name in _slots(kind) if hasattr(thing, name)}
        others = {name: value for name, value in getattr(thing, "__dict__", {}).items() if _is_free(kind, name)}
        return self._apart(thing, slots | others)

    def begin(self, facts: Json) -> Any:
        kind, fields = self._classes[facts]
        if not is_object(kind):
            raise InvalidFile(f"{kind.__name__} is not stored by its fields")
        slots = _slots(kind)
        unknown = [name for name in fields if name not in slots and not _is_free(kind, name)]
        missing = [name for name in slots if name not in fields]
        if unknown or missing:
            what = f"no field {shown(unknown[0])}" if unknown else f"a field {missing[0]!r}, which the file lacks,"
            raise InvalidFile(f"{kind.__name__} has {what} in this version of the library")
        return object.__new__(kind)

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        _, fields = self._classes[facts]
        for name, part in zip(fields, parts, strict=True):
            object.__setattr__(begun, name, part)
        if hasattr(begun, "_validate"):
            begun._validate()
        return begun


def is_spec(kind: Any) -> bool:
    """Whether this is a class of specs."""
    return issubclass(kind, Spec) and dataclasses.is_dataclass(kind) and not inspect.isabstract(kind)


def is_named_tuple(kind: Any) -> bool:
    """Whether this is a named tuple of the library."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and is_ours(kind)


def has_state(kind: Any) -> bool:
    """Whether this class has the methods of `Saveable`."""
    return callable(getattr(kind, "to_state", None)) and callable(getattr(kind, "from_state", None))


def is_object(kind: Any) -> bool:
    """Whether this is a class of the library that is stored by its fields."""
    special = is_spec(kind) or has_state(kind) or issubclass(kind, tuple | type | BaseException | dict | list)
    return is_ours(kind) and not special and not inspect.isabstract(kind)


def _slots(kind: type) -> tuple[str, ...]:
    """The names in `__slots__` of a class and its bases."""
    declared = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = (name for each in declared for name in ((each,) if isinstance(each, str) else each))
    return tuple(dict.fromkeys(name for name in names if not name.startswith("__")))


def _is_free(kind: type, name: str) -> bool:
    """Whether things of this class may hold a value of this name in their dictionary: it hides no method."""
    return kind.__dictoffset__ != 0 and not name.startswith("__") and not hasattr(getattr(kind, name, None), "__get__")
