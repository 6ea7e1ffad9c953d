"""Experiments: grids of runs, their results and reports."""

from kernelbandits.experiments.engines import Dask, Engine, InProcess, Processes, dask, local
from kernelbandits.experiments.files import ExportedNames, load, methods, parse, shipped
from kernelbandits.experiments.grid import Cell, Experiment, Panel
from kernelbandits.experiments.outputs import Outcome, RunOptions, provenance, report_experiment, run_and_report
from kernelbandits.experiments.report import contents, counted, regret_picture, report_on
from kernelbandits.experiments.results import Results, Store
from kernelbandits.experiments.running import Runner, RunProgress, run, world

__all__ = [
    "Cell",
    "Dask",
    "Engine",
    "Experiment",
    "ExportedNames",
    "InProcess",
    "Outcome",
    "Panel",
    "Processes",
    "Results",
    "RunOptions",
    "RunProgress",
    "Runner",
    "Store",
    "contents",
    "counted",
    "dask",
    "load",
    "local",
    "methods",
    "parse",
    "provenance",
    "regret_picture",
    "report_experiment",
    "report_on",
    "run",
    "run_and_report",
    "shipped",
    "world",
]
