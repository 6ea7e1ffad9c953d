"""Progress of long work: a bar on the error stream of a terminal, or below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from html import escape
from types import TracebackType
from typing import Any, final

PATIENCE = 2.0
"""Seconds before a bar appears."""


@final
class Progress(ExitStack):
    """`with Progress("fit", total) as progress: progress.show(done, "residual 1e-3")`.

    Nothing is shown for the first `patience` seconds (two, unless told), nor where nobody looks: the error stream is
    not a terminal, and this is no notebook.
    """

    def __init__(self, title: str, total: float | None, patience: float | None = None) -> None:
        super().__init__()
        self._title, self._total = title, total
        self._patience = PATIENCE if patience is None else patience
        self._started = time.monotonic()
        self._meter: Meter | None = None

    def show(self, done: float, note: str = "", total: float | None = None) -> None:
        """Show how much of the total is done, with a few words; `total` replaces the one given at the start."""
        self._total = self._total if total is None else total
        if self._meter is None:
            if time.monotonic() - self._started < self._patience or (meter := _meter_here(self._title)) is None:
                return
            self._meter = self.enter_context(meter)
        self._meter.show(done, self._total, note)


class Meter(ABC):
    """A place where progress is seen; the work is over when the block ends."""

    @abstractmethod
    def show(self, done: float, total: float | None, note: str) -> None:
        """Show how much is done; a total of None is not known yet, and of 0 means that there is nothing to do."""

    @abstractmethod
    def __enter__(self) -> Meter: ...

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@final
class TerminalMeter(Meter):
    """A bar that moves by itself: the time goes on while the first task is still under way."""

    def __init__(self, title: str) -> None:
        from rich import console, progress

        columns = (
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TextColumn("{task.fields[note]}", markup=False),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(),
        )
        self._bar = progress.Progress(*columns, console=console.Console(stderr=True))
        self._bar.add_task(title, total=None, note="")

    def show(self, done: float, total: float | None, note: str) -> None:
        share = (1, 1) if total == 0 else (done, total)
        self._bar.update(self._bar.task_ids[0], completed=share[0], total=share[1], note=note)

    def __enter__(self) -> TerminalMeter:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


@final
class NotebookMeter(Meter):
    """One line below the cell, rewritten in place, without scripts."""

    def __init__(self, title: str, display: Any) -> None:
        self._title, self._started = title, time.monotonic()
        self._shown = display({"text/plain": title}, raw=True, display_id=True)

    def show(self, done: float, total: float | None, note: str) -> None:
        seconds = f"{time.monotonic() - self._started:.0f} s"
        share = "" if total is None else f"{done / total:.0%}" if total else "100%"
        size = "" if total is None else f' value="{done if total else 1:g}" max="{total or 1:g}"'
        words = " · ".join(escape(part) for part in (share, note, seconds) if part)
        page = (
            f'<div>{escape(self._title)} <progress{size} aria-label="{escape(self._title)}"></progress> {words}</div>'
        )
        text = " ".join(part for part in (self._title, share, note, seconds) if part)
        self._shown.update({"text/html": page, "text/plain": text}, raw=True)

    def __enter__(self) -> NotebookMeter:
        return self

    def __exit__(self, *_: object) -> None:
        """What was shown last stays."""


def _meter_here(title: str) -> Meter | None:
    """A meter where somebody looks: in a notebook, or at a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        return NotebookMeter(title, sys.modules["IPython"].display.display)
    return TerminalMeter(title) if sys.stderr is not None and sys.stderr.isatty() else None
