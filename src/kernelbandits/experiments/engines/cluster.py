"""Dask: workers on other machines, or on this one. dask and distributed are imported when an engine is used."""

from __future__ import annotations

import logging
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import final

from kernelbandits.errors import EngineFailed, InvalidArgument
from kernelbandits.experiments.engines.base import Answer, Engine, Task, ignore
from kernelbandits.experiments.engines.machine import workers
from kernelbandits.experiments.engines.tree import checked, combined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelbandits.experiments.engines.session import Session


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1)
"""What Dask sets for its workers, but for MALLOC_TRIM_THRESHOLD_: with that, every large array is new to the system and
must be mapped page by page, which makes a Nyström fit 1.4 times slower."""


class Cluster(ABC):
    """Where Dask workers are."""

    __slots__ = ()

    @abstractmethod
    def session(self) -> AbstractContextManager[Session]:
        """A connection to the workers, closed at the end of the block."""


@final
@dataclass(frozen=True, slots=True)
class Scheduler(Cluster):
    """A scheduler that is running already, at an address such as "tcp://10.0.0.5:8786"."""

    address: str

    def session(self) -> AbstractContextManager[Session]:
        _need_dask()
        from kernelbandits.experiments.engines.session import connected

        return connected(self.address)


@final
@dataclass(frozen=True, slots=True)
class Loopback(Cluster):
    """Worker processes of this machine, started for the work and ended with it; reachable from here only."""

    n_workers: int

    @contextmanager
    def session(self) -> Iterator[Session]:
        _need_dask()
        from dask import config
        from distributed import LocalCluster

        from kernelbandits.experiments.engines.session import connected, quiet

        with (
            tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder,
            config.set({"temporary-directory": folder, "distributed.nanny.pre-spawn-environ": _ONE_THREAD}),
            quiet(),
            LocalCluster(
                n_workers=self.n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                scheduler_kwargs={"dashboard": False},
                dashboard_address="127.0.0.1:0",  # without one, the scheduler's HTTP pages are on port 8787
                memory_limit=0,
                local_directory=folder,
                preload=["kernelbandits.experiments.engines.preload"],
                silence_logs=logging.CRITICAL,
            ) as cluster,
            connected(cluster.scheduler_address) as session,
        ):
            session.wait_for(self.n_workers)
            yield session


@final
@dataclass(frozen=True, slots=True)
class Dask(Engine):
    """Workers of a Dask cluster. Answers come back to this process, which alone writes files.

    Tasks are specs and seeds: data and instances are made on the workers. A worker that dies is survived, its tasks are
    done again elsewhere. Every worker needs this version of the library.
    """

    cluster: Cluster

    @property
    def shares_files(self) -> bool:
        return False

    def map(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        if not tasks:  # a finished store needs no cluster
            return
        with self.cluster.session() as session:
            yield from session.answers(session.calls(function, tasks))

    def reduce(
        self,
        function: Callable[[Task], Answer],
        combine: Callable[[Answer, Answer], Answer],
        tasks: Sequence[Task],
        tell: Callable[[int], None] = ignore,
    ) -> Answer:
        with self.cluster.session() as session:
            leaves, n_done = session.counted(session.calls(function, checked(tasks)))
            # Partial answers go from worker to worker; only the root comes here.
            tree = [combined(leaves, session.joining(combine))]
            del leaves  # so that a worker lets go of an answer as soon as it is part of another
            root: Answer = next(session.answers(tree, meanwhile=lambda: tell(n_done())))
            return root


def dask(scheduler: str | None = None, n_jobs: int | None = None) -> Dask:
    """The Dask engine at a scheduler's address, or with `n_jobs` worker processes of this machine."""
    if scheduler is None:
        return Dask(Loopback(workers(n_jobs)))
    if n_jobs is not None:
        raise InvalidArgument(
            f"jobs = {n_jobs} has no meaning with a scheduler: the workers at {scheduler} do the work; leave jobs out"
        )
    return Dask(Scheduler(scheduler))


def _need_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise EngineFailed(f"the Dask engine needs more: pip install 'kernelbandits[dask]' ({error})") from error
