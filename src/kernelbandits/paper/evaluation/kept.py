"""Answers that are kept in the output folder, so that a study that was stopped goes on where it was."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from kernelbandits.experiments import Runner, installation
from kernelbandits.reporting import replacing

Rows: TypeAlias = Iterable[dict[str, Any]]


def kept(runner: Runner, title: str, function: Callable[..., Rows], tasks: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """The rows `function(*task)` of all tasks, each computed once as long as the library is the same."""
    folder = runner.folder / "kept"
    folder.mkdir(parents=True, exist_ok=True)
    files = runner.map(title, partial(_computed, function, folder), tasks)
    return pl.concat((pl.read_parquet(file) for file in files), how="vertical_relaxed")


def portions(seeds: int, size: int) -> list[range]:
    """The seeds below a number, in portions of a size; the last one may be smaller."""
    return [range(start, min(start + size, seeds)) for start in range(0, seeds, size)]


def _computed(function: Callable[..., Rows], folder: Path, task: tuple[Any, ...]) -> Path:
    known = f"{function.__module__}:{function.__qualname__}{task!r}{installation().code}"
    key = hashlib.sha256(known.encode()).hexdigest()
    file = folder / f"{key[:32]}.parquet"
    if not file.is_file():
        rows = pl.DataFrame(list(function(*task)))
        with replacing(file) as part:
            rows.write_parquet(part)
    return file
