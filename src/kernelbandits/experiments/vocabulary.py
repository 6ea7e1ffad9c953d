"""The classes that an experiment's file may name without saying where they are: those that the library exports."""

from __future__ import annotations

from inspect import isabstract
from typing import Any, final

import kernelbandits
from kernelbandits import beliefs, environments, kernels, policies, regression, tables
from kernelbandits.offline import log
from kernelbandits.specs import Vocabulary

_WITH_SPECS = (beliefs, environments, regression, kernels, log, policies, tables)


@final
class ExportedNames(Vocabulary):
    """What the library exports. A class is loaded when a file first names it."""

    def find(self, name: str) -> type[Any] | None:
        found = getattr(kernelbandits, name) if name in dir(kernelbandits) else None
        return found if isinstance(found, type) else None

    def names_below(self, base: type) -> list[str]:
        there = {
            name: found for module in _WITH_SPECS for name, found in vars(module).items() if isinstance(found, type)
        }
        exported = there.keys() & {*dir(kernelbandits)}
        return sorted(name for name in exported if issubclass(there[name], base) and not isabstract(there[name]))
