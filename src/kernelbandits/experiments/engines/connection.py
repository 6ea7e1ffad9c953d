"""A connection to a Dask scheduler. Everything that can go wrong is raised with a message of one line."""

from __future__ import annotations

import asyncio
import logging
import queue
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, final

import dask
from dask.utils import parse_timedelta
from distributed import Client, Future, KilledWorker, Security, comm

from kernelbandits import __version__
from kernelbandits.errors import EngineFailed, InvalidArgument, KernelBanditsError
from kernelbandits.experiments.engines.pickling import Modules, Pickled, call, call_combine, pickled, same

POLL_SECONDS = 2.0
"""Time between two looks at the workers while no answer comes."""
_START_SECONDS = 300.0  # for worker processes of this machine
_ENCRYPTED = {"tls", "wss"}
_KEPT = "what is finished is kept, the same command goes on from there"

logger = logging.getLogger("kernelbandits.experiments.engines")


@final
@dataclass(frozen=True, slots=True)
class Connection:
    """Submits calls to the workers of a connected client."""

    client: Client
    address: str
    _sources: dict[Modules, Future] = field(default_factory=dict)

    def submit(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Future]:
        """Return the futures of function(task) for all tasks.

        The function is sent once, not with every task: it may hold arrays. All tasks are submitted together, so that
        the scheduler gives a worker its next task when it is free, instead of a share beforehand.
        """
        value, modules = self._pickled(function)
        inputs = [self._pickled(task) for task in tasks]
        name = f"kernelbandits-{uuid.uuid4().hex}"
        futures: list[Future] = self.client.map(
            call,
            [task for task, _ in inputs],
            [needed or modules for _, needed in inputs],
            function=self._submit(same, value),
            modules=modules,
            key=[(name, i) for i in range(len(tasks))],
            pure=False,
        )
        return futures

    def combining(self, combine: Callable[[Any, Any], Any]) -> Callable[[Future, Future], Future]:
        """Return `combine` as a function of futures, evaluated on the workers."""
        value, modules = self._pickled(combine)
        return lambda left, right: self._submit(call_combine, value, modules, left, right)

    def wait_for_workers(self, n_workers: int) -> None:
        """Wait until `n_workers` workers are connected."""
        try:
            self.client.wait_for_workers(n_workers, timeout=_START_SECONDS)
        except TimeoutError as error:
            raise EngineFailed(
                f"not all of {n_workers} worker processes started within {_START_SECONDS:.0f} s; in a script, the call "
                'must be under `if __name__ == "__main__":`'
            ) from error

    def answers(self, futures: Sequence[Future], on_wait: Callable[[], None] = lambda: None) -> Iterator[Any]:
        """Yield the answers as they become ready; a worker frees each answer after it arrived here.

        `on_wait` is called every `POLL_SECONDS` while no answer comes.
        """
        ready: queue.SimpleQueue[Future] = queue.SimpleQueue()
        for future in futures:
            future.add_done_callback(ready.put)
        without_workers = 0
        for _ in range(len(futures)):
            while True:
                try:
                    future = ready.get(timeout=POLL_SECONDS)
                    break
                except queue.Empty:
                    on_wait()
                    without_workers = self._warn_without_workers(without_workers)
            yield self._answer(future)
            future.release()

    def _pickled(self, value: Any) -> tuple[Pickled, Future | Modules]:
        """Pickle a value. Its modules become a task of their own, so that a worker gets them once, not per task."""
        content, modules = pickled(value)
        if modules and modules not in self._sources:
            self._sources[modules] = self._submit(same, modules)
        return content, self._sources[modules] if modules else ()

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        # The key is a pair, which makes the task a group of its own. In a group with others, the function that all
        # tasks need would look like many dependencies, and the scheduler would send every task to the worker with it.
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
            what, where = "it", ", or put it beside the experiment's file"
            if str(error.name).partition(".")[0] == "kernelbandits":
                what, where = f"kernelbandits {__version__}", ""
            raise EngineFailed(
                f"a worker lacks the module {error.name!r}; install {what} on every worker{where}"
            ) from error
        except (CancelledError, OSError, TimeoutError) as error:
            if future.status == "error":  # raised by the task itself
                raise
            raise EngineFailed(f"the scheduler at {self.address} was lost; {_KEPT}") from error

    def _warn_without_workers(self, times: int) -> int:
        """Count looks in a row that found no worker, and warn at the second: the first may have been too early."""
        if self.client.status != "running" or self.client.scheduler_info(n_workers=-1)["workers"]:
            return 0
        if times == 1:
            logger.warning(
                "waiting: the scheduler at %s has no workers; `dask worker %s` starts one", self.address, self.address
            )
        return times + 1


@contextmanager
def connect(address: str, security: Security | None = None) -> Iterator[Connection]:
    """Connect to the scheduler at this address; raise if none answers within the time that Dask's configuration allows.

    The credentials are those of that configuration if none are given.
    """
    security = Security() if security is None else security
    limit = dask.config.get("distributed.comm.timeouts.connect")
    with quiet(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        _check_scheduler(address, security, parse_timedelta(limit))
        with Client(address, timeout=limit, set_as_default=False, security=security) as client:
            yield Connection(client, address)


def warn_if_open(address: str) -> None:
    """Warn that whoever can reach a scheduler without TLS can run code on its workers and in this process."""
    if _scheme(address) not in _ENCRYPTED:
        logger.warning(
            "the scheduler at %s has no TLS: whoever can reach its port can run programs as the users of the workers "
            "and as you, and change results; see `Who may connect` in the documentation",
            address,
        )


def _scheme(address: str) -> str:
    try:
        scheme: str = comm.addressing.parse_address(address)[0]
    except ValueError as error:
        raise _no_address(address, error) from error
    return scheme


def _no_address(address: str, error: Exception) -> InvalidArgument:
    return InvalidArgument(f"scheduler must be an address like tls://HOST:8786; got {address!r} ({error})")


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the log of distributed: what matters is raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _check_scheduler(address: str, security: Security, seconds: float) -> None:
    """Raise if no scheduler answers. A `Client` that cannot connect would report it several times, and late."""
    if _scheme(address) in _ENCRYPTED and security.get_connection_args("client")["ssl_context"] is None:
        raise InvalidArgument(
            f"{address} needs a certificate: set distributed.comm.tls.ca-file, .client.cert and .client.key in Dask's "
            "configuration"
        )
    try:
        with ThreadPoolExecutor(1) as thread:  # in a notebook, this thread has a running event loop
            kind = thread.submit(asyncio.run, _kind_of_server(address, security, seconds)).result()
        if kind != "Scheduler":
            raise OSError("something else answers there")
    except ValueError as error:
        raise _no_address(address, error) from error
    except Exception as error:
        raise EngineFailed(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one with `dask scheduler`, "
            "or leave the scheduler out to use this machine"
        ) from error


async def _kind_of_server(address: str, security: Security, seconds: float) -> object:
    """Ask the server at this address what it is."""
    stream = await comm.connect(address, timeout=seconds, **security.get_connection_args("client"))
    try:
        await stream.write({"op": "identity", "reply": True})
        reply = await asyncio.wait_for(stream.read(), seconds)
    finally:
        stream.abort()
    return reply.get("type") if isinstance(reply, dict) else None
