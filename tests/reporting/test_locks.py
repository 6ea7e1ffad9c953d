"""What was left half written is removed, what is being written is not."""

import os
import threading
import time
from pathlib import Path

import pytest

from kernelbandits.reporting import files, lock, remove_abandoned, replacing

LEFT = "cell-a1b2c3d4.part"


def test_a_file_that_is_being_written_stays_and_one_that_was_left_goes(tmp_path):
    (tmp_path / LEFT).write_bytes(b"half")
    with replacing(tmp_path / "cell.npy") as part:
        part.write_bytes(b"whole")
        remove_abandoned(tmp_path)
        assert list(tmp_path.iterdir()) == [part]
    assert [path.name for path in tmp_path.iterdir()] == ["cell.npy"]
    assert (tmp_path / "cell.npy").read_bytes() == b"whole"


def test_files_of_others_stay(tmp_path):
    for name in ("film.part", "a-b.part", "notes.txt"):
        (tmp_path / name).write_bytes(b"mine")
    remove_abandoned(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


def test_links_are_not_followed_and_pipes_not_waited_for(tmp_path):
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / LEFT).symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe-a1b2c3d4.part")
    remove_abandoned(tmp_path)
    assert (tmp_path / "target").read_bytes() == b"mine"


def test_where_files_cannot_be_locked_age_tells(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    young, old = tmp_path / "young-a1b2c3d4.part", tmp_path / "old-a1b2c3d4.part"
    for path, seconds in ((young, 60), (old, 7200)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - seconds,) * 2)
    with replacing(tmp_path / "cell.npy") as part:
        remove_abandoned(tmp_path)
        assert {*tmp_path.iterdir()} == {young, part}


def test_without_locks_at_all_age_tells(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    (tmp_path / LEFT).write_bytes(b"half")
    with replacing(tmp_path / "cell.npy") as part:
        remove_abandoned(tmp_path)
        assert {*tmp_path.iterdir()} == {tmp_path / LEFT, part}


def test_whoever_comes_late_to_lock_is_told(tmp_path):
    """Another process may take a new file for abandoned, before it is locked."""
    path = tmp_path / LEFT
    path.write_bytes(b"")
    asked, answers = threading.Event(), []

    def ask():
        try:
            asked.set()
            os.close(lock(path))
            answers.append("locked")
        except FileNotFoundError:
            answers.append("gone")

    def remove(path):
        thread.start()
        asked.wait()
        path.unlink()

    thread = threading.Thread(target=ask)
    remove_abandoned(tmp_path, "*.part", remove)
    thread.join()
    assert answers == ["gone"]


def test_a_new_file_under_the_name_of_an_abandoned_one_stays(tmp_path, monkeypatch):
    """Two processes find an abandoned file; one removes it, and a writer takes its name before the other looks."""
    path = tmp_path / LEFT
    path.write_bytes(b"half")
    flock = files.fcntl.flock

    def flock_late(descriptor, operation):
        path.unlink()
        path.write_bytes(b"new")
        flock(descriptor, operation)

    monkeypatch.setattr(files.fcntl, "flock", flock_late)
    remove_abandoned(tmp_path)
    assert path.read_bytes() == b"new"


def test_writing_and_clearing_at_the_same_time(tmp_path):
    """As many processes do that share an output folder; without the lock, files vanish while they are written."""
    errors, ended = [], threading.Event()

    def clear():
        while not ended.is_set():
            remove_abandoned(tmp_path)

    def write(number):
        try:
            for i in range(50):
                with replacing(tmp_path / f"{number}-{i}.npy") as part:
                    part.write_bytes(b"whole")
        except OSError as error:
            errors.append(error)

    cleaners = [threading.Thread(target=clear) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in (*cleaners, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in cleaners:
        thread.join()
    assert errors == []
    assert len(list(tmp_path.glob("*.npy"))) == 100
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_lock_ends_with_its_descriptor(tmp_path, kind):
    path = tmp_path / "held"
    path.touch() if kind == "file" else path.mkdir()
    held, found = lock(path), []
    remove_abandoned(tmp_path, "held", found.append)
    assert found == []
    os.close(held)
    remove_abandoned(tmp_path, "held", found.append)
    assert found == [path]


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize(("step", "stays"), [("touch", []), ("write_bytes", []), ("replace", ["cell.npy"])])
def test_interrupted_at_any_moment_no_part_stays(tmp_path, monkeypatch, step, stays):
    """An interruption may come between any two steps, also before the block is entered."""
    real = getattr(Path, step)

    def interrupted(*arguments, **options):
        real(*arguments, **options)
        raise Interrupted

    monkeypatch.setattr(Path, step, interrupted)
    with pytest.raises(Interrupted), replacing(tmp_path / "cell.npy") as part:
        part.write_bytes(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == stays
