"""The command `kernelbandits run` as a process with a temporary folder of its own, and what it leaves behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

# A process that is interrupted before it says this is still loading Python.
BEGIN = "from kernelbandits.cli import main; print('begin', flush=True); main()"
INTERRUPTED = "kernelbandits: interrupted; finished runs are kept, the same command goes on from there"

HANGS = 240.0  # seconds; workers that do not watch their parent live for 300


def start(*arguments, folder, **options):
    """Start the command in this folder; its temporary files go to `scratch` there."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN, "run", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finished(process):
    """Return the exit code, the output and the errors; the limit only ends a test that hangs."""
    out, error = process.communicate(timeout=600)
    return process.returncode, out.removeprefix("begin\n"), error


def processes_of(folder):
    """Return the living processes that were started in this folder, their workers and helpers included."""
    scratch = str(folder / "scratch")
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("TMPDIR") == scratch:
                found.append(process)
        except (psutil.Error, OSError):  # it has just ended, or is another user's
            continue
    return found


def shared_memory():
    return {*Path("/dev/shm").glob("*")}


BEFORE = shared_memory()  # processes with the same ids may have left something, long ago


def traces_of(folder, process_ids):
    """Return temporary and half-written files in this folder, and what joblib has in shared memory for these ids."""
    names = [name for i in process_ids for name in (f"loky-{i}-", f"joblib_memmapping_folder_{i}_")]
    ours = [path for path in shared_memory() - BEFORE if any(name in path.name for name in names)]
    return [*ours, *(folder / "scratch").iterdir(), *folder.rglob("*.part")]


def nothing_runs_in(folder):
    """Wait until all processes that were started in this folder have ended."""
    end = time.monotonic() + HANGS
    while left := processes_of(folder):
        if time.monotonic() > end:
            for process in left:
                process.kill()
            raise AssertionError(f"left behind: {left}")
        time.sleep(0.05)
