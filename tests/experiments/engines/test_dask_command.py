"""`kernelbandits run --engine dask` as a process: the same files, one line for what goes wrong, nothing left behind."""

import os
import signal

import pytest
from commands import INTERRUPTED, finished, nothing_runs_in, start, traces_of
from loopback import kill, machines, wait_for

from command import run, run_process
from small import TOML

LONG = TOML.replace("seeds = 3", "seeds = 100").replace("horizon = 120", "horizon = 400")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


def cells(folder):
    return list((folder / "cells").glob("*.npy"))


@pytest.mark.slow  # `test_dask.py` compares bytes, `test_certificate.py` starts workers of this machine
def test_workers_of_this_machine_write_the_same_bytes_and_leave_nothing(file, tmp_path):
    code, _, error = finished(start(file, "--engine", "dask", "--jobs", 1, "--out", "dask", folder=tmp_path))
    assert (code, error) == (0, "")
    assert run("run", str(file), "--jobs", "1", "--out", "here", cwd=tmp_path).returncode == 0
    for name in ("results.parquet", "summary.csv"):
        assert (tmp_path / "dask" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert "Loopback(n_workers=1)" in (tmp_path / "dask" / "provenance.json").read_text(encoding="utf-8")
    assert list((tmp_path / "scratch").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"small.toml", "scratch", "here", "dask"}


def test_an_address_that_leads_nowhere_is_one_line(file, tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    options = ["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--out", "out"]
    done = run_process("run", str(file), *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("kernelbandits: no Dask scheduler answers at tcp://127.0.0.1:1 ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_lost_scheduler_is_one_line_and_the_store_goes_on(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(LONG, encoding="utf-8")
    with machines(tmp_path, n_workers=1) as running:
        process = start(file, "--engine", "dask", "--scheduler", running.address, "--out", "out", folder=tmp_path)
        wait_for(lambda: cells(tmp_path / "out"), process)
        kill(running.scheduler)
        code, out, error = finished(process)
    assert (code, out) == (1, "")
    warning, *lost = error.splitlines()
    assert warning.startswith(f"the scheduler at {running.address} has no TLS: whoever can reach its port can run")
    assert lost == [
        f"kernelbandits: the scheduler at {running.address} was lost; "
        "what is finished is kept, the same command goes on from there"
    ]
    kept = cells(tmp_path / "out")
    assert 0 < len(kept) < 600
    times = {path: path.stat().st_mtime_ns for path in kept}
    for folder in ("out", "whole"):
        assert run("run", str(file), "--seeds", "1", "--jobs", "1", "--out", folder, cwd=tmp_path).returncode == 0
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    assert (tmp_path / "out" / "results.parquet").read_bytes() == (tmp_path / "whole" / "results.parquet").read_bytes()


@pytest.mark.slow
def test_interrupted_in_the_middle_it_leaves_nothing(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(LONG, encoding="utf-8")
    process = start(file, "--engine", "dask", "--jobs", 2, "--out", "out", folder=tmp_path, start_new_session=True)
    wait_for(lambda: cells(tmp_path / "out"), process)
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C goes to every process of the terminal
    code, _, error = finished(process)
    assert (code, error.strip()) == (130, INTERRUPTED)
    nothing_runs_in(tmp_path)
    assert traces_of(tmp_path, [process.pid]) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler needs --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "--jobs has no meaning with"),
        (["--engine", "dask", "--scheduler", "http://x:1"], "scheduler must be an address like tls://HOST:8786"),
        (["--engine", "spark"], "'spark' is not one of 'local', 'dask'"),
    ],
)
def test_wrong_options_are_one_line(file, tmp_path, options, words):
    done = run("run", str(file), *options, "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
