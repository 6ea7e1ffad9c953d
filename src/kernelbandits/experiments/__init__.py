"""Experiments: grids of runs, their results and reports."""

from kernelbandits.experiments.engines import Dask, Engine, InProcess, Processes, dask, local
from kernelbandits.experiments.grid import Cell, Experiment, Panel, load_experiment, parse, require_known, shipped
from kernelbandits.experiments.outputs import (
    Outcome,
    RunOptions,
    provenance,
    report_experiment,
    run_options,
    write_outcome,
)
from kernelbandits.experiments.results import Results, contents, regret_picture, report_on
from kernelbandits.experiments.running import Runner, RunProgress, run, seed_sequence, world
from kernelbandits.experiments.store import installation
