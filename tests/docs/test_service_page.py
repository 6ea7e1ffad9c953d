"""The service's page: its commands lead from nothing to the first rewarded decision, and its settings can be read."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kernelbandits.service.settings import parse_settings

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "run-the-service.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"^```text\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
SHOP = TEXTS[0]
COMMANDS = re.findall(r"^\$ (.*)", PAGE, flags=re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_five_commands_lead_to_a_rewarded_decision(tmp_path):
    assert len(COMMANDS) == 5
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (tmp_path / "shop.toml").write_text(f"{SHOP}\n[server]\nport = {port}\n", encoding="utf-8")
    script = "\n".join(command.replace("8080", port) for command in COMMANDS)
    script += "\nkill -TERM %1; wait %1; echo ended with $?\n"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    process = subprocess.Popen(
        ["bash", "-ec", f"set -m\n{script}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    answers, rest = [], said[said.index("{") :]
    while rest.startswith("{"):
        answer, end = json.JSONDecoder().raw_decode(rest)
        answers.append(answer)
        rest = rest[end:].lstrip()
    assert answers[0]["status"] == "ready"
    assert answers[1]["event_id"] == "visit-1"
    assert answers[1]["arm"] in ("no offer", "5 percent", "free shipping")
    assert answers[-1] == {"event_id": "visit-1", "late": False, "repeated": False}
    assert "ended with 0" in said


def test_the_settings_on_the_page_can_be_served(tmp_path):
    extra = next(text for text in TEXTS if "[[keys]]" in text)
    settings = parse_settings(tomllib.loads(SHOP + extra), tmp_path / "shop.toml")
    assert settings.keys[0].scopes == ("rank", "reward")
    lines = re.findall(
        r"`((?:exploration|control|mode|aggregation|late_rewards|reward_range|hashed_features) = [^`]+)`", PAGE
    )
    assert len(lines) >= 6
    for line in lines:
        table = tomllib.loads(SHOP)
        if line.startswith("hashed"):
            del table["features"]
        parse_settings({**table, **tomllib.loads(line)}, tmp_path / "shop.toml")
