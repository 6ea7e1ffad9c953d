"""The studies that `kernelbandits reproduce` knows by name. Nothing heavy is imported before one is carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from kernelbandits.engines import Engine


@final
@dataclass(frozen=True, slots=True)
class Study:
    """A title, and what to do, called as (folder, seeds=, horizon=, engine=, only=, as_json=) by the command."""

    title: str
    carry_out: Callable[..., None]


def _theory(
    folder: Path, seeds: int | None, horizon: int | None, engine: Engine, only: tuple[str, ...], as_json: bool
) -> None:
    from kernelbandits.studies.reporting import carry_out
    from kernelbandits.studies.theory import PICTURES

    carry_out("theory", PICTURES, folder, seeds, horizon, engine, only, as_json)


STUDIES = {"theory": Study("The paper's theory against experiment: four pictures with their tables", _theory)}
