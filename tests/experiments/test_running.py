from dataclasses import dataclass

import numpy as np
import own_policy
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import CellFailed, EngineFailed, InvalidArgument
from kernelbandits.experiments import InProcess, Processes, Runner, seed_sequence, world
from kernelbandits.experiments.running import _play_elsewhere
from kernelbandits.experiments.store import installation
from kernelbandits.tables import content_digest
from small import TOML


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which all cells of `small` are finished."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "small.toml").write_text(TOML, encoding="utf-8")
    kb.run(kb.load_experiment(folder / "small.toml"), folder / "store", InProcess())
    return folder / "store"


@pytest.fixture
def undisturbed(small, finished):
    return kb.run(small, finished, InProcess()).frame


def test_the_same_bytes_for_any_number_of_workers(small, tmp_path, undisturbed):
    assert kb.run(small, tmp_path / "two", Processes(2)).frame.equals(undisturbed)


def test_the_same_bytes_in_any_order(small, tmp_path, undisturbed):
    for cells in (("decay", "UCB"), ("Uniform", "low-rank"), ("EtC",)):
        kb.run(small.only(cells), tmp_path / "parts", InProcess())
    assert kb.run(small, tmp_path / "parts", InProcess()).frame.equals(undisturbed)


def test_a_method_does_not_notice_streams_that_another_one_spawned():
    environment = kb.Synthetic(kb.LowRank(), n_arms=2, dim=3)
    _, _, new_rng = world(environment, 5, seed=0)
    first, second = ([stream.random() for stream in new_rng().spawn(2)] for _ in range(2))
    assert first == second


def test_finished_cells_are_not_computed_again(small, tmp_path):
    store = tmp_path
    kb.run(small.only(("UCB",)), store, InProcess())
    before = {path: path.stat().st_mtime_ns for path in (store / "cells").iterdir()}
    seen = []
    kb.run(small, store, InProcess(), seen.append)
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    assert (seen[0].kept, seen[0].done, seen[0].missing) == (6, 0, 12)
    assert (seen[-1].kept, seen[-1].done) == (6, 12)


def test_a_half_written_file_is_no_cell_and_no_obstacle(small, tmp_path, undisturbed):
    store = tmp_path / "half"
    (store / "cells").mkdir(parents=True)
    fingerprint = next(small.cells()).fingerprint
    (store / "cells" / f"{fingerprint}-x1y2z3w4.part").write_bytes(b"half")
    (store / "results-x1y2z3w4.part").write_bytes(b"half")
    assert kb.run(small, store, InProcess()).frame.equals(undisturbed)
    assert list(store.rglob("*.part")) == []


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
    for_instance, for_play = seed_sequence(panel.environment, 2).spawn(2)
    instance = panel.environment.draw(np.random.default_rng(for_instance))
    for name, method in panel.methods.items():  # Uniform plays by its own chance
        trace = kb.play(method, instance, small.horizon, np.random.default_rng(for_play))
        for_play = seed_sequence(panel.environment, 2).spawn(2)[1]
        assert np.array_equal(results.curves("decay", name)[2], trace.cumulative_regret)


@pytest.mark.parametrize("engine", [InProcess(), Processes(2)])
def test_a_failing_cell_is_named(small, tmp_path, engine):
    panel = kb.Panel("decay", small.panels[1].environment, {"Mine": own_policy.Failing()})
    with pytest.raises(CellFailed, match=r"panel 'decay', method 'Mine', seed 4: KeyError: 'nothing learnt'"):
        kb.run(kb.Experiment("failing", (panel,), horizon=35, seeds=(4,)), tmp_path, engine)


def test_what_cannot_start_is_refused_before_anything_is_played(small, tmp_path, monkeypatch):
    monkeypatch.setattr("kernelbandits.experiments.running.replay", None)
    short = kb.Experiment("short", small.panels, horizon=35, seeds=(0, 1))  # 30 rounds of exploration fit, 40 do not
    with pytest.raises(InvalidArgument, match=r"^panel 'decay', method 'EtC': .*n_explore must be at most.*35; got 40"):
        kb.run(short, tmp_path / "out", InProcess())
    told = kb.Panel("told", small.panels[0].environment, {"Mine": kb.SupKernelUCB(), "Broken": Broken()})
    with pytest.raises(CellFailed, match=r"panel 'told', method 'Broken', seed 3: ZeroDivisionError"):
        kb.run(kb.Experiment("broken", (told,), horizon=35, seeds=(3,)), tmp_path / "out", InProcess())
    assert not (tmp_path / "out").exists()


@dataclass(frozen=True)
class Broken(kb.Policy):
    """Cannot even start."""

    def learner(self, problem, rng):
        return 1 // 0


def test_the_bar_counts_only_what_is_left_to_do(small, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "kernelbandits.experiments.running.Progress.show",
        lambda bar, done, note, *total: shown.append((done, str(note), *total)),
    )
    runner = Runner(tmp_path, InProcess())
    runner.run(small.only(("UCB",)))
    assert shown[0] == (0, "looking for finished runs"), "from the first moment"
    assert shown[1] == (0, "0 of 6 runs", 6)
    assert shown[-1] == (6, "6 of 6 runs", 6)
    shown.clear()
    runner.run(small.only(("UCB", "EtC")))
    assert (shown[1], shown[-1]) == ((0, "0 of 6 runs, 6 kept", 6), (6, "6 of 6 runs, 6 kept", 6))
    shown.clear()
    runner.run(small.only(("UCB", "EtC")))
    assert shown[-1] == (0, "nothing to do, 12 runs kept", 0)
    shown.clear()
    assert runner.map("squares", abs, [3, -1]) == [3, 1]
    assert shown == [(1, "1/2"), (2, "2/2")]


def test_what_is_finished_is_not_rehearsed(small, tmp_path, undisturbed, finished, monkeypatch):
    monkeypatch.setattr("kernelbandits.environments.Synthetic.draw", None)
    assert kb.run(small, finished, InProcess()).frame.equals(undisturbed)


def test_a_worker_with_other_code_or_other_data_plays_nothing(small, tmp_path):
    """Its rows would be kept under a fingerprint that promises this code and this data."""
    own, unit, data = installation(), [next(small.cells())], tmp_path / "rows.csv"
    data.write_text("x,y\n1,a\n", encoding="utf-8")
    digest = content_digest(str(data))
    [(fingerprint, rows)] = _play_elsewhere((own.code, own.arithmetic, {str(data): digest}, unit))
    assert (fingerprint, len(rows)) == (unit[0].fingerprint, small.horizon)
    with pytest.raises(EngineFailed, match="has other code than this process's"):
        _play_elsewhere(("0" * 32, own.arithmetic, {}, unit))
    with pytest.raises(EngineFailed, match="has another kind of processor"):
        _play_elsewhere((own.code, "0" * 8, {}, unit))
    data.write_text("x,y\n2,a\n", encoding="utf-8")
    for path in (data, tmp_path / "nowhere.csv"):
        with pytest.raises(EngineFailed, match=r"a worker has no file .*, or a different one"):
            _play_elsewhere((own.code, own.arithmetic, {str(path): digest}, unit))
