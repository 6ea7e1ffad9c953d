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
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, final

import cloudpickle

from kernelbandits.errors import EngineFailed
from kernelbandits.version import __version__

_LIBRARY = Path(__file__).parents[1]
_STANDARD = tuple(Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib"))
_INSTALLED = {"site-packages", "dist-packages"}


@final
@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickled value, the user's modules by name (relative path and source), and the version that packed it."""

    version: str
    modules: tuple[tuple[str, str, bytes], ...]
    content: bytes

    def open(self, folder: Path) -> Any:
        """The value; modules are put into a folder of their own under `folder` and imported from there."""
        if self.version != __version__:
            raise EngineFailed(
                f"a worker has kernelbandits {__version__}, this process has {self.version}; "
                f"install {self.version} on every worker"
            )
        if self.modules:
            _install(self.modules, folder)
        return pickle.loads(self.content)


def pack(value: Any) -> Parcel:
    """A value for another machine. What is defined in `__main__` travels by value, other classes with their file."""
    buffer = io.BytesIO()
    pickler = _NotingPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dump(value)
    roots = {_root(sys.modules[name]) for name in pickler.seen if _is_users(sys.modules.get(name))}
    return Parcel(__version__, tuple(sorted(_modules_under(roots))), buffer.getvalue())


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


def _is_users(module: ModuleType | None) -> bool:
    """Whether this is a source file that is neither installed nor the script itself."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or module.__name__ == "__main__" or not file.endswith(".py"):
        return False
    path = Path(file).resolve()
    inside = any(path.is_relative_to(place) for place in (_LIBRARY, *_STANDARD))
    return path.is_file() and not inside and not _INSTALLED & set(path.parts)


def _root(module: ModuleType) -> Path:
    """The folder from which a module was imported: it is what stood in `sys.path`."""
    depth = module.__name__.count(".") + (1 if hasattr(module, "__path__") else 0)
    return Path(str(module.__file__)).resolve().parents[depth]


def _modules_under(roots: set[Path]) -> Iterator[tuple[str, str, bytes]]:
    """All that was imported from these folders: a user's module may import its neighbours."""
    for name, module in list(sys.modules.items()):
        if roots and name == getattr(module, "__name__", None) and _is_users(module) and _root(module) in roots:
            path = Path(str(module.__file__)).resolve()
            yield name, path.relative_to(_root(module)).as_posix(), path.read_bytes()


_installing = threading.Lock()


def _install(modules: tuple[tuple[str, str, bytes], ...], folder: Path) -> None:
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
