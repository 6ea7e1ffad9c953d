"""The Dask engine with a real scheduler and real workers: the same bytes as here, whatever dies on the way."""

import contextlib
import logging
import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import own_policy
import pytest
from loopback import kill, machines
from threadpoolctl import threadpool_info

import kernelbandits as kb
from kernelbandits.errors import CellFailed, EngineFailed, InvalidArgument
from kernelbandits.experiments.engines import Dask, InProcess, Scheduler, dask, pickling
from kernelbandits.experiments.engines.engine import reduce_tree
from small import TOML


@pytest.fixture
def engine(two):
    return Dask(Scheduler(two.address))


def written(experiment, folder, engine, on_progress=lambda progress: None):
    kb.run(experiment, folder, engine, on_progress).write(folder)
    return (folder / "results.parquet").read_bytes()


def test_the_same_bytes_as_in_process(small, tmp_path, engine):
    assert written(small, tmp_path / "dask", engine) == written(small, tmp_path / "here", InProcess())


def test_a_store_begun_here_is_finished_there_and_needs_no_cluster_then(small, tmp_path, engine):
    whole = written(small, tmp_path / "whole", InProcess())
    kb.run(small.only(("UCB",)), tmp_path / "parts", InProcess())
    seen = []
    assert written(small, tmp_path / "parts", engine, seen.append) == whole
    assert (seen[0].kept, seen[-1].done) == (6, 12)
    assert written(small, tmp_path / "parts", dask("tcp://127.0.0.1:1")) == whole


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_is_survived(longer, tmp_path):
    with machines(tmp_path, n_workers=2) as running:
        victims = [running.processes[1]]

        def disturb(progress):
            if progress.done and victims:
                kill(victims.pop())

        disturbed = written(longer, tmp_path / "disturbed", Dask(Scheduler(running.address)), disturb)
    assert not victims
    assert disturbed == written(longer, tmp_path / "calm", InProcess())


@pytest.fixture
def longer(tmp_path):
    path = tmp_path / "longer.toml"
    path.write_text(TOML.replace("seeds = 3", "seeds = 5").replace("horizon = 120", "horizon = 250"), encoding="utf-8")
    return kb.load_experiment(path)


def test_a_failing_cell_is_named(small, tmp_path, engine):
    panel = kb.Panel("decay", small.panels[1].environment, {"Mine": own_policy.Failing()})
    with pytest.raises(CellFailed, match=r"panel 'decay', method 'Mine', seed 4: KeyError: 'nothing learnt'"):
        kb.run(kb.Experiment("failing", (panel,), horizon=35, seeds=(4,)), tmp_path, engine)


