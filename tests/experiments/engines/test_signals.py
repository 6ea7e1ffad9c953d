"""Signals at random moments: the results are the same in the end, and nothing is left behind after the next start."""

import os
import random
import select
import shutil
import signal
import time

import pytest
from commands import INTERRUPTED, finished, nothing_runs_in, start, traces_of

from small import TOML

ENGINES = {"one job": ["--jobs", 1], "two jobs": ["--jobs", 2], "dask": ["--engine", "dask", "--jobs", 2]}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


@pytest.mark.parametrize("n_signals", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_signals_at_random_moments(tmp_path, n_signals):
    (tmp_path / "small.toml").write_text(TOML, encoding="utf-8")
    rng = random.Random(n_signals)
    calm, seconds = undisturbed(tmp_path)
    started = []
    for i in range(n_signals):
        options = list(ENGINES.values())[i % len(ENGINES)]
        process = start("small.toml", *options, "--out", "out", folder=tmp_path, start_new_session=True)
        started.append(process.pid)
        time.sleep(rng.uniform(0.0, 1.5 * seconds))  # any moment will do
        how, to_all = rng.choice(SIGNALS), rng.random() < 0.5
        begun = bool(select.select([process.stdout], [], [], 0)[0])
        if process.poll() is None:
            (os.killpg if to_all else os.kill)(process.pid, how)
        code, _, error = finished(process)
        nothing_runs_in(tmp_path)
        if code == 0:
            assert (tmp_path / "out" / "results.parquet").read_bytes() == calm
            shutil.rmtree(tmp_path / "out")
        elif begun and how == signal.SIGINT:
            # In its very last moments, Python has no handler any more, and ends without a word.
            assert (code, error.strip()) in {(130, INTERRUPTED), (-signal.SIGINT, "")}
    assert undisturbed(tmp_path)[0] == calm
    assert traces_of(tmp_path, started) == []


def undisturbed(folder):
    """Let a run end; returns its results and how long it took."""
    begin = time.monotonic()
    code, _, error = finished(start("small.toml", "--jobs", 1, "--out", "out", folder=folder))
    seconds = time.monotonic() - begin
    assert (code, error) == (0, "")
    results = (folder / "out" / "results.parquet").read_bytes()
    assert traces_of(folder, []) == []
    shutil.rmtree(folder / "out")
    return results, seconds
