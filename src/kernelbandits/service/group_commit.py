"""Group commit: requests of the same few milliseconds share one transaction, and are answered when it is on disk."""

import asyncio
import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, final

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.metrics import Counts, Metrics
from kernelbandits.service.storage import Busy, Database, StorageUnavailable, Transaction

_log = logging.getLogger(__name__)
T = TypeVar("T")
Operation = Callable[[Transaction, Counts], Any]
Waiting = tuple[Operation, "asyncio.Future[Any]"]

_MOST = 256  # operations in one transaction
_LIMIT = 20_000  # operations that may wait; more are refused, so that a slow disk does not fill the memory
_QUICK = 0.001  # seconds, beside 50 microseconds per operation, up to which the event loop may wait for the disk
_MEASURED_EVERY = 0.5  # seconds


@final
class GroupCommit:
    """Writes what the event loop hands it, all that is waiting at once; there is nothing to tune.

    If the disk is quick and no other process writes, the event loop does it itself, after the requests that have come
    are decided: no thread has to be woken. Otherwise a thread waits, while further operations are decided and gather.
    An operation that raises one of the library's errors has changed nothing, and only its caller hears of it. If the
    database fails, all operations of the transaction are undone and their callers told.
    """

    def __init__(self, database: Database, metrics: Metrics, loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._metrics = metrics
        self._loop = loop
        self._waiting: deque[Waiting] = deque()
        self._scheduled = False
        self._wake = threading.Condition()
        self._thread_works = False
        self._ending = False
        self._measured_at = 0.0
        self._excess = 0.0  # seconds that a transaction takes too long, on average
        self._thread = threading.Thread(target=self._run, name="group-commit", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[Transaction, Counts], T]) -> asyncio.Future[T]:
        """Hand over an operation; its answer is there when the operation is on disk."""
        future: asyncio.Future[T] = self._loop.create_future()
        self.add(operation, future)
        return future

    def add(self, operation: Operation, future: asyncio.Future[Any]) -> None:
        """`submit` for a future that is there already; nothing is written if it was cancelled."""
        if future.cancelled():
            return
        if len(self._waiting) >= _LIMIT:
            future.set_exception(StorageUnavailable(f"{_LIMIT:,} writes are waiting already; try again later"))
            return
        self._waiting.append((operation, future))
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self.flush)

    def close(self) -> None:
        """Write what is waiting, and end."""
        with self._wake:
            self._ending = True
            self._wake.notify()
        self._thread.join()
        self._database.close()

    def flush(self) -> None:
        """Write what is waiting in the event loop, or let the thread do it if that means waiting."""
        self._scheduled = False
        with self._wake:  # the thread ends its work under the same lock, so that nothing is left behind
            if self._thread_works or not self._waiting:
                return
        if self._excess <= 0.0:
            batch = self._taken()
            try:
                answers = self._committed(batch, wait=False)
            except Busy:
                self._waiting.extendleft(reversed(batch))
            else:
                _resolve(batch, answers)
                if self._waiting:
                    self._scheduled = True
                    self._loop.call_soon(self.flush)
                return
        with self._wake:
            self._thread_works = True
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._thread_works and not self._ending:
                    self._wake.wait()
                batch = self._taken()
                if not batch:
                    self._thread_works = False
                    if self._ending:
                        return
                    continue
            answers = self._committed(batch, wait=True)
            try:
                self._loop.call_soon_threadsafe(_resolve, batch, answers)
            except RuntimeError:  # the loop is closed: nobody waits for the answers
                return

    def _taken(self) -> list[Waiting]:
        return [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST))]

    def _committed(self, batch: list[Waiting], *, wait: bool) -> list[Any]:
        """The answer, or the error, of each operation."""
        measured, began = self._measured(), time.perf_counter()
        try:
            with self._database.write(wait=wait) as tx:
                counts: Counts = defaultdict(float)
                answers = [_carried_out(operation, tx, counts) for operation, _ in batch]
                self._metrics.write(tx, measured, counts)
        except Busy:
            self._metrics.put_back(measured)
            raise
        except StorageUnavailable as error:
            self._metrics.put_back(measured)
            _log.warning("%d requests could not be written: %s", len(batch), error)
            return [error] * len(batch)
        except Exception as error:
            self._metrics.put_back(measured)
            _log.exception("writing failed")
            return [StorageUnavailable(f"writing failed ({type(error).__name__})")] * len(batch)
        excess = time.perf_counter() - began - _QUICK - 5e-5 * len(batch)
        self._excess += 0.2 * (excess - self._excess)
        return answers

    def _measured(self) -> Mapping[str, float]:
        """What was measured, if it was not written a moment ago."""
        now = time.monotonic()
        if now - self._measured_at < _MEASURED_EVERY:
            return {}
        self._measured_at = now
        return self._metrics.drain()


def _carried_out(operation: Operation, tx: Transaction, counts: Counts) -> Any:
    try:
        return operation(tx, counts)
    except StorageUnavailable:
        raise
    except KernelBanditsError as error:
        return error


def _resolve(batch: list[Waiting], answers: list[Any]) -> None:
    for (_, future), answer in zip(batch, answers, strict=True):
        if future.cancelled():
            continue
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)
