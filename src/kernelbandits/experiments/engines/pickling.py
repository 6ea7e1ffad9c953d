"""Pickled values for Dask workers, with the user's own modules that they need, and the calls that workers make.

The library is installed on a worker, but `my_policies.py` beside an experiment's file is not. Every value brings the
source that it needs, so a worker that joins late or restarts needs no preparation.
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
from distributed import get_worker
from threadpoolctl import threadpool_limits

from kernelbandits import __version__
from kernelbandits.errors import EngineFailed
from kernelbandits.experiments.engines.workers import ignore_interrupts

_LIBRARY = Path(__file__).parents[2]
_STANDARD = tuple(Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib"))
_INSTALLED = {"site-packages", "dist-packages"}

Modules = tuple[tuple[str, str, bytes], ...]
"""Name, relative path and source of each of the user's modules."""


@final
@dataclass(frozen=True, slots=True)
class Pickled:
    """A pickled value, and the version of the library that pickled it."""

    version: str
    content: bytes

    def load(self, modules: Modules) -> Any:
        """Return the value on a worker; `modules` are written into a new folder there and imported from it."""
        if self.version != __version__:
            raise EngineFailed(
                f"a worker has kernelbandits {__version__}, this process has {self.version}; "
                f"install {self.version} on every worker"
            )
        if modules:
            _install(modules, Path(get_worker().local_directory))
        value = pickle.loads(self.content)  # noqa: S301 (Dask runs what it is sent; who may send is decided by TLS)
        # Not as a `with` block: a worker may have several threads, and one that leaves the block would lift the limit
        # for the others.
        threadpool_limits(1)
        return value


def dask_setup(worker: object) -> None:
    """Prepare a worker process of `Loopback`."""
    ignore_interrupts()


def same(value: Any) -> Any:
    """Return the value: a task whose answer other tasks share."""
    return value


def call(task: Pickled, task_modules: Modules, function: Pickled, modules: Modules) -> Any:
    """Return function(task)."""
    return function.load(modules)(task.load(task_modules))


def call_combine(combine: Pickled, modules: Modules, left: Any, right: Any) -> Any:
    """Return combine(left, right)."""
    return combine.load(modules)(left, right)


def pickled(value: Any) -> tuple[Pickled, Modules]:
    """Pickle a value for another machine, and collect the user's modules that it needs there.

    Definitions in `__main__` are pickled by value. If the value refers to any other file of the user, all imported
    files of the user are sent, because one may need the others.
    """
    buffer = io.BytesIO()
    pickler = _RecordingPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dump(value)
    needed = any(_is_users(sys.modules.get(name)) for name in pickler.seen)
    return Pickled(__version__, buffer.getvalue()), tuple(sorted(_users_modules())) if needed else ()


class _RecordingPickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Records the modules of every class and function that the pickle refers to."""

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
    """Names of packages that pip installed (also in editable mode): a worker has its own."""
    return frozenset(packages_distributions())


def _is_users(module: ModuleType | None) -> bool:
    """Whether this is a source file that is neither installed nor the script itself."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or module.__name__ == "__main__" or not file.endswith(".py"):
        return False
    if module.__name__.partition(".")[0] in _installed():
        return False
    path = Path(file).resolve()
    inside = any(path.is_relative_to(folder) for folder in (_LIBRARY, *_STANDARD))
    return path.is_file() and not inside and not _INSTALLED & set(path.parts)


def _users_modules() -> Iterator[tuple[str, str, bytes]]:
    for name, module in list(sys.modules.items()):
        if _is_users(module) and name == module.__name__:
            path = Path(str(module.__file__)).resolve()
            depth = name.count(".") + (1 if hasattr(module, "__path__") else 0)
            yield name, path.relative_to(path.parents[depth]).as_posix(), path.read_bytes()


_installing = threading.Lock()


def _install(modules: Modules, folder: Path) -> None:
    """Write the sources, put their folder first in `sys.path`, and unload modules of the same names."""
    prefix = str(folder / "kernelbandits-")
    target = Path(prefix + hashlib.sha256(repr(modules).encode()).hexdigest()[:16])
    with _installing:
        if sys.path[0] == str(target):
            return
        for _, path, source in modules:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(source)
        sys.path[:] = [str(target), *(entry for entry in sys.path if not entry.startswith(prefix))]
        for name, _, _ in modules:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
