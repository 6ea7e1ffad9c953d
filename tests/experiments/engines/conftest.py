from pathlib import Path

import pytest
from small import TOML

import kernelbandits as kb


@pytest.fixture
def small(tmp_path: Path) -> kb.Experiment:
    path = tmp_path / "small.toml"
    path.write_text(TOML, encoding="utf-8")
    return kb.load(path)
