"""Worker processes of this machine, interrupted or orphaned while they start: one line, and nothing stays."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import psutil
import pytest
from commands import INTERRUPTED, finished, nothing_runs_in, processes_of, start, traces_of
from loopback import wait_for

from kernelbandits.experiments import Processes
from kernelbandits.experiments.engines.workers import _LOOK_SECONDS, undisturbed, without_interrupts
from small import TOML

STARTING = {  # how many processes there are when the first worker has been started
    "jobs": (["--jobs", 2], 4),  # the command, two helpers of joblib, a worker
    "dask": (["--engine", "dask", "--jobs", 2], 3),  # the command, a helper of Python, a worker
}


@pytest.fixture
def starting(tmp_path, request):
    """A command whose workers have been started and have not done anything yet."""
    options, n_processes = STARTING[request.param]
    (tmp_path / "small.toml").write_text(TOML, encoding="utf-8")
    process = start("small.toml", *options, "--out", "out", folder=tmp_path, start_new_session=True)
    wait_for(lambda: len(processes_of(tmp_path)) >= n_processes, process)
    return process


@pytest.mark.parametrize("starting", ["jobs", pytest.param("dask", marks=pytest.mark.slow)], indirect=True)
def test_interrupted_while_workers_start(starting, tmp_path):
    os.killpg(starting.pid, signal.SIGINT)
    code, out, error = finished(starting)
    assert (code, out, error.strip()) == (130, "", INTERRUPTED)
    nothing_runs_in(tmp_path)
    assert traces_of(tmp_path, [starting.pid]) == []


@pytest.mark.parametrize("starting", ["jobs", pytest.param("dask", marks=pytest.mark.slow)], indirect=True)
def test_killed_while_workers_start(starting, tmp_path):
    os.kill(starting.pid, signal.SIGKILL)
    starting.communicate()
    nothing_runs_in(tmp_path)


WORKER = """
import os, time
from multiprocessing import get_context
from kernelbandits.experiments import Processes
from kernelbandits.experiments.engines.workers import parent_of_workers, serve

def work(parent, pipe):
    serve(parent, pipe, {})
    print(os.getpid(), flush=True)
    while True:
        time.sleep(1.0)

if __name__ == "__main__":
    get_context("spawn").Process(target=work, args=parent_of_workers()).start()
    time.sleep(3600.0)
"""


def test_a_worker_serves_its_parent_and_no_longer(tmp_path):
    """It goes on while the parent lives, and ends when it is killed, whatever the worker does at the moment."""
    (tmp_path / "parent.py").write_text(WORKER, encoding="utf-8")
    command = [sys.executable, "parent.py"]
    scratch = os.environ | {"TMPDIR": str(tmp_path / "scratch")}
    process = subprocess.Popen(command, cwd=tmp_path, env=scratch, stdout=subprocess.PIPE, text=True)
    worker = psutil.Process(int(process.stdout.readline()))
    with pytest.raises(psutil.TimeoutExpired):  # longer than a worker waits between two looks at its parent
        worker.wait(1.5 * _LOOK_SECONDS)
    process.kill()
    process.communicate()
    nothing_runs_in(tmp_path)


@pytest.mark.parametrize("interrupt", [lambda: signal.raise_signal(signal.SIGINT), lambda: os.kill(os.getpid(), 2)])
def test_an_interrupt_comes_after_the_block(interrupt):
    handler, done = signal.getsignal(signal.SIGINT), []

    def work():
        with without_interrupts():
            interrupt()
            done.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [{signal.SIGINT}]
    assert signal.getsignal(signal.SIGINT) == handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_is_interrupted_while_it_opens_is_closed_first():
    heard = []

    @contextmanager
    def slow():
        os.kill(os.getpid(), signal.SIGINT)
        heard.append("opened")
        yield
        heard.append("closed")

    def work():
        with undisturbed(slow()):
            heard.append("used")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert heard == ["opened", "closed"]


def test_only_the_thread_of_the_workers_is_silenced_when_they_are_left(monkeypatch):
    shown = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: shown.append(failed.thread.name))
    answers = Processes(2).map(abs, [-1, -2, -3])
    assert next(answers) in (1, 2, 3)
    answers.close()
    for name in ("ExecutorManagerThread", "mine"):
        thread = threading.Thread(target=lambda: 1 / 0, name=name)
        thread.start()
        thread.join()
    assert shown == ["mine"]
