"""The studies that `kernelbandits reproduce` knows by name. Nothing heavy is imported before one is carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final


@final
@dataclass(frozen=True, slots=True)
class Study:
    """A title, and what to do, called as (folder, seeds=, horizon=, jobs=, only=, as_json=, report=) by the command.

    `takes` names the options beyond these that mean something to it, such as data_dir; it is called with these too.
    """

    title: str
    carry_out: Callable[..., None]
    takes: tuple[str, ...] = ()


def _theory(
    folder: Path,
    seeds: int | None,
    horizon: int | None,
    jobs: int | None,
    only: tuple[str, ...],
    as_json: bool,
    report: bool,
) -> None:
    from kernelbandits.studies.reporting import carry_out
    from kernelbandits.studies.theory import PICTURES

    title = "The paper's theory against experiment"
    carry_out("theory", PICTURES, folder, seeds, horizon, jobs, only, as_json, report, title)


def _real_world(folder: Path, **options: Any) -> None:
    from kernelbandits.studies.real_world import carry_out

    carry_out(folder, **options)


STUDIES = {
    "theory": Study("The paper's theory against experiment: four pictures with their tables", _theory),
    "real-world": Study(
        "The paper's methods and linear baselines on real data (digits; five more with --data-dir)",
        _real_world,
        takes=("data_dir",),
    ),
}
