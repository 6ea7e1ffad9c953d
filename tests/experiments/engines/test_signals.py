"""Signals at random moments: the results are the same in the end, and nothing is left behind after the next start."""

import contextlib
import os
import random
import select
import shutil
import signal
import time

import psutil
import pytest
from commands import INTERRUPTED, finished, nothing_runs_in, start, traces_of

from small import TOML

ENGINES = (["--jobs", 1], ["--jobs", 2], ["--engine", "dask", "--jobs", 2])
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


@pytest.mark.slow  # single signals at known moments are in test_workers, test_dask_command and test_killed
@pytest.mark.parametrize("n_signals", [3, 200])
def test_signals_at_random_moments(tmp_path, n_signals):
    (tmp_path / "small.toml").write_text(TOML, encoding="utf-8")
    rng = random.Random(n_signals)
    calm = undisturbed(tmp_path)
    started, n_sent, spans = [], 0, [2.0, 4.0, 5.0]
    while n_sent < n_signals:
        which = n_sent % len(ENGINES)
        process = start("small.toml", *ENGINES[which], "--out", "out", folder=tmp_path, start_new_session=True)
        started.append(process.pid)
        wait_for_work(process, rng.uniform(0.0, spans[which]))
        how, to_all = rng.choice(SIGNALS), rng.random() < 0.5
        begun = bool(select.select([process.stdout], [], [], 0)[0])
        if process.poll() is None:
            (os.killpg if to_all else os.kill)(process.pid, how)
            n_sent += 1
        else:
            spans[which] *= 0.8  # it had already ended: take an earlier moment next time
        code, _, error = finished(process)
        nothing_runs_in(tmp_path)
        if code == 0:
            assert (tmp_path / "out" / "results.parquet").read_bytes() == calm
            shutil.rmtree(tmp_path / "out")
        elif begun and how == signal.SIGINT:
            # In its very last moments, Python has no handler any more, and ends without a word.
            assert (code, error.strip()) in {(130, INTERRUPTED), (-signal.SIGINT, "")}
    assert undisturbed(tmp_path) == calm
    assert traces_of(tmp_path, started) == []


def wait_for_work(process, seconds):
    """Wait until a process and its children have used so many seconds of the processor, or have ended."""
    used = 0.0
    with contextlib.suppress(psutil.Error):
        whole = psutil.Process(process.pid)
        while process.poll() is None and used < seconds:
            used = max(used, sum(sum(each.cpu_times()[:2]) for each in (whole, *whole.children(recursive=True))))
            time.sleep(0.01)


def undisturbed(folder):
    """Let a run end; returns its results."""
    code, _, error = finished(start("small.toml", "--jobs", 1, "--out", "out", folder=folder))
    assert (code, error) == (0, "")
    results = (folder / "out" / "results.parquet").read_bytes()
    assert traces_of(folder, []) == []
    shutil.rmtree(folder / "out")
    return results
