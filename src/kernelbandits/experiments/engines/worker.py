"""What runs on a Dask worker."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from distributed import get_worker
from threadpoolctl import threadpool_limits

from kernelbandits.experiments.engines.pickling import Modules, Pickled


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C in a worker process of `Loopback`: the process that started it receives it too, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def same(value: Any) -> Any:
    """Return the value: a task whose answer other tasks share."""
    return value


def call(task: Pickled, task_modules: Modules, function: Pickled, modules: Modules) -> Any:
    """Return function(task)."""
    return _loaded(function, modules)(_loaded(task, task_modules))


def call_combine(combine: Pickled, modules: Modules, left: Any, right: Any) -> Any:
    """Return combine(left, right)."""
    return _loaded(combine, modules)(left, right)


def _loaded(value: Pickled, modules: Modules) -> Any:
    loaded = value.load(modules, Path(get_worker().local_directory))
    # Not as a `with` block: a worker may have several threads, and one that leaves the block would lift the limit for
    # the others.
    threadpool_limits(1)
    return loaded