def test_a_users_module_and_its_neighbour_reach_the_workers(tmp_path, engine, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    mine = Path(own_policy.__file__).read_text(encoding="utf-8").replace("ARM = 1", "from neighbour_of_mine import ARM")
    (tmp_path / "policy_of_mine.py").write_text(mine, encoding="utf-8")
    (tmp_path / "neighbour_of_mine.py").write_text("ARM = 2\n", encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(TOML + '\n[methods.Mine]\ntype = "policy_of_mine:FirstArm"\n', encoding="utf-8")
    experiment = kb.load_experiment(file).only(("Mine",))
    frame = kb.run(experiment, tmp_path / "out", engine).frame
    assert set(frame["arm"]) == {2}
    assert frame.equals(kb.run(experiment, tmp_path / "here", InProcess()).frame)


def test_a_package_beside_the_file_reaches_the_workers(tmp_path, engine):
    mine = Path(own_policy.__file__).read_text(encoding="utf-8").replace("ARM = 1", "from .numbers import ARM")
    (tmp_path / "package_of_mine").mkdir()
    (tmp_path / "package_of_mine/__init__.py").touch()
    (tmp_path / "package_of_mine/policies.py").write_text(mine, encoding="utf-8")
    (tmp_path / "package_of_mine/numbers.py").write_text("ARM = 2\n", encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(TOML + '\n[methods.Mine]\ntype = "package_of_mine.policies:FirstArm"\n', encoding="utf-8")
    experiment = kb.load_experiment(file, allow_code=True).only(("Mine",))
    assert set(kb.run(experiment, tmp_path / "out", engine).frame["arm"]) == {2}


def test_an_edited_module_replaces_the_old_one_on_the_workers(tmp_path, engine, monkeypatch):
    import importlib
    import sys

    monkeypatch.syspath_prepend(tmp_path)
    answers = []
    for number in (1, 22):
        (tmp_path / "edited_by_me.py").write_text(f"def answer(task):\n    return {number}\n", encoding="utf-8")
        importlib.invalidate_caches()
        sys.modules.pop("edited_by_me", None)
        answers += set(engine.map(importlib.import_module("edited_by_me").answer, range(4)))
    assert answers == [1, 22]


def test_another_version_on_the_workers_is_refused(engine, monkeypatch):
    monkeypatch.setattr(pickling, "__version__", "99.9")
    with pytest.raises(EngineFailed, match=r"a worker has kernelbandits 0\..*this process has 99.9; install 99.9"):
        list(engine.map(abs, [1]))


@pytest.mark.slow
def test_other_code_of_the_same_version_is_refused(small, tmp_path):
    copy = tmp_path / "src"
    shutil.copytree(Path(kb.__file__).parent, copy / "kernelbandits", ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "kernelbandits" / "linalg.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    with machines(tmp_path, n_workers=0) as running:
        running.worker(PYTHONPATH=str(copy))
        with pytest.raises(EngineFailed, match="has other code than this process's"):
            kb.run(small, tmp_path / "out", Dask(Scheduler(running.address)))
    assert list((tmp_path / "out" / "cells").iterdir()) == []


def die(task):
    os._exit(3)


@pytest.mark.slow
def test_a_task_that_kills_its_workers_is_given_up_with_a_line(tmp_path):
    with (
        machines(tmp_path, n_workers=1, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as running,
        pytest.raises(EngineFailed, match=r"its worker died 1 times, .* memory may be short"),
    ):
        list(Dask(Scheduler(running.address)).map(die, [0]))


def blas_threads(task):
    np.ones((200, 200)) @ np.ones((200, 200))
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.slow
def test_without_workers_it_says_so_and_waits_for_one_that_uses_one_blas_thread(tmp_path, caplog, monkeypatch):
    environment = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "2")
    monkeypatch.setattr("kernelbandits.experiments.engines.connection.POLL_SECONDS", 0.2)
    with (
        machines(tmp_path, n_workers=0) as running,
        caplog.at_level(logging.WARNING, "kernelbandits.experiments.engines"),
    ):

        def answer_the_call():
            while len(caplog.records) < 2:
                time.sleep(0.05)
            running.worker(threads=2, **environment)

        threading.Thread(target=answer_the_call, daemon=True).start()
        for counts in Dask(Scheduler(running.address)).map(blas_threads, range(6)):
            assert counts
            assert set(counts) == {1}
    is_open, waits = (record.getMessage() for record in caplog.records)
    assert is_open.startswith(f"the scheduler at {running.address} has no TLS: whoever can reach its port can run")
    assert "has no workers; `dask worker tcp://127.0.0.1:" in waits


def block_sum(seed):
    return np.random.default_rng(seed).standard_normal((50, 3)).sum(axis=0)


@pytest.mark.parametrize("n", [1, 5, 12])
def test_sums_have_the_same_bits(engine, n):
    assert np.array_equal(engine.reduce(block_sum, np.add, range(n)), InProcess().reduce(block_sum, np.add, range(n)))


def take_a_ticket(task):
    """Answer after a file could be removed from the folder."""
    folder, number = task
    while True:
        for ticket in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another worker took it
                ticket.unlink()
                return number
        time.sleep(0.01)


def test_progress_of_a_sum_is_reported(engine, monkeypatch, tmp_path):
    monkeypatch.setattr("kernelbandits.experiments.engines.connection.POLL_SECONDS", 0.05)
    heard = []

    def hear(done):
        if done not in heard:
            (tmp_path / str(done)).touch()  # one more task may end
        heard.append(done)

    assert engine.reduce(take_a_ticket, int.__add__, [(tmp_path, number) for number in range(1, 6)], hear) == 15
    assert heard == sorted(heard)
    assert {*range(5)} <= {*heard} <= {*range(6)}


def test_tasks_that_will_be_summed_have_few_dependencies_in_the_eyes_of_the_scheduler(two):
    """Else it sends all of them to the worker that holds the function, when that is large, and the others wait."""

    def dependencies(dask_scheduler):
        groups = [group for group in dask_scheduler.task_groups.values() if len(group) == 10]
        return [sum(len(dependency) for dependency in group.dependencies) for group in groups]

    with Scheduler(two.address).connect() as connection:
        leaves = connection.submit(block_sum, range(10))
        reduce_tree(leaves, connection.combining(np.add)).result()
        assert connection.client.run_on_scheduler(dependencies) == [2]  # the function, and the modules that it needs


def test_jobs_and_a_scheduler_do_not_go_together():
    with pytest.raises(InvalidArgument, match="jobs = 2 has no meaning with a scheduler"):
        dask("tcp://127.0.0.1:1", n_jobs=2)


def hold(task):
    """The first task lasts until most of the others are done."""
    folder, number = task
    while number == 0 and len(list(folder.iterdir())) < 35:
        time.sleep(0.01)
    (folder / str(number)).touch()
    return number, os.getpid()


@pytest.mark.slow
def test_a_free_worker_gets_the_next_task_while_another_is_busy(engine, tmp_path):
    pids = dict(engine.map(hold, [(tmp_path, number) for number in range(40)]))
    assert len({*pids.values()}) == 2
    assert list(pids.values()).count(pids[0]) <= 5
