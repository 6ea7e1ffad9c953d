"""`kill -9` at any moment, then the same command: nothing is lost, nothing is wrong."""

import os
import random
import signal
import subprocess
import sys
import time

import polars as pl
from small import TOML

RUN = [sys.executable, "-c", "from kernelbandits.cli import main; main()", "run"]
KILLS = 20


def test_killed_twenty_times_and_still_the_same(tmp_path):
    file = tmp_path / "killed.toml"
    file.write_text(
        TOML.replace("seeds = 3", "seeds = 30").replace("horizon = 120", "horizon = 1500"), encoding="utf-8"
    )
    disturbed, calm = tmp_path / "disturbed", tmp_path / "calm"
    chance = random.Random(7)
    n_killed, cells = 0, []
    for _ in range(KILLS):
        process = subprocess.Popen(
            [*RUN, str(file), "--out", str(disturbed), "--jobs", "2"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if not cells:  # the first time, wait until there is something to lose
            _wait_for(lambda: list((disturbed / "cells").glob("*.npy")), process)
        time.sleep(chance.uniform(0.0, 2.5))
        n_killed += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL) if chance.random() < 0.5 else os.kill(process.pid, signal.SIGKILL)
        process.wait()
        cells.append(len(list((disturbed / "cells").glob("*.npy"))))
    assert n_killed == KILLS, "the experiment is too short for this test"
    assert cells[0] < cells[-1], "no cell was finished between the kills"
    subprocess.run([*RUN, str(file), "--out", str(disturbed), "--jobs", "2"], check=True, capture_output=True)
    subprocess.run([*RUN, str(file), "--out", str(calm), "--jobs", "2"], check=True, capture_output=True)
    assert pl.read_parquet(disturbed / "results.parquet").equals(pl.read_parquet(calm / "results.parquet"))
    assert (disturbed / "results.parquet").read_bytes() == (calm / "results.parquet").read_bytes()
    assert (disturbed / "summary.csv").read_bytes() == (calm / "summary.csv").read_bytes()


def _wait_for(condition, process):
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < end, "nothing happened for a minute"
        time.sleep(0.02)
