"""`kill -9` after any number of finished runs, then the same command: nothing is lost, nothing is wrong."""

import os
import random
import signal
import subprocess
import sys

import polars as pl
import pytest
from loopback import wait_for

from command import run
from small import TOML

RUN = [sys.executable, "-c", "from kernelbandits.cli import main; main()", "run"]
GATE = """
import os, time
from dataclasses import dataclass
from pathlib import Path
import numpy as np
import kernelbandits as kb

@dataclass(frozen=True, slots=True)
class Gaussian(kb.RadialKernel):
    gamma: float = 1.0
    def profile(self, t, order=0):
        while len(list(Path("disturbed/cells").glob("*.npy"))) >= int(Path("limit").read_text()):
            time.sleep(0.02)  # so that no run ends before it is killed
        return (-self.gamma) ** order * np.exp(-self.gamma * t)
"""


@pytest.mark.parametrize("n_kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_several_times_and_still_the_same(tmp_path, n_kills):
    experiment = TOML.replace('type = "Gaussian"', 'type = "gate:Gaussian"').replace("seeds = 3", f"seeds = {n_kills}")
    (tmp_path / "killed.toml").write_text(experiment, encoding="utf-8")
    (tmp_path / "gate.py").write_text(GATE, encoding="utf-8")
    rng = random.Random(7)
    for kill in (os.killpg, os.kill) * (n_kills // 2):  # with its workers, and without
        n_before = n_cells(tmp_path)
        limit(tmp_path, n_before + rng.randint(1, 3))
        process = subprocess.Popen(
            [*RUN, "killed.toml", "--out", "disturbed", "--jobs", "2"],
            cwd=tmp_path,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(lambda n_before=n_before: n_cells(tmp_path) > n_before, process)
        kill(process.pid, signal.SIGKILL)
        process.wait()
    assert n_cells(tmp_path) < 6 * n_kills
    limit(tmp_path, 10**6)
    subprocess.run([*RUN, "killed.toml", "--out", "disturbed", "--jobs", "1"], cwd=tmp_path, check=True)
    (tmp_path / "calm.toml").write_text(experiment.replace("gate:Gaussian", "Gaussian"), encoding="utf-8")
    assert run("run", "calm.toml", "--out", "calm", "--jobs", "1", cwd=tmp_path).returncode == 0
    disturbed, calm = tmp_path / "disturbed", tmp_path / "calm"
    assert pl.read_parquet(disturbed / "results.parquet").equals(pl.read_parquet(calm / "results.parquet"))
    assert (disturbed / "results.parquet").read_bytes() == (calm / "results.parquet").read_bytes()
    assert (disturbed / "summary.csv").read_bytes() == (calm / "summary.csv").read_bytes()


def n_cells(folder):
    return len(list((folder / "disturbed" / "cells").glob("*.npy")))


def limit(folder, n):
    """Let runs go on until so many cells are finished; workers of a killed process may be reading."""
    (folder / "new-limit").write_text(str(n), encoding="utf-8")
    (folder / "new-limit").replace(folder / "limit")
