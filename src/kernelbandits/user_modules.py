"""Modules that a file names as `module:Class`: installed ones, or one that lies beside the file if that is allowed.

Only the module that is named is found beside the file, and only if Python finds none of that name itself. Whatever else
lies there is never imported; modules that belong together go into a package, that is a folder.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import final

from kernelbandits.errors import InvalidFile


@final
class _Finder(MetaPathFinder):
    """Finds each module in its own folder."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [self.folders[name]]) if name in self.folders else None


@cache
def _finder() -> _Finder:
    finder = _Finder()
    sys.meta_path.append(finder)  # after the standard library and what is installed
    return finder


def folders_of_modules() -> dict[str, str]:
    """The modules that lie beside files, each with its folder, for `find_modules` in another process."""
    return dict(_finder().folders)


def find_modules(folders: Mapping[str, str]) -> None:
    """Let Python find these modules in these folders."""
    _finder().folders.update(folders)


@final
@dataclass(frozen=True, slots=True)
class Source:
    """Where a file comes from: the folder in which its relative paths start, and whether code there may be run."""

    folder: Path | None = None
    allow_code: bool = False

    def module(self, name: str) -> ModuleType:
        """Import a module that the file names; one beside the file only if that is allowed."""
        if not all(part.isidentifier() for part in name.split(".")):
            raise InvalidFile(f"{name!r} is not the name of a module; expected module:Class, such as my_policies:Mine")
        top, known = name.partition(".")[0], _finder().folders
        if top in known or not (top in sys.modules or importlib.util.find_spec(top)):
            self._allow(top)
        try:
            return importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit: a module must not end the command
            known.pop(top, None)
            hint, absent = "", getattr(error, "name", None)
            if isinstance(error, ModuleNotFoundError) and self._beside(str(absent)):
                hint = f"; only {top!r} is taken from beside the file: put both into a package, or set PYTHONPATH"
            raise InvalidFile(f"cannot import module {name!r} ({type(error).__name__}: {error}){hint}") from error

    def _allow(self, top: str) -> None:
        """Let a module be found beside the file."""
        beside, known = self._beside(top), _finder().folders
        if beside is None:
            raise InvalidFile(f"cannot import module {top!r}: it is neither installed nor beside the file")
        if not self.allow_code:
            raise InvalidFile(
                f"{top!r} would run {beside.origin or Path(str(self.folder), top)}, which lies beside the file; "
                "if you trust it, add --allow-code (in Python: allow_code=True)"
            )
        if known.get(top, str(self.folder)) != str(self.folder):
            raise InvalidFile(f"another module {top!r} was imported before, from {known[top]}; rename one of them")
        known[top] = str(self.folder)

    def _beside(self, top: str) -> ModuleSpec | None:
        importlib.invalidate_caches()  # the file may be new
        return None if self.folder is None else PathFinder.find_spec(top, [str(self.folder)])
