"""Things of classes: specs, named tuples, things with the methods of `Saveable`, and other things of the library."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any, final

from kernelbandits.errors import InvalidFile, shown
from kernelbandits.saving import declared
from kernelbandits.saving.classes import Classes, is_ours
from kernelbandits.saving.kinds import Json, Kind
from kernelbandits.specs import Spec


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
        declared.check(kind, fields, parts)
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
    """Other things of the library: all of their fields, of the kinds that the class declares.

    Further conditions on them stand in an optional method `_validate`.
    """

    name = "object"

    def apart(self, thing: Any) -> tuple[Json, Sequence[Any]]:
        kind = type(thing)
        slots = {name: getattr(thing, name) for name in _slots(kind) if hasattr(thing, name)}
        others = {name: value for name, value in getattr(thing, "__dict__", {}).items() if _is_free(kind, name)}
        declared.require(kind, slots | others)
        return self._apart(thing, slots | others)

    def finish(self, begun: Any, facts: Json, parts: list[Any]) -> Any:
        kind, fields = self._classes[facts]
        if not is_object(kind):
            raise InvalidFile(f"{kind.__name__} is not stored by its fields")
        slots = _slots(kind)
        unknown = [name for name in fields if name not in slots and not _is_free(kind, name)]
        missing = [name for name in slots if name not in fields]
        if unknown or missing:
            what = f"no field {shown(unknown[0])}" if unknown else f"a field {missing[0]!r}, which the file lacks,"
            raise InvalidFile(f"{kind.__name__} has {what} in this version of the library")
        declared.check(kind, fields, parts)
        made = object.__new__(kind)
        for name, part in zip(fields, parts, strict=True):
            object.__setattr__(made, name, part)
        if hasattr(made, "_validate"):
            made._validate()
        return made


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
