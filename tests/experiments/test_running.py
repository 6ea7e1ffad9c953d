import shutil

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import CellFailed
from kernelbandits.experiments import InProcess, Processes, Store
from small import TOML


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which all cells of `small` are finished."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "small.toml").write_text(TOML, encoding="utf-8")
    kb.run(kb.load(folder / "small.toml"), folder / "store", InProcess())
    return folder / "store"


@pytest.fixture
def undisturbed(small, finished):
    return kb.run(small, finished, InProcess()).frame


def test_the_same_bytes_for_any_number_of_workers(small, tmp_path, undisturbed):
    assert kb.run(small, tmp_path / "two", Processes(2)).frame.equals(undisturbed)
    assert kb.run(small, tmp_path / "three", Processes(3)).frame.equals(undisturbed)


def test_the_same_bytes_in_any_order(small, tmp_path, undisturbed):
    for cells in (("decay", "UCB"), ("Uniform", "low-rank"), ("EtC",)):
        kb.run(small.only(cells), tmp_path / "parts", InProcess())
    assert kb.run(small, tmp_path / "parts", InProcess()).frame.equals(undisturbed)


def test_finished_cells_are_not_computed_again(small, tmp_path):
    store = Store(tmp_path)
    kb.run(small.only(("UCB",)), store, InProcess())
    before = {path: path.stat().st_mtime_ns for path in store.cells.iterdir()}
    seen = []
    kb.run(small, store, InProcess(), seen.append)
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    assert (seen[0].kept, seen[0].done, seen[0].total) == (6, 0, 18)
    assert (seen[-1].kept, seen[-1].done) == (6, 12)


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"not an array at all"])
def test_a_damaged_cell_is_computed_again(small, tmp_path, finished, undisturbed, damage):
    store = Store(shutil.copytree(finished, tmp_path / "damaged"))
    victim = sorted(store.cells.iterdir())[4]
    victim.write_bytes(damage)
    assert kb.run(small, store, InProcess()).frame.equals(undisturbed)


def test_a_truncated_cell_is_computed_again(small, tmp_path, finished, undisturbed):
    store = Store(shutil.copytree(finished, tmp_path / "truncated"))
    victim = sorted(store.cells.iterdir())[4]
    victim.write_bytes(victim.read_bytes()[:-100])
    assert kb.run(small, store, InProcess()).frame.equals(undisturbed)


def test_a_half_written_file_is_no_cell_and_no_obstacle(small, tmp_path, undisturbed):
    store = Store(tmp_path / "half")
    store.prepare()
    fingerprint = next(small.cells()).fingerprint
    (store.cells / f"{fingerprint}-x1y2z3w4.part").write_bytes(b"half")
    (store.folder / "results-x1y2z3w4.part").write_bytes(b"half")
    assert kb.run(small, store, InProcess()).frame.equals(undisturbed)
    assert list(store.folder.rglob("*.part")) == []


def test_one_seed_is_one_world_for_all_methods(undisturbed):
    frame = undisturbed
    uniform = frame.filter((pl.col("method") == "Uniform") & (pl.col("panel") == "decay") & (pl.col("seed") == 1))
    other = frame.filter((pl.col("method") == "EtC") & (pl.col("panel") == "decay") & (pl.col("seed") == 1))
    same_arm = uniform["arm"].to_numpy() == other["arm"].to_numpy()
    assert same_arm.sum() > 10
    assert np.array_equal(uniform["regret"].to_numpy()[same_arm], other["regret"].to_numpy()[same_arm])


def test_a_cell_equals_the_library_call(small, finished):
    results = kb.run(small, finished, InProcess())
    panel = small.panels[1]
    for_instance, for_play = np.random.SeedSequence(2).spawn(2)
    instance = panel.environment.draw(np.random.default_rng(for_instance))
    for name, method in panel.methods.items():  # Uniform plays by its own chance
        trace = kb.play(method, instance, small.horizon, np.random.default_rng(for_play))
        for_play = np.random.SeedSequence(2).spawn(2)[1]
        assert np.array_equal(results.curves("decay", name)[2], trace.cumulative_regret)


@pytest.mark.parametrize("engine", [InProcess(), Processes(2)])
def test_a_failing_cell_is_named(small, tmp_path, engine):
    short = kb.Experiment("short", small.panels, horizon=35, seeds=(0,))
    with pytest.raises(CellFailed, match=r"panel 'decay', method 'EtC', seed 0: .*n_explore must be at most.*35"):
        kb.run(short, tmp_path, engine)
