"""A file is replaced whole, or stays as it was."""

import subprocess
import sys

import pytest

from kernelbandits.reporting import replacing, write_text


def test_a_file_is_replaced_when_it_is_complete(tmp_path):
    target = tmp_path / "a.txt"
    assert write_text(target, "old") == target
    with replacing(target) as part:
        part.write_text("new", encoding="utf-8")
        assert target.read_text(encoding="utf-8") == "old"
    assert target.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [target]


def interrupted(target):
    with replacing(target) as part:
        part.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    target = write_text(tmp_path / "a.txt", "old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(target)
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


WRITE = """
import sys
from pathlib import Path
import polars as pl
from kernelbandits.experiments.results import write_frames
from kernelbandits.reporting import write_text
folder = Path(sys.argv[1]) / "a"
folder.mkdir()
for number in range(2):
    write_text(folder / "a.txt", "text")
    write_frames(folder, {"a.parquet": pl.DataFrame({"number": [number]})})
"""


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_rights_are_those_that_the_umask_leaves(tmp_path, umask, mode):
    """Also where the file was there before. A process of its own, because the umask is the whole process's."""
    subprocess.run([sys.executable, "-c", WRITE, str(tmp_path)], check=True, umask=umask)
    found = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "a").iterdir()}
    assert found == {"a.txt": mode, "a.parquet": mode}
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o777 & ~umask
