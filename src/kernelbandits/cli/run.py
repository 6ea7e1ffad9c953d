"""The command `run`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from kernelbandits.cli.options import RUN_OPTIONS, with_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@with_options(*RUN_OPTIONS)
def run(file: Path, out: Path | None, debug: bool, **given: Any) -> None:
    """Run an experiment described in a TOML file.

    To write one, copy a file of the paper and change it; `kernelbandits list` shows where they are. A method of your
    own has type = "my_module:MyPolicy", with my_module.py beside the file. For data of your own, use an environment
    Classification or Surrogate with path = "my.parquet", relative to the folder of the file.
    Results do not depend on --jobs and --engine.
    """
    given["started"] = time.monotonic()  # before what takes long to import
    from kernelbandits.experiments import load, report_experiment, run_options

    experiment = load(file)
    options = run_options(Path("results") / experiment.name if out is None else out, **given)
    report_experiment(options.part_of(experiment), options)
