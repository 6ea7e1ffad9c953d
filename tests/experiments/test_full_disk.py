"""No room for a file: one line, an exit code, and everything that was written before stays as it was."""

import contextlib
import errno
import os

import pytest

from command import run

resource = pytest.importorskip("resource")
COMMAND = ("run", "small.toml", "--horizon", "60", "--jobs", "1", "--out", "out")
TOO_LARGE = os.strerror(errno.EFBIG)


@contextlib.contextmanager
def largest_file(size):
    """Let the system refuse every byte of a file beyond this size, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def folder(small_file, tmp_path):
    assert run(*COMMAND, "--seeds", "1", cwd=tmp_path).returncode == 0
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("size", "n_cells", "name"),
    [(500, 6, "cells/"), (5_000, 12, "results.parquet"), (30_000, 12, "small.svg")],
    ids=["cell", "results", "picture"],
)
def test_a_full_disk_is_one_line_and_costs_nothing(folder, size, n_cells, name):
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    with largest_file(size):
        failed = run(*COMMAND, "--seeds", "2", cwd=folder.parent)
    assert failed.returncode == 1
    [line] = failed.stderr.splitlines()
    assert line.startswith("kernelbandits: cannot write ")
    assert TOO_LARGE in line
    assert name in line
    assert list(folder.rglob("*.part")) == []
    assert len(list(folder.glob("cells/*.npy"))) == n_cells
    refused = {path for path in before if path.stat().st_size > size}
    assert all(path.read_bytes() == before[path] for path in refused), "not replaced by half a file"
    again = run(*COMMAND, "--seeds", "2", cwd=folder.parent)
    assert (again.returncode, again.stderr) == (0, "")
