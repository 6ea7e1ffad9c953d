"""What a worker process of `Loopback` does first."""

from __future__ import annotations

import signal


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the process that started this one: a terminal sends it to both, and that one ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
