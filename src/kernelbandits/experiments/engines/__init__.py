"""Engines run tasks: in this process, in worker processes of this machine, or on a Dask cluster."""

from kernelbandits.experiments.engines.base import Engine, in_order
from kernelbandits.experiments.engines.cluster import Cluster, Dask, Loopback, Scheduler, dask
from kernelbandits.experiments.engines.processes import InProcess, Processes, local, workers

__all__ = [
    "Cluster",
    "Dask",
    "Engine",
    "InProcess",
    "Loopback",
    "Processes",
    "Scheduler",
    "dask",
    "in_order",
    "local",
    "workers",
]
