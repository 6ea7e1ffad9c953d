"""A real scheduler and real worker processes on loopback, each ended by its id."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager


class Machines:
    """Processes that a test may start and kill."""

    def __init__(self, folder, scheduler_settings):
        self.folder = folder
        self.processes = []
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "distributed.cli.dask_scheduler",
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)),
            environment=scheduler_settings,
        )
        self.address = wait_for(lambda: _address(file), self.scheduler)

    def worker(self, threads=1, **environment):
        """Start a worker that nobody starts again."""
        process = self._start(
            "distributed.cli.dask_worker",
            *(self.address, "--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--memory-limit", "0"),
            *("--local-directory", str(self.folder), "--death-timeout", "600"),
            environment=environment,
        )
        self.processes.append(process)
        return process

    def _start(self, module, *arguments, environment):
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=self.folder,
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            kill(process)


@contextmanager
def machines(folder, n_workers=1, **scheduler_settings):
    running = Machines(folder, scheduler_settings)
    try:
        for _ in range(n_workers):
            running.worker()
        yield running
    finally:
        running.close()


def kill(process):
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()


def _address(file):
    try:
        return json.loads(file.read_text(encoding="utf-8"))["address"]
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def wait_for(condition, process):
    """Wait until the condition is true, and return its value; the limit only ends a test that hangs."""
    end = time.monotonic() + 600
    while not (found := condition()):
        assert process.poll() is None, "the process ended"
        assert time.monotonic() < end, "nothing happened for ten minutes"
        time.sleep(0.02)
    return found
