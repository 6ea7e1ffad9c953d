"""Cells damaged in every way that files can be: computed again and said so, and the results never change."""

import contextlib
import os
import random
import shutil
import socket
from functools import partial

import numpy as np
import pytest

import kernelbandits as kb
from command import run, run_process
from kernelbandits.experiments import InProcess
from small import TOML

ENVIRONMENT = kb.Synthetic(kb.LowRank(), n_arms=3, dim=4, n_bumps=5)
PANEL = kb.Panel("a", ENVIRONMENT, {"Uniform": kb.Uniform(), "Linear": kb.LinearUCB()})
EXPERIMENT = kb.Experiment("fuzzed", (PANEL,), horizon=30, seeds=(0, 1))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return folder, kb.run(EXPERIMENT, folder, InProcess()).frame


def flip_bits(path, rng):
    content = bytearray(path.read_bytes())
    for bit in rng.sample(range(8 * len(content)), rng.randint(1, 3)):
        content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def overwrite_some(path, rng):
    content = path.read_bytes()
    start = rng.randrange(len(content))
    noise = rng.randbytes(rng.randint(8, 600))
    path.write_bytes((content[:start] + noise + content[start + len(noise) :])[: len(content)])


def truncate(path, rng):
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def grow(path, rng):
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.randint(1, 100)))


def write_garbage(path, rng):
    path.write_bytes(rng.randbytes(rng.choice([0, 1, 31, 32, path.stat().st_size, 5000])))


def write_gigabytes(path, rng):
    os.truncate(path, rng.choice([2**34, 2**40]))  # of holes


def drop_the_digest(path, rng):
    np.save(path, np.load(path), allow_pickle=False)


def change_the_kind(path, rng):
    rows = np.load(path)
    np.save(path, rng.choice([rows[:-1], rows["regret"], np.array([{"a": 1}], dtype=object)]), allow_pickle=True)


def take_another_cell(path, rng):
    others = [each for each in sorted(path.parent.glob("*.npy")) if each.is_file() and each != path]
    shutil.copy(min(others, key=lambda each: each.stat().st_size), path)


def in_its_place(make, path, rng):
    path.unlink()
    make(path, rng)


def folder(path, rng):
    path.mkdir()
    if rng.random() < 0.5:
        (path / "mine.txt").write_text("mine", encoding="utf-8")


def bind_socket(path, rng):
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(path.parent):  # its address must be short
        server.bind(path.name)


DAMAGES = {
    "flipped bits": flip_bits,
    "overwritten": overwrite_some,
    "truncated": truncate,
    "longer": grow,
    "garbage": write_garbage,
    "gigabytes": write_gigabytes,
    "no digest": drop_the_digest,
    "other kind": change_the_kind,
    "another cell": take_another_cell,
    "folder": partial(in_its_place, folder),
    "pipe": partial(in_its_place, lambda path, rng: os.mkfifo(path)),
    "socket": partial(in_its_place, bind_socket),
    "loop": partial(in_its_place, lambda path, rng: path.symlink_to(path.name)),
    "link to a device": partial(in_its_place, lambda path, rng: path.symlink_to("/dev/zero")),
    "link to a folder": partial(in_its_place, lambda path, rng: path.symlink_to(".")),
    "no rights": lambda path, rng: path.chmod(0),
}
QUICK = 2 * len(DAMAGES)


def is_damaged(path, whole):
    """Whether a reader would find other bytes than before, or none."""
    readable = path.is_file() and os.access(path, os.R_OK)
    return not (readable and path.stat().st_size == len(whole) and path.read_bytes() == whole)


@pytest.mark.parametrize("numbers", [range(QUICK), pytest.param(range(QUICK, 500), marks=pytest.mark.slow)])
def test_damaged_cells_change_nothing_and_are_said(finished, tmp_path, caplog, numbers):
    store, expected = finished
    for number in numbers:
        rng = random.Random(number)
        copy = shutil.copytree(store, tmp_path / str(number))
        # Every kind of damage in turn, sometimes with others.
        kinds = [[*DAMAGES][number % len(DAMAGES)], *rng.choices([*DAMAGES], k=rng.choice([0, 0, 1, 2]))]
        victims = rng.sample(sorted((copy / "cells").glob("*.npy")), len(kinds))
        whole = [path.read_bytes() for path in victims]
        for kind, path in zip(kinds, victims, strict=True):
            DAMAGES[kind](path, rng)
        n_damaged = sum(map(is_damaged, victims, whole))
        caplog.clear()
        assert kb.run(EXPERIMENT, copy, InProcess()).frame.equals(expected), kinds
        said = [record.getMessage() for record in caplog.records]
        assert len(said) == (n_damaged > 0), (kinds, said)
        assert all(f"{n_damaged} of the runs kept in {copy / 'cells'} are damaged" in line for line in said), kinds
        caplog.clear()
        assert kb.run(EXPERIMENT, copy, InProcess()).frame.equals(expected), kinds
        assert caplog.records == [], "the damage is mended"
        shutil.rmtree(copy)


def test_what_lies_in_a_folder_in_place_of_a_cell_is_kept(finished, tmp_path):
    copy = shutil.copytree(finished[0], tmp_path / "copy")
    victim = min((copy / "cells").glob("*.npy"))
    in_its_place(lambda path, rng: path.mkdir(), victim, None)
    (victim / "mine.txt").write_text("mine", encoding="utf-8")
    kb.run(EXPERIMENT, copy, InProcess())
    assert victim.is_file()
    assert [path.read_text(encoding="utf-8") for path in (copy / "cells").glob("*.damaged/mine.txt")] == ["mine"]


def test_the_command_says_it_in_one_line(tmp_path):
    (tmp_path / "small.toml").write_text(TOML.replace("horizon = 120", "horizon = 40"), encoding="utf-8")
    command = ("run", "small.toml", "--jobs", "1", "--seeds", "1", "--out", "out")
    assert run(*command, cwd=tmp_path).returncode == 0
    before = (tmp_path / "out" / "results.parquet").read_bytes()
    first, second, *_ = sorted((tmp_path / "out" / "cells").glob("*.npy"))
    flip_bits(first, random.Random(0))
    in_its_place(lambda path, rng: os.mkfifo(path), second, None)
    again = run_process(*command, cwd=tmp_path)
    [line] = again.stderr.splitlines()
    assert line.startswith(f"2 of the runs kept in {tmp_path / 'out' / 'cells'} are damaged and are computed again: ")
    assert line.endswith((f"{first.name} does not match its digest, …", f"{second.name} is not a file, …"))
    assert again.returncode == 0
    assert (tmp_path / "out" / "results.parquet").read_bytes() == before
