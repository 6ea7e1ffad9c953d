"""The page on scoring a table: its blocks run, its commands and its lines of cron do what they say."""

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from command import run

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "score-a-table.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    done = subprocess.run([sys.executable, "-c", blocks("python")[0]], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    (tmp_path / "floor.toml").write_text(blocks("toml")[0], encoding="utf-8")
    return tmp_path


def carried_out(line, folder):
    _, *arguments = line.split()
    done = run(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_do_what_the_page_says(folder):
    fit, inspect, score = [line.removeprefix("$ ") for line in blocks("console")[0].splitlines()]
    assert "Wrote shop.kb" in carried_out(fit, folder)
    assert "awaiting their reward: 0" in carried_out(inspect, folder)
    assert "5,000 rows" in carried_out(score, folder)
    decisions = pl.read_parquet(folder / "decisions.parquet")
    assert decisions.columns[:4] == ["user_id", "arm", "propensity", "mean_10pct"]
    assert decisions.height == 5000


def test_the_lines_of_cron_run(folder):
    for line in blocks("crontab")[0].splitlines():
        *when, command = line.split(maxsplit=5)
        assert len(when) == 5
        assert command.startswith("cd /srv/shop && ")
        plain = command.removeprefix("cd /srv/shop && ").replace("$(date +\\%Y\\%m\\%d)", "20300101")
        carried_out(plain, folder)
    decisions = pl.read_parquet(folder / "decisions.parquet")
    assert decisions["propensity"].min() >= 0.02 - 1e-12
    assert decisions["arm"].n_unique() == 4
