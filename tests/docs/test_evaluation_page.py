"""The commands on the page about evaluation say what the page says, on the real logs."""

import os
import re
from pathlib import Path

import pytest

from command import run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-a-policy-from-a-log.md"
DATA = os.environ.get("KERNELBANDITS_DATA_DIR")


@pytest.mark.skipif(DATA is None, reason="KERNELBANDITS_DATA_DIR is not set")
def test_the_open_bandit_logs_give_what_the_page_promises():
    text = PAGE.read_text(encoding="utf-8")
    promised = re.findall(r"^\$ kernelbandits (evaluate obd.*)\n(.*)$", text, flags=re.MULTILINE)
    assert len(promised) == 2
    for command, line in promised:
        said = run(*command.split(), cwd=DATA)
        assert said.returncode == 0, said.stderr
        assert line.removesuffix("…") in said.stdout
