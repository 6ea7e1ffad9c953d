"""Progress of long work: a bar on the error stream of a terminal, or below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from html import escape
from typing import Any, TypeAlias, final

PATIENCE = 2.0
"""Seconds before a bar appears."""

Meter: TypeAlias = Callable[[float, float | None, str], None]
"""Shows what is done of a total, and a note. A total of None is not known yet; 0 means that there is nothing to do."""


@final
class Progress(ExitStack):
    """`with Progress("fit", total) as progress: progress.show(done, "residual 1e-3")`.

    Nothing is shown for the first `patience` seconds, two by default, nor where nobody would see it: outside notebooks,
    the error stream must be a terminal.
    """

    def __init__(self, title: str, total: float | None, patience: float | None = None) -> None:
        super().__init__()
        self._title, self._total = title, total
        self._patience = PATIENCE if patience is None else patience
        self._started = time.monotonic()
        self._meter: Meter | None = None

    def show(self, done: float, note: object = "", total: float | None = None) -> None:
        """Show how much of the total is done, with a few words; `total` replaces the one given at the start.

        The note is turned into text only if it is shown.
        """
        self._total = self._total if total is None else total
        if self._meter is None:
            if time.monotonic() - self._started < self._patience:
                return
            ipython = sys.modules.get("IPython")
            if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):
                self._meter = _notebook_meter(self._title, ipython.display.display)
            elif sys.stderr is not None and sys.stderr.isatty():
                self._meter = _terminal_meter(self._title, self)
            else:
                return
        self._meter(done, self._total, str(note))


def _terminal_meter(title: str, until: ExitStack) -> Meter:
    """A bar that moves by itself: the time goes on while the first task is still under way."""
    from rich import console, progress

    bar = progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[note]}", markup=False),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
    )
    task = bar.add_task(title, total=None, note="")
    until.enter_context(bar)

    def show(done: float, total: float | None, note: str) -> None:
        completed, total = (1, 1) if total == 0 else (done, total)
        bar.update(task, completed=completed, total=total, note=note)

    return show


def _notebook_meter(title: str, display: Any) -> Meter:
    """One line below the cell, rewritten in place, without scripts. What was shown last stays."""
    started = time.monotonic()
    shown = display({"text/plain": title}, raw=True, display_id=True)

    def show(done: float, total: float | None, note: str) -> None:
        seconds = f"{time.monotonic() - started:.0f} s"
        share = "" if total is None else f"{done / total:.0%}" if total else "100%"
        size = "" if total is None else f' value="{done if total else 1:g}" max="{total or 1:g}"'
        parts = [part for part in (share, note, seconds) if part]
        bar = f'<progress{size} aria-label="{escape(title)}"></progress>'
        page = f"<div>{escape(title)} {bar} {' · '.join(map(escape, parts))}</div>"
        shown.update({"text/html": page, "text/plain": " ".join([title, *parts])}, raw=True)

    return show
