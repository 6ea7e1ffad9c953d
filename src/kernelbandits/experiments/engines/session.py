"""A connection to a Dask scheduler: tasks out, answers back, and one clear line for everything that can go wrong."""

from __future__ import annotations

import asyncio
import logging
import queue
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import dask
from distributed import Client, Future, KilledWorker, Security, get_worker
from distributed.comm import connect
from threadpoolctl import threadpool_limits

from kernelbandits import __version__
from kernelbandits.errors import EngineFailed, InvalidArgument, KernelBanditsError
from kernelbandits.experiments.engines.parcels import Modules, Parcel, pack

PATIENCE = 5.0
"""Seconds to reach a scheduler."""
_GLANCE = 2.0  # seconds between looks at the workers while no answer comes
_START = 60.0  # seconds for worker processes of this machine
_KEPT = "what is finished is kept, the same command goes on from there"

logger = logging.getLogger("kernelbandits.experiments.engines")


@final
@dataclass(frozen=True, slots=True)
class Session:
    """Calls on the workers of a connected client."""

    client: Client
    address: str
    _sources: dict[Modules, Future] = field(default_factory=dict)

    def calls(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Future]:
        """The futures of function(task) for all tasks.

        The function travels once, not with every task: it may hold arrays. All tasks are handed over together, so that
        the scheduler sees how many there are and gives a worker the next one when it is free, not a share beforehand.
        """
        parcel, modules = self._packed(function)
        packed = [self._packed(task) for task in tasks]
        name = f"kernelbandits-{uuid.uuid4().hex}"
        futures: list[Future] = self.client.map(
            _call,
            [content for content, _ in packed],
            [needed or modules for _, needed in packed],
            function=self._submit(_same, parcel),
            modules=modules,
            key=[(name, i) for i in range(len(tasks))],
            pure=False,
        )
        return futures

    def joining(self, combine: Callable[[Any, Any], Any]) -> Callable[[Future, Future], Future]:
        """`combine` for futures: made where the answers are."""
        parcel, modules = self._packed(combine)
        return lambda left, right: self._submit(_combine, parcel, modules, left, right)

    def wait_for(self, n_workers: int) -> None:
        """Wait until so many workers are there."""
        try:
            self.client.wait_for_workers(n_workers, timeout=_START)
        except TimeoutError as error:
            raise EngineFailed(
                f"of {n_workers} worker processes some did not start within {_START:.0f} s; in a script, the call must "
                'stand under `if __name__ == "__main__":`'
            ) from error

    def counted(self, futures: list[Future]) -> tuple[list[Future], Callable[[], int]]:
        """The futures, and a function that tells how many of them are done without keeping them."""
        done: list[None] = []
        for future in futures:
            future.add_done_callback(lambda _: done.append(None))
        return futures, lambda: len(done)

    def answers(self, futures: Sequence[Future], meanwhile: Callable[[], None] = lambda: None) -> Iterator[Any]:
        """The answers as they are ready; each is let go on the workers once it is here.

        `meanwhile` is called every two seconds of waiting.
        """
        ready: queue.SimpleQueue[Future] = queue.SimpleQueue()
        for future in futures:
            future.add_done_callback(ready.put)
        alone = 0
        for _ in range(len(futures)):
            while True:
                try:
                    future = ready.get(timeout=_GLANCE)
                    break
                except queue.Empty:
                    meanwhile()
                    alone = self._say_if_alone(alone)
            yield self._answer(future)
            future.release()

    def _packed(self, value: Any) -> tuple[Parcel, Future | Modules]:
        """A parcel and its modules. Those are a task of their own, so that a worker gets them once and not per task."""
        parcel, modules = pack(value)
        if modules and modules not in self._sources:
            self._sources[modules] = self._submit(_same, modules)
        return parcel, self._sources[modules] if modules else ()

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        # A pair is a group by itself. In a group with others, the function that all tasks wait for would look like many
        # dependencies to the scheduler, which then sends the tasks to the worker that has it and leaves the rest idle.
        return self.client.submit(function, *arguments, key=(f"kernelbandits-{uuid.uuid4().hex}", 0), pure=False)

    def _answer(self, future: Future) -> Any:
        try:
            return future.result()
        except KernelBanditsError:
            raise
        except KilledWorker as error:
            raise EngineFailed(
                f"a task was given up: its worker died {error.allowed_failures + 1} times, the last one at "
                f"{error.last_worker.address}; memory may be short there; {_KEPT}"
            ) from error
        except ModuleNotFoundError as error:
            raise EngineFailed(_missing(error)) from error
        except (CancelledError, OSError, TimeoutError) as error:
            if future.status == "error":  # the task's own
                raise
            raise EngineFailed(f"the scheduler at {self.address} was lost; {_KEPT}") from error

    def _say_if_alone(self, times: int) -> int:
        """How many looks in a row found no worker; the second one says so, as the first may have come too early."""
        if self.client.status != "running" or self.client.scheduler_info(n_workers=-1)["workers"]:
            return 0
        if times == 1:
            logger.warning(
                "waiting: the scheduler at %s has no workers; `dask worker %s` starts one", self.address, self.address
            )
        return times + 1


@contextmanager
def connected(address: str) -> Iterator[Session]:
    """A session with the scheduler at this address; refused within seconds if there is none."""
    with quiet(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        _knock(address)
        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            yield Session(client, address)


@contextmanager
def quiet() -> Iterator[None]:
    """Without distributed's own log lines: what matters is raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _knock(address: str) -> None:
    """Raise if no scheduler answers. A `Client` that fails to connect would say so several times, and late."""

    async def knock() -> None:
        comm = await connect(address, timeout=PATIENCE, **Security().get_connection_args("client"))
        try:
            await comm.write({"op": "identity", "reply": True})
            reply = await asyncio.wait_for(comm.read(), PATIENCE)
        finally:
            comm.abort()
        if not isinstance(reply, dict) or reply.get("type") != "Scheduler":
            raise OSError("something else answers there")

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop running in this one
            thread.submit(asyncio.run, knock()).result()
    except ValueError as error:
        raise InvalidArgument(
            f"scheduler must be an address like tcp://HOST:8786; got {address!r} ({error})"
        ) from error
    except Exception as error:
        raise EngineFailed(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one with `dask scheduler`, "
            "or leave the scheduler out to use this machine"
        ) from error


def _same(value: Any) -> Any:
    return value


def _call(task: Parcel, needed: Modules, function: Parcel, modules: Modules) -> Any:
    return _opened(function, modules)(_opened(task, needed))


def _combine(parcel: Parcel, modules: Modules, left: Any, right: Any) -> Any:
    return _opened(parcel, modules)(left, right)


def _opened(parcel: Parcel, modules: Modules) -> Any:
    value = parcel.open(modules, Path(get_worker().local_directory))
    # For good: a worker may have several threads, and one that leaves a `with` block would free the others' BLAS.
    threadpool_limits(1)
    return value


def _missing(error: ModuleNotFoundError) -> str:
    if str(error.name).partition(".")[0] == "kernelbandits":
        return (
            f"a worker does not have this version of the library; install kernelbandits {__version__} on every worker"
        )
    return (
        f"a worker lacks the module {error.name!r}; install it on every worker, or put it beside the experiment's file"
    )
