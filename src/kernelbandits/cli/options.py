"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

kernel_option = click.option(
    "--kernel",
    default="Gaussian(gamma=4.0)",
    show_default=True,
    metavar="TEXT",
    help="As in Python: 'Matern(nu=2.5, length=1.0)'.",
)
debug_option = click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")

COUNT = click.IntRange(min=1)
_ENGINES = click.Choice(["local", "dask"])
BUNDLE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
RUN_OPTIONS = (
    click.option("--seeds", type=COUNT, metavar="N", help="Use the seeds 0 … N-1."),
    click.option("--horizon", type=COUNT, metavar="T", help="Play T rounds."),
    click.option("--jobs", type=COUNT, metavar="N", help="Worker processes. Default: one per core."),
    click.option("--engine", type=_ENGINES, default="local", help="Local processes (the default) or Dask workers."),
    click.option("--scheduler", metavar="ADDRESS", help="With --engine dask: tls://HOST:8786. Default: this machine."),
    click.option("--out", type=FOLDER, metavar="DIR", help="Output folder. Default: results/NAME."),
    click.option("--only", multiple=True, metavar="NAME", help="Only this method or panel; can be repeated."),
    click.option("--report", is_flag=True, help="Write report.html as well: one page that needs no network."),
    json_option,
    debug_option,
)


def with_options(*options: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command with these options, shown in this order."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
