"""A progress bar on the error stream for work that turns out to take long."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 2.0
"""Seconds before a bar appears."""


@final
class Progress(ExitStack):
    """`with Progress("fit", total) as progress: progress.show(done, "residual 1e-3")`.

    Nothing is shown for the first two seconds, nor where the error stream is not a terminal.
    """

    def __init__(self, title: str, total: float | None) -> None:
        super().__init__()
        self._title, self._total = title, total
        self._started = time.monotonic()
        self._bar: Bar | None = None

    def show(self, done: float, note: str = "", total: float | None = None) -> None:
        """Show how much of the total is done, with a few words; `total` replaces the one given at the start."""
        self._total = self._total if total is None else total
        if self._bar is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < PATIENCE:
                return
            self._bar = self.enter_context(_new_bar())
            self._bar.add_task(self._title, total=self._total, note="")
        self._bar.update(self._bar.task_ids[0], completed=done, total=self._total, note=note)


def _new_bar() -> Bar:
    from rich import console, progress

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[note]}", markup=False),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    return progress.Progress(*columns, console=console.Console(stderr=True))
