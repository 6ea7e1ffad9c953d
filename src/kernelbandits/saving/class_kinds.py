"""Things of classes: specs, named tuples, things with the methods of `Saveable`, and other things of the library."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.saving import declared
from kernelbandits.saving.classes import Classes, is_ours
from kernelbandits.saving.kinds import Json, Kind
from kernelbandits.specs import Spec

Fields = dict[str, Any]
Test = Callable[[type], bool]


def class_kinds(classes: Classes) -> list[tuple[Test, Kind]]:
    """The kinds of things of a class, and which classes are of each; the first that is right counts."""

    def kind(name: str, test: Test, fields_of: Callable[[Any], Fields], made: Callable[..., Any]) -> tuple[Test, Kind]:
        def apart(thing: Any) -> tuple[Json, Sequence[Any]]:
            fields = fields_of(thing)
            return classes.number(type(thing), [*fields]), [*fields.values()]

        def together(facts: Json, parts: list[Any]) -> Any:
            found, names = classes[facts]
            if not test(found):
                raise InvalidFile(f"{found.__name__} cannot be stored as a {name} in this version of the library")
            return made(found, dict(zip(names, parts, strict=True)))

        return test, Kind(name, apart, together)

    return [
        kind("spec", is_spec, _spec_fields, lambda spec, fields: spec(**fields)),
        kind("state", _has_state, lambda thing: {"state": dict(thing.to_state())}, _from_state),
        kind("named", _is_named_tuple, lambda thing: thing._asdict(), _named_tuple),
        kind("object", _is_object, _object_fields, _object),
    ]


def is_spec(kind: type) -> bool:
    """Whether this is a class of specs, the library's or yours: they are built by their constructor, which checks."""
    return issubclass(kind, Spec) and dataclasses.is_dataclass(kind) and not inspect.isabstract(kind)


def _spec_fields(thing: Any) -> Fields:
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing) if field.init}


def _has_state(kind: type) -> bool:
    """Whether this class has the methods of `Saveable`."""
    return callable(getattr(kind, "to_state", None)) and callable(getattr(kind, "from_state", None))


def _from_state(kind: Any, fields: Fields) -> Any:
    state = fields["state"]
    if type(state) is not dict:
        raise InvalidFile(f"{kind.__name__} has {shown(state)} in place of its state")
    made = kind.from_state(state)
    if type(made) is not kind:
        raise InvalidFile(f"{kind.__name__}.from_state returned {shown(made)}")
    return made


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and is_ours(kind)


def _named_tuple(kind: Any, fields: Fields) -> Any:
    fields |= {name: value for name, value in kind._field_defaults.items() if name not in fields}  # earlier files lack
    if (*fields,) != kind._fields:
        raise InvalidFile(f"{kind.__name__} has other fields in this version of the library")
    declared.check(kind, fields)
    return tuple.__new__(kind, fields.values())


def _is_object(kind: type) -> bool:
    """Whether this is a class of the library that is stored by its fields."""
    special = is_spec(kind) or _has_state(kind) or issubclass(kind, tuple | type | BaseException | dict | list)
    return is_ours(kind) and not special and not inspect.isabstract(kind)


def _object_fields(thing: Any) -> Fields:
    kind: type = type(thing)
    slots = {name: getattr(thing, name) for name in _slots(kind) if hasattr(thing, name)}
    others = {name: value for name, value in getattr(thing, "__dict__", {}).items() if _is_free(kind, name)}
    fields = slots | others
    hints = declared.declared(kind)
    for name in fields:
        if name not in hints:
            raise InvalidArgument(f"{kind.__name__} cannot be saved: it declares no type for its field {name!r}")
    return fields


def _object(kind: Any, fields: Fields) -> Any:
    """A thing with all of its fields, of the kinds that the class declares.

    Further conditions on them stand in an optional method `_validate`.
    """
    slots = _slots(kind)
    unknown = [name for name in fields if name not in slots and not _is_free(kind, name)]
    missing = [name for name in slots if name not in fields]
    if unknown or missing:
        what = f"no field {shown(unknown[0])}" if unknown else f"a field {missing[0]!r}, which the file lacks,"
        raise InvalidFile(f"{kind.__name__} has {what} in this version of the library")
    declared.check(kind, fields)
    made = object.__new__(kind)
    for name, part in fields.items():
        object.__setattr__(made, name, part)
    if hasattr(made, "_validate"):
        made._validate()
    return made


def _slots(kind: type) -> tuple[str, ...]:
    """The names in `__slots__` of a class and its bases."""
    declared = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = (name for each in declared for name in ((each,) if isinstance(each, str) else each))
    return tuple(dict.fromkeys(name for name in names if not name.startswith("__")))


def _is_free(kind: type, name: str) -> bool:
    """Whether things of this class may hold a value of this name in their dictionary: it hides no method."""
    return kind.__dictoffset__ != 0 and not name.startswith("__") and not hasattr(getattr(kind, name, None), "__get__")
