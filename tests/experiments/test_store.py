"""The store of finished runs."""

import threading
from dataclasses import replace

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidFile
from kernelbandits.experiments.store import ROW, Store
from kernelbandits.reporting import remove_abandoned

PANEL = kb.Panel("a", kb.Synthetic(kb.LowRank(), dim=3), {"Uniform": kb.Uniform()})
CELL = next(kb.Experiment("stored", (PANEL,), horizon=7, seeds=(0,)).cells())
ROWS = np.array([(i, i / 3) for i in range(7)], dtype=ROW)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "out" / "cells")
    made.cells.mkdir(parents=True)
    return made


def test_what_is_saved_is_loaded_and_numpy_can_read_it(store):
    with pytest.raises(FileNotFoundError, match=r"^\w{32}-\w{8}\.npy is not in .*cells$"):
        store.load(CELL)
    store.save(CELL.fingerprint, ROWS)
    [path] = store.cells.iterdir()
    assert np.array_equal(store.load(CELL), ROWS)
    assert np.array_equal(np.load(path), ROWS)


def test_a_cell_belongs_to_its_fingerprint_and_length(store):
    other = replace(CELL, fingerprint=CELL.fingerprint[::-1])
    store.save(CELL.fingerprint, ROWS)
    [path] = store.cells.iterdir()
    path.rename(path.with_stem(other.fingerprint))
    with pytest.raises(InvalidFile, match="does not match its digest"):
        store.load(other)
    store.save(CELL.fingerprint, ROWS)
    with pytest.raises(InvalidFile, match=r"has \d+ bytes instead of \d+"):
        store.load(replace(CELL, horizon=8))


@pytest.mark.parametrize("n_cells", [50, pytest.param(5000, marks=pytest.mark.slow)])
def test_runs_that_start_and_runs_that_save_share_a_folder(store, n_cells):
    """What a run that starts takes for abandoned must not be what another is writing."""
    errors, ended = [], threading.Event()

    def prepare():
        while not ended.is_set():
            attempt(lambda: remove_abandoned(store.cells))

    def save(name):
        for i in range(n_cells):
            attempt(lambda i=i: store.save(f"{name}{i}", ROWS))

    def attempt(call):
        try:
            call()
        except OSError as error:
            errors.append(error)

    starting = [threading.Thread(target=prepare) for _ in range(2)]
    saving = [threading.Thread(target=save, args=(name,)) for name in "ab"]
    for thread in (*starting, *saving):
        thread.start()
    for thread in saving:
        thread.join()
    ended.set()
    for thread in starting:
        thread.join()
    assert errors == []
    assert len(list(store.cells.glob("*.npy"))) == 2 * n_cells
    assert list(store.cells.glob("*.part")) == []
