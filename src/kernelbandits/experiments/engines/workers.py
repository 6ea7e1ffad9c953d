"""What worker processes of this machine have in common: they end with their parent, and Ctrl-C is for it alone."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from multiprocessing import Pipe, connection, resource_tracker
from types import FrameType, ModuleType
from typing import TypeVar

from kernelbandits.user_modules import find_modules

T = TypeVar("T")

_LOOK_SECONDS = 1.0
_SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def without_interrupts(tracker: ModuleType = resource_tracker) -> Iterator[None]:
    """Hold back Ctrl-C until the block ends. Processes that this thread starts meanwhile never receive it.

    Without this, a worker that has just been started would be interrupted too, and show where. `tracker` is joblib's
    own copy of Python's resource tracker if joblib starts the processes. They do not import from the current folder
    either, which Python would do first: a stranger's experiment may lie there beside a `joblib.py`.
    """
    with _delayed_interrupts(), _without_current_folder():
        for each in (resource_tracker, tracker):
            _start(each)
        with _blocked_interrupts():
            yield


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Let Python processes that are started in the block leave the current folder out of `sys.path`."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _start(tracker: ModuleType) -> None:
    """Start the process that removes the semaphores of this one, if it does not run yet.

    Started when it is needed, it would let Ctrl-C through. It would also warn of what killed workers have left, which
    need not concern the user: it is there to remove that.
    """
    options = sys.warnoptions.copy()
    try:
        sys.warnoptions[:] = ["ignore"]  # these are handed on
        tracker.ensure_running()
    finally:
        sys.warnoptions[:] = options


@contextmanager
def _delayed_interrupts() -> Iterator[None]:
    """Call the handler of Ctrl-C after the block instead of in it."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # only the main thread is interrupted
        return
    caught: list[tuple[int, FrameType | None]] = []
    try:
        signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if caught:
            handler(*caught[0])


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this thread, which the threads and processes that it starts inherit."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: `ignore_interrupts` comes a little later
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def undisturbed(manager: AbstractContextManager[T]) -> Iterator[T]:
    """Enter and leave a context manager without a Ctrl-C in between: it is raised after the manager has been left."""
    stack = ExitStack()
    with ThreadPoolExecutor(1) as thread:
        try:
            with without_interrupts():
                entered = thread.submit(stack.enter_context, manager)
            yield _finished(entered)
        finally:
            with without_interrupts():
                left = thread.submit(stack.close)
            _finished(left)


def _finished(call: Future[T]) -> T:
    try:
        return call.result()
    except KeyboardInterrupt:
        wait([call])
        raise


def parent_of_workers() -> tuple[int, connection.Connection]:
    """Return what a worker needs for `serve`: the id of this process, and a pipe that is closed when it ends."""
    theirs, _ = _pipe_of(os.getpid())
    return os.getpid(), theirs


@cache
def _pipe_of(process: int) -> tuple[connection.Connection, connection.Connection]:
    """Both ends, which stay open as long as this process lives."""
    return Pipe(duplex=False)


def serve(parent: int, pipe: connection.Connection, modules: Mapping[str, str]) -> None:
    """Tie this worker process to its parent, from its start, and let it find the user's modules in their folders."""
    ignore_interrupts()
    find_modules(modules)
    threading.Thread(target=_exit_with_parent, args=(parent, pipe), daemon=True).start()


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker process: the process that started it receives it too, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _exit_with_parent(parent: int, pipe: connection.Connection) -> None:
    """End this process when its parent is gone, even if the parent was killed before this process could look.

    The pipe tells at once and on every system; a fork of the parent would keep it open, so the parent's id counts too.
    """
    while os.getppid() == parent and not connection.wait([pipe], _LOOK_SECONDS):
        pass
    os._exit(1)
