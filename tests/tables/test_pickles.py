"""Nothing in a table is ever unpickled: a pickle can run any program."""

from pathlib import Path

import numpy as np
import pytest

from kernelbandits.errors import InvalidFile
from kernelbandits.tables import read_frame


class Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_pickle_in_an_npz_file_is_refused_and_not_run(tmp_path):
    trap = np.array([Trap(tmp_path / "ran")], dtype=object)
    np.savez(tmp_path / "trap.npz", X=trap, y=trap)
    with pytest.raises(InvalidFile, match=r"^trap\.npz "):
        read_frame(tmp_path / "trap.npz")
    assert not (tmp_path / "ran").exists()
    with np.load(tmp_path / "trap.npz", allow_pickle=True) as arrays:
        assert arrays["X"] is not None
    assert (tmp_path / "ran").exists(), "it would have run"
