"""The classes that an experiment's file may name without a module: those that the library exports."""

from __future__ import annotations

from inspect import isabstract
from typing import Any, final

import kernelbandits
from kernelbandits.specs import Vocabulary


@final
class ExportedNames(Vocabulary):
    """The names that `kernelbandits` exports. A class is loaded when a file first names it."""

    def find(self, name: str) -> type[Any] | None:
        found = getattr(kernelbandits, name) if name in dir(kernelbandits) else None
        return found if isinstance(found, type) else None

    def names_below(self, base: type) -> list[str]:
        names, below = set(), [base]
        while below:  # a room loads all its classes, so those below `base` are there
            spec = below.pop()
            below += spec.__subclasses__()
            if self.find(spec.__name__) is spec and not isabstract(spec):
                names.add(spec.__name__)
        return sorted(names)
