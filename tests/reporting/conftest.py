from pathlib import Path

import pytest
from small import TOML

import kernelbandits as kb


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


@pytest.fixture
def small(small_file: Path) -> kb.Experiment:
    return kb.load(small_file)
