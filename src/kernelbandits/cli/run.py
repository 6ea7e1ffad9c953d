"""The command `run`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from kernelbandits.cli.options import RUN_OPTIONS, with_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@click.option("--allow-code", is_flag=True, help="Run the modules beside FILE.toml that it names: you trust them.")
@with_options(*RUN_OPTIONS)
def run(file: Path, allow_code: bool, out: Path | None, debug: bool, **given: Any) -> None:
    """Run an experiment described in a TOML file.

    To write one, copy a file of the paper and change it; `kernelbandits list` shows where they are. A method of your
    own has type = "my_module:MyPolicy"; if my_module.py lies beside the file, --allow-code says that you trust it. For
    data of your own, use an environment Classification or Surrogate with path = "my.parquet", relative to the folder of
    the file. Results do not depend on --jobs and --engine.
    """
    given["started"] = time.monotonic()  # before what takes long to import
    from kernelbandits.experiments import load_experiment, report_experiment, run_options

    experiment = load_experiment(file, allow_code=allow_code)
    options = run_options(Path("results") / experiment.name if out is None else out, **given)
    report_experiment(options.part_of(experiment), options)
