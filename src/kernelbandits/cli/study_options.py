"""Options of `reproduce` that belong to some studies only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelbandits.errors import InvalidArgument

if TYPE_CHECKING:
    from kernelbandits.paper import Study

_OPTIONS = {
    "data": click.option(
        "--data", type=click.Path(path_type=Path), metavar="FILE", help="table-1: the Avazu file, .csv or .csv.gz."
    ),
    "arms": click.option(
        "--arms", type=click.Choice(["id", "C14"]), help="table-1: column whose last digit is the arm. Default: id."
    ),
    "contexts": click.option(
        "--contexts",
        type=click.Choice(["per-arm", "shared"]),
        help="table-1: a row for each arm, or one for all. Default: per-arm.",
    ),
    "dim": click.option(
        "--dim", type=click.IntRange(min=1), metavar="D", help="table-1: principal components. Default: 100."
    ),
    "level": click.option(
        "--level", type=float, metavar="X", help="table-1: scale the contexts to this mean ‖x‖²/d. Default: 0.5."
    ),
    "drop": click.option(
        "--drop", multiple=True, metavar="FEATURE", help="table-1: leave this feature out; may be given several times."
    ),
    "data_dir": click.option(
        "--data-dir",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="real-world: folder with the data sets; those that are not there are left out.",
    ),
}


def study_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with all of these options."""
    for option in reversed(_OPTIONS.values()):
        command = option(command)
    return command


def given_study_options(options: dict[str, Any], name: str, chosen: Mapping[str, Study]) -> dict[str, Any]:
    """Take these options out of `options`; those that were given, refused if no chosen study has them."""
    taken = {key: options.pop(key) for key in _OPTIONS}
    given = {key: value for key, value in taken.items() if value is not None and value != ()}
    able = {key for study in chosen.values() for key in study.options}
    for key in given:
        if key not in able:
            raise InvalidArgument(
                f"--{key.replace('_', '-')} has no meaning for {name}; see kernelbandits reproduce --help"
            )
    return given
