"""Runs from another kind of processor are not mixed with those of this one. OpenBLAS can be told to take another."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.experiments import InProcess, provenance
from kernelbandits.experiments.store import fingerprint, installation

PLAY = """
import json, logging, sys
import kernelbandits as kb
from kernelbandits.experiments import InProcess
from kernelbandits.experiments.store import installation
logging.basicConfig(level="WARNING", format="%(message)s")
experiment = kb.load_experiment("small.toml")
mixed, own = (kb.run(experiment, folder, InProcess()).frame for folder in ("mixed", "own"))
print(json.dumps([installation().machine, mixed.equals(own), own["arm"].to_list(), own["regret"].to_list()]))
"""


OLD = {"x86_64": "Prescott", "AMD64": "Prescott", "aarch64": "ARMV8"}


def test_runs_of_another_kind_of_processor_are_computed_again_and_both_are_kept(small, tmp_path, caplog):
    here = kb.run(small, tmp_path / "here", InProcess()).frame
    kb.run(small.only(("EtC",)), tmp_path / "mixed", InProcess())
    before = {path: path.read_bytes() for path in (tmp_path / "mixed" / "cells").iterdir()}
    old = {**os.environ, "OPENBLAS_CORETYPE": OLD.get(platform.machine(), "")}
    there = subprocess.run(
        [sys.executable, "-c", PLAY], cwd=tmp_path, env=old, capture_output=True, text=True, check=True
    )
    kind, same, arms, regrets = json.loads(there.stdout)
    if kind == installation().machine:
        pytest.skip(f"this BLAS cannot be told to be another: {kind}")
    assert same, "what was there has no influence"
    assert there.stderr.splitlines() == [
        f"6 of the runs kept in {tmp_path / 'mixed' / 'cells'} come from another kind of processor, or another numpy, "
        "scipy or BLAS, and may differ in their last bits; these are computed again, and both are kept"
    ]
    assert np.array_equal(here["arm"], arms)
    np.testing.assert_allclose(here["regret"], regrets, rtol=0, atol=1e-12)
    assert {path: path.read_bytes() for path in before} == before
    caplog.clear()
    assert kb.run(small, tmp_path / "mixed", InProcess()).frame.equals(here)
    assert "12 of the runs kept in" in caplog.text


def test_the_provenance_has_the_kind_of_processor():
    machine = provenance({}, 1.0, InProcess())["machine"]
    assert {"system", "processor", "simd", "blas"} == set(machine)
    assert machine["processor"]


def test_a_fingerprint_has_two_parts():
    what, how = fingerprint(kb.Synthetic(kb.LowRank(), dim=3), kb.Uniform(), 10, 0).split("-")
    assert (len(what), how) == (32, installation().arithmetic)
