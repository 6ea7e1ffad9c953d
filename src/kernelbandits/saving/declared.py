"""What the classes of the library declare about their fields, held against what a bundle puts there.

A class takes part by annotations in its body, one for every field: without one, its things cannot be saved. They are
checked down to the entries of lists, tuples and dictionaries, because what is not of the declared kind would be found
in the middle of work. An `Array` must be finite and writeable; `NDArray[Any]` need not be. Conditions that types cannot
express stand in `_validate`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from kernelbandits.errors import InvalidFile


def check(kind: type, fields: Mapping[str, Any]) -> None:
    """Raise if a part is not of the kind that the class declares for its field."""
    hints = declared(kind)
    for name, part in fields.items():
        if name not in hints or not fits(part, hints[name]):
            raise InvalidFile(f"the field {name!r} of {kind.__name__} holds something of another kind")


@cache
def declared(kind: type) -> Mapping[str, Any]:
    """The annotations of a class and its bases, by field."""
    return get_type_hints(kind)


def fits(part: Any, hint: Any) -> bool:
    """Whether a part is of the kind that an annotation says."""
    if isinstance(hint, TypeVar):
        hint = hint.__bound__ or Any
    origin = get_origin(hint)
    if hint is Any:
        return True
    if hint is None or hint is NoneType:
        return part is None
    if origin in _INSIDE:
        return _INSIDE[origin](part, *get_args(hint))
    return isinstance(part, _KINDS.get(hint, origin or hint)) and (hint in (bool, object) or not isinstance(part, bool))


def _fits_one(part: Any, *inner: Any) -> bool:
    return any(fits(part, each) for each in inner)


def _fits_array(part: Any, _shape: Any, dtype: Any) -> bool:
    [scalar] = get_args(dtype)
    if not isinstance(part, np.ndarray) or scalar is Any:
        return isinstance(part, np.ndarray)
    usable = part.flags.writeable and (part.dtype.kind != "f" or bool(np.isfinite(part).all()))
    return usable and np.issubdtype(part.dtype, scalar)


def _fits_tuple(part: Any, *inner: Any) -> bool:
    if not isinstance(part, tuple):
        return False
    wanted = inner[:1] * len(part) if inner[-1] is ... else inner
    return len(part) == len(wanted) and all(map(fits, part, wanted))


def _fits_entries(kinds: tuple[type, ...]) -> Callable[..., bool]:
    def fit(part: Any, inner: Any) -> bool:
        return type(part) in kinds and all(fits(each, inner) for each in part)

    return fit


def _fits_table(part: Any, key: Any, value: Any) -> bool:
    return isinstance(part, dict) and all(fits(k, key) and fits(v, value) for k, v in part.items())


_KINDS: Mapping[Any, Any] = {
    bool: bool | np.bool_,
    int: int | np.integer,
    float: float | int | np.floating | np.integer,
}
_INSIDE: Mapping[Any, Callable[..., bool]] = {
    Union: _fits_one,
    UnionType: _fits_one,
    np.ndarray: _fits_array,
    tuple: _fits_tuple,
    list: _fits_entries((list,)),
    set: _fits_entries((set,)),
    frozenset: _fits_entries((frozenset,)),
    Sequence: _fits_entries((list, tuple)),
    Iterable: _fits_entries((list, tuple)),
    dict: _fits_table,
    Mapping: _fits_table,
    Callable: lambda part, *_: callable(part),
}
