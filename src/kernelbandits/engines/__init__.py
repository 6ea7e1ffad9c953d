"""Where the work is done: here, in worker processes of this machine, or on a Dask cluster."""

from kernelbandits.engines.base import Engine, in_order
from kernelbandits.engines.cluster import Cluster, Dask, Loopback, Scheduler, dask
from kernelbandits.engines.machine import InProcess, Processes, local, workers

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
