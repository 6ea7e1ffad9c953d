"""What the classes of the library declare about their fields, held against what a bundle puts there.

A class takes part by annotations in its body. Arrays, lists and tuples are checked, down to their entries: what is not
one of them would be found in the middle of work. Other annotations are left to rehearsals and to `_validate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from kernelbandits.errors import InvalidFile


def check(kind: type, fields: Iterable[str], parts: Iterable[Any]) -> None:
    """Raise if a part is not of the kind that the class declares for its field."""
    hints = declared(kind)
    for name, part in zip(fields, parts, strict=True):
        if name in hints and not _fits(part, hints[name]):
            raise InvalidFile(f"the field {name!r} of {kind.__name__} holds something of another kind")


@cache
def declared(kind: type) -> Mapping[str, Any]:
    """The annotations of a class and its bases, by field."""
    return get_type_hints(kind)


def _fits(part: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(part, each) for each in inner)
    if hint is NoneType:
        return part is None
    if origin is np.ndarray:
        return isinstance(part, np.ndarray)
    if origin is list:
        return isinstance(part, list) and all(_fits(each, inner[0]) for each in part)
    if origin is tuple and inner[-1] is ...:
        return isinstance(part, tuple) and all(_fits(each, inner[0]) for each in part)
    if origin is tuple:
        return isinstance(part, tuple) and len(part) == len(inner) and all(map(_fits, part, inner))
    return True
