"""A file is replaced whole, or stays as it was."""

import pytest

from kernelbandits.reporting import replacing, write_text


def test_a_file_is_replaced_when_it_is_complete(tmp_path):
    target = tmp_path / "a.txt"
    assert write_text(target, "old") == target
    with replacing(target) as part:
        part.write_text("new", encoding="utf-8")
        assert target.read_text(encoding="utf-8") == "old"
    assert target.read_text(encoding="utf-8") == "new"
    assert target.stat().st_mode & 0o777 == 0o644
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
