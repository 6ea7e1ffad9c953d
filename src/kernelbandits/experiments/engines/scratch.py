"""The temporary folder of a process that starts workers. If the process is killed, the next one removes it."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from kernelbandits.reporting import lock, remove_abandoned

_PREFIX = "kernelbandits-"
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (nothing is made here, only removed)


def scratch() -> Path:
    """Return the temporary folder of this process, which only its user can enter; it is removed when the process ends.

    Its name contains the process id, by which the traces of joblib are found after the process was killed.
    """
    return _scratch_of(os.getpid())


def remove_abandoned_scratch() -> None:
    """Remove the temporary folders of processes that were killed, and what joblib left of theirs."""
    remove_abandoned(Path(tempfile.gettempdir()), f"{_PREFIX}*-*", _remove)


@cache
def _scratch_of(process: int) -> Path:
    remove_abandoned_scratch()
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{process}-"))
        try:
            lock(folder)  # until this process ends
            break
        except FileNotFoundError:  # another process looked at it first
            continue
    atexit.register(_remove_own, folder, process)
    return folder


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in a fork
        shutil.rmtree(folder, ignore_errors=True)


def _remove(folder: Path) -> None:
    found = re.fullmatch(rf"{_PREFIX}(\d+)-\w+", folder.name)
    if found is None or folder.lstat().st_uid != os.getuid():
        return
    _remove_traces_of_joblib(int(found[1]))
    shutil.rmtree(folder, ignore_errors=True)


def _remove_traces_of_joblib(process: int) -> None:
    """Remove semaphores and folders that joblib named after a dead process.

    Joblib has a process that does this, unless it was killed as well, as by a terminal that is closed. The traces are
    listed before the process is looked for, so that those of a new process with the same id are never among them.
    """
    places = (_SHARED_MEMORY, Path(tempfile.gettempdir()))
    names = (f"sem.loky-{process}-*", f"joblib_memmapping_folder_{process}_*")
    traces = [path for place in places for name in names for path in place.glob(name)]
    with suppress(PermissionError):  # another user's process has this id now
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            for path in traces:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
