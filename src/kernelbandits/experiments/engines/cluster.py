"""The Dask engine, and where its workers are. dask and distributed are imported when an engine is used."""

from __future__ import annotations

import logging
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from kernelbandits.errors import EngineFailed, InvalidArgument
from kernelbandits.experiments.engines.engine import (
    Answer,
    Combine,
    Engine,
    Map,
    Task,
    Tell,
    ignore,
    n_cores,
    reduce_tree,
    require_tasks,
)
from kernelbandits.experiments.engines.scratch import scratch
from kernelbandits.experiments.engines.workers import undisturbed
from kernelbandits.specs import Count, conform

if TYPE_CHECKING:
    from kernelbandits.experiments.engines.connection import Connection

# What Dask sets for its workers, without MALLOC_TRIM_THRESHOLD_: with that, the system maps every large array anew,
# page by page, and a Nyström fit takes 1.4 times as long.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1)
_SETTINGS = {
    "distributed.nanny.pre-spawn-environ": _ONE_THREAD,
    # Dask's pages about tasks and workers are open to every user of the machine.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


class Cluster(ABC):
    """Where Dask workers are."""

    __slots__ = ()

    def connect(self) -> AbstractContextManager[Connection]:
        """Connect to the workers; the connection is closed at the end of the `with` block, also after Ctrl-C."""
        return undisturbed(self._connect())

    @abstractmethod
    def _connect(self) -> AbstractContextManager[Connection]:
        """Connect to the workers, in a thread that is not interrupted."""


@final
@dataclass(frozen=True, slots=True)
class Scheduler(Cluster):
    """A running scheduler at an address such as "tls://10.0.0.5:8786", with the credentials of Dask's configuration."""

    address: str

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        connection = _connection()
        with connection.connect(self.address) as connected:
            connection.warn_if_open(self.address)
            yield connected


@final
@dataclass(frozen=True, slots=True)
class Loopback(Cluster):
    """Worker processes of this machine, started for one job and ended with it.

    They listen on 127.0.0.1 only, and only to processes that hold the key of this job.
    """

    n_workers: int

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        connection = _connection()
        from dask import config

        with (
            tempfile.TemporaryDirectory(dir=scratch()) as folder,
            config.set({"temporary-directory": folder, **_SETTINGS}),
            connection.quiet(),
            _local_cluster(self.n_workers, folder) as cluster,
            connection.connect(cluster.scheduler_address, cluster.security) as connected,
        ):
            connected.wait_for_workers(self.n_workers)
            yield connected


@final
@dataclass(frozen=True, slots=True)
class Dask(Engine):
    """Runs tasks on the workers of a Dask cluster. Answers come back to this process, and only it writes files.

    Tasks are specs and seeds; workers make the data themselves. When a worker dies, its tasks run again elsewhere.
    Every worker needs the same version of the library.
    """

    cluster: Cluster

    shares_files = False

    def map(self, function: Map[Task, Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        if not tasks:  # a finished store needs no cluster
            return
        with self.cluster.connect() as connection:
            yield from connection.answers(connection.submit(function, tasks))

    def reduce(
        self, function: Map[Task, Answer], combine: Combine[Answer], tasks: Sequence[Task], on_progress: Tell = ignore
    ) -> Answer:
        require_tasks(len(tasks))
        with self.cluster.connect() as connection:
            leaves = connection.submit(function, tasks)
            done: list[None] = []
            for leaf in leaves:
                leaf.add_done_callback(lambda _: done.append(None))
            # Partial results go from worker to worker; only the root comes here.
            tree = [reduce_tree(leaves, connection.combining(combine))]
            del leaf, leaves  # so that a worker frees an answer as soon as it was combined
            root: Answer = next(connection.answers(tree, on_wait=lambda: on_progress(len(done))))
            return root


def dask(scheduler: str | None = None, n_jobs: int | None = None) -> Dask:
    """Return the Dask engine at a scheduler's address, or with `n_jobs` worker processes of this machine."""
    if scheduler is None:
        return Dask(Loopback(n_cores() if n_jobs is None else conform(n_jobs, Count, "jobs")))
    if n_jobs is not None:
        raise InvalidArgument(
            f"jobs = {n_jobs} has no meaning with a scheduler: the workers at {scheduler} do the work; leave jobs out"
        )
    return Dask(Scheduler(scheduler))


def _local_cluster(n_workers: int, folder: str) -> Any:
    """Start a scheduler and workers of this machine, with their files in a folder that only this user can enter."""
    from distributed import LocalCluster

    from kernelbandits.experiments.engines.certificate import make_security

    security = make_security(Path(folder))
    try:
        return LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False},
            dashboard_address="127.0.0.1:0",  # the default is port 8787, even without a dashboard
            memory_limit=0,
            local_directory=folder,
            security=security,
            preload=["kernelbandits.experiments.engines.pickling"],
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise EngineFailed(f"Dask workers cannot start here (their files are in {folder}): {error}") from error


def _connection() -> Any:
    """Import the module that needs dask."""
    try:
        from kernelbandits.experiments.engines import connection
    except ImportError as error:
        raise EngineFailed(
            f"the Dask engine needs extra packages: pip install 'kernelbandits[dask]' ({error})"
        ) from error
    return connection
