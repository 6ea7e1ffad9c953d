"""Experiments: grids of runs, their results, pictures and tables."""

from kernelbandits.experiments.engines import Dask, Engine, InProcess, Processes, dask, local
from kernelbandits.experiments.files import load, parse, shipped
from kernelbandits.experiments.grid import Cell, Experiment, Panel
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.running import Progress, run
from kernelbandits.experiments.store import Store

__all__ = [
    "Cell",
    "Dask",
    "Engine",
    "Experiment",
    "InProcess",
    "Panel",
    "Processes",
    "Progress",
    "Results",
    "Store",
    "dask",
    "load",
    "local",
    "parse",
    "run",
    "shipped",
]
