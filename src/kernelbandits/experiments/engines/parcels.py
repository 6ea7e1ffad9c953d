"""What travels to a worker on another machine: a pickled value together with the user's own modules that it needs.

The library is installed there; `my_policies.py` beside an experiment's file is not. Each parcel brings the source, so a
worker that joins late or is started again needs no preparation, and nothing stays with the scheduler.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import pickle
import sys
import sysconfig
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, final

import cloudpickle

from kernelbandits import __version__
from kernelbandits.errors import EngineFailed

_LIBRARY = Path(__file__).parents[2]
_STANDARD = tuple(Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib"))
_INSTALLED = {"site-packages", "dist-packages"}


Modules = tuple[tuple[str, str, bytes], ...]
"""Name, relative path and source of each of a user's modules."""


@final
@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickled value, and the version of the library that packed it."""

    version: str
    content: bytes

    def open(self, modules: Modules, folder: Path) -> Any:
        """The value; modules are put into a folder of their own under `folder` and imported from there."""
        if self.version != __version__:
            raise EngineFailed(
                f"a worker has kernelbandits {__version__}, this process has {self.version}; "
                f"install {self.version} on every worker"
            )
        if modules:
            _install(modules, folder)
        return pickle.loads(self.content)


def pack(value: Any) -> tuple[Parcel, Modules]:
    """A value for another machine, and the user's modules that it needs there.

    What is defined in `__main__` travels by value. If a class or function from another file of the user's is in it, all
    files of the user's that were imported go along: one may need the others.
    """
    buffer = io.BytesIO()
    pickler = _NotingPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dump(value)
    needed = any(_is_users(sys.modules.get(name)) for name in pickler.seen)
    return Parcel(__version__, buffer.getvalue()), tuple(sorted(_users_modules())) if needed else ()


class _NotingPickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Notes the modules of every class and function that the pickle refers to."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol=protocol)
        self.seen: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType):
            self.seen.add(obj.__module__)
        elif isinstance(obj, ModuleType):
            self.seen.add(obj.__name__)
        return super().reducer_override(obj)


@cache
def _installed() -> frozenset[str]:
    """Names that pip installed, wherever it put them: a worker has its own, and could not do without them."""
    return frozenset(packages_distributions())


def _is_users(module: ModuleType | None) -> bool:
    """Whether this is a source file that is neither installed nor the script itself."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or module.__name__ == "__main__" or not file.endswith(".py"):
        return False
    if module.__name__.partition(".")[0] in _installed():
        return False
    path = Path(file).resolve()
    inside = any(path.is_relative_to(place) for place in (_LIBRARY, *_STANDARD))
    return path.is_file() and not inside and not _INSTALLED & set(path.parts)


def _users_modules() -> Iterator[tuple[str, str, bytes]]:
    for name, module in list(sys.modules.items()):
        if _is_users(module) and name == module.__name__:
            path = Path(str(module.__file__)).resolve()
            depth = name.count(".") + (1 if hasattr(module, "__path__") else 0)
            yield name, path.relative_to(path.parents[depth]).as_posix(), path.read_bytes()


_installing = threading.Lock()


def _install(modules: Modules, folder: Path) -> None:
    """Write the sources, put them first in `sys.path`, and forget modules of these names from elsewhere."""
    place = folder / f"kernelbandits-{hashlib.sha256(repr(modules).encode()).hexdigest()[:16]}"
    with _installing:
        if sys.path[0] == str(place):
            return
        for _, path, source in modules:
            target = place / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        sys.path[:] = [
            str(place),
            *(entry for entry in sys.path if not entry.startswith(str(folder / "kernelbandits-"))),
        ]
        for name, _, _ in modules:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
