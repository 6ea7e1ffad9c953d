"""Engines run tasks: in this process, in worker processes of this machine, or on a Dask cluster."""

from kernelbandits.experiments.engines.cluster import Cluster, Dask, Loopback, Scheduler, dask
from kernelbandits.experiments.engines.engine import Engine, InProcess, Processes, in_order, local
