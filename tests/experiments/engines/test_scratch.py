"""Temporary folders of processes that were killed are removed, those of the living are not."""

import os
import subprocess
import sys
import tempfile

import pytest

from kernelbandits.experiments.engines import scratch as scratch_module
from kernelbandits.experiments.engines.scratch import remove_abandoned_scratch
from kernelbandits.reporting import lock


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A folder for temporary files and one for shared memory, instead of the machine's."""
    temporary, shared = tmp_path / "temporary", tmp_path / "shared"
    temporary.mkdir()
    shared.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(scratch_module, "_SHARED_MEMORY", shared)
    return temporary, shared


@pytest.fixture
def dead():
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left_by(process, places):
    """What a process leaves behind if it is killed with all its children."""
    temporary, shared = places
    folder = temporary / f"kernelbandits-{process}-a1b2c3d4"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "key.pem").write_text("secret", encoding="utf-8")
    (shared / f"sem.loky-{process}-a1b2c3d4").write_bytes(b"")
    (shared / f"joblib_memmapping_folder_{process}_a1_b2").mkdir()
    (shared / f"joblib_memmapping_folder_{process}_a1_b2" / "array").write_bytes(b"")
    return folder


def test_what_a_killed_process_left_is_removed(places, dead):
    left_by(dead, places)
    others = [places[0] / "kernelbandits-notes", places[0] / "mine", places[1] / "sem.loky-x", places[1] / "sem.mine"]
    for path in others:
        path.mkdir()
    remove_abandoned_scratch()
    assert {path for place in places for path in place.iterdir()} == {*others}


def test_what_belongs_to_a_living_process_stays(places, dead):
    folder = left_by(dead, places)  # its id says nothing: it may live in another container
    held = lock(folder)
    before = sorted(path for place in places for path in place.rglob("*"))
    remove_abandoned_scratch()
    assert sorted(path for place in places for path in place.rglob("*")) == before
    os.close(held)
    remove_abandoned_scratch()
    assert [path for place in places for path in place.iterdir()] == []


def test_semaphores_of_a_new_process_with_the_same_id_stay(places):
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        folder = left_by(process.pid, places)
        remove_abandoned_scratch()
    finally:
        process.communicate(b"\n")
    assert not folder.exists()
    assert len(list(places[1].iterdir())) == 2


def test_only_its_user_may_enter_and_it_ends_with_the_process(places):
    script = "from kernelbandits.experiments.engines.scratch import scratch; f = scratch(); assert f == scratch(); "
    script += "print(oct(f.stat().st_mode)[-3:], f.parent)"
    environment = os.environ | {"TMPDIR": str(places[0])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["700", str(places[0])]
    assert list(places[0].iterdir()) == []


def test_a_fork_leaves_the_folder_of_its_parent(places):
    folder = places[0] / "kernelbandits-1-a1b2c3d4"
    folder.mkdir()
    scratch_module._remove_own(folder, process=1)
    assert folder.exists()
