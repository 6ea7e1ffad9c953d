"""Group commit: requests of the same few milliseconds share one transaction, and are answered when it is on disk."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar, final

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.metrics import Metrics
from kernelbandits.service.storage import Database, StorageUnavailable, Transaction

_log = logging.getLogger(__name__)
T = TypeVar("T")
Counts = dict[str, float]
Operation = Callable[[Transaction, Counts], Any]

_MOST = 256
"""Operations in one transaction."""

_WAITING = 20_000
"""Operations that may wait; more are refused, so that a slow disk does not fill the memory."""


@final
class GroupCommit:
    """One thread that writes what the event loop hands it.

    While a transaction is being made durable, the next operations gather; there is nothing to tune. An operation that
    raises one of the library's errors has changed nothing, and only its caller hears of it. If the database fails,
    all operations of the transaction are undone and their callers told.
    """

    def __init__(self, database: Database, metrics: Metrics, loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._metrics = metrics
        self._loop = loop
        self._waiting: deque[tuple[Operation, asyncio.Future[Any]]] = deque()
        self._wake = threading.Condition()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="group-commit", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[Transaction, Counts], T]) -> asyncio.Future[T]:
        """Hand over an operation; its answer is there when the operation is on disk."""
        future: asyncio.Future[T] = self._loop.create_future()
        if len(self._waiting) >= _WAITING:
            future.set_exception(StorageUnavailable(f"{_WAITING:,} writes are waiting already; try again later"))
            return future
        with self._wake:
            self._waiting.append((operation, future))
            self._wake.notify()
        return future

    def close(self) -> None:
        """Write what is waiting, and end."""
        with self._wake:
            self._ending = True
            self._wake.notify()
        self._thread.join()
        self._database.close()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._waiting and not self._ending:
                    self._wake.wait()
                batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST))]
                if not batch and self._ending:
                    return
            answers = self._committed([operation for operation, _ in batch])
            futures = [future for _, future in batch]
            try:
                self._loop.call_soon_threadsafe(_resolve, futures, answers)
            except RuntimeError:  # the loop is closed: nobody waits for the answers
                return

    def _committed(self, operations: list[Operation]) -> list[Any]:
        """The answer, or the error, of each operation."""
        measured = self._metrics.drain()
        try:
            with self._database.write() as tx:
                counts: Counts = {}
                answers = [_carried_out(operation, tx, counts) for operation in operations]
                self._metrics.write(tx, measured, counts)
        except StorageUnavailable as error:
            self._metrics.put_back(measured)
            _log.warning("%d requests could not be written: %s", len(operations), error)
            return [error] * len(operations)
        except Exception as error:
            self._metrics.put_back(measured)
            _log.exception("writing failed")
            return [StorageUnavailable(f"writing failed ({type(error).__name__})")] * len(operations)
        return answers


def _carried_out(operation: Operation, tx: Transaction, counts: Counts) -> Any:
    try:
        return operation(tx, counts)
    except StorageUnavailable:
        raise
    except KernelBanditsError as error:
        return error


def _resolve(futures: list[asyncio.Future[Any]], answers: list[Any]) -> None:
    for future, answer in zip(futures, answers, strict=True):
        if future.cancelled():
            continue
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)
