"""Tables of every command that prints one, in windows of 60, 80 and 120 columns and through a pipe."""

import re

import pytest
from rich.cells import cell_len

from command import BUDGET, run
from kernelbandits.experiments import outputs
from kernelbandits.offline import evaluation_files
from kernelbandits.theory.diagnosis import document
from shop import log
from small import TOML

COLUMNS = ["--arm-column", "offer", "--reward-column", "purchase", "--drop", "user_id"]
CANDIDATES = ["--candidate", "uniform", "--candidate", "always:none"]
COMMANDS = {
    "run": ["run", "small.toml", "--jobs", "1", "--out", "out"],
    "reproduce": ["reproduce", "real-world", "--seeds", "2", "--horizon", "60", "--jobs", "1", "--out", "out"],
    "fit": ["fit", "log.csv", *COLUMNS, "--out", "again.kb"],
    "inspect": ["inspect", "shop.kb"],
    "diagnose": ["diagnose", "log.csv", *COLUMNS, "--horizon", "5000"],
    "evaluate": [
        "evaluate",
        "log.csv",
        *COLUMNS,
        "--propensity-column",
        "p",
        "--candidate",
        "uniform",
        "--candidate",
        "always:none",
    ],
    "budget": BUDGET,
}
RULE = re.compile(r"─{10,}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("shop")
    log(300, n_numbers=4, n_categories=2).write_csv(place / "log.csv")
    (place / "small.toml").write_text(TOML, encoding="utf-8")
    assert run("fit", "log.csv", *COLUMNS, "--out", "shop.kb", cwd=place).returncode == 0
    return place


def tables(text):
    """The lines of every table: its heads, the rule below them, its rows up to an empty line."""
    blocks = [block.splitlines() for block in text.split("\n\n")]
    return [block for block in blocks if any(RULE.fullmatch(line.strip()) for line in block)]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_table_is_wider_than_the_window(name, width, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for module in (outputs, document, evaluation_files):
        monkeypatch.setattr(module, "save", lambda picture, stem: [])  # nobody looks at the pictures
    done = run(*COMMANDS[name], cwd=folder)
    assert done.returncode == 0, done.stderr
    found = tables(done.stdout)
    assert found
    for table in found:
        assert max(map(cell_len, table)) <= width, "\n".join(table)
