"""Every command that writes pictures, at its smallest size: no two series look the same, and no two labels touch."""

import numpy as np
import polars as pl
import pytest

from command import run
from kernelbandits.experiments import outputs
from kernelbandits.offline import evaluation_files
from kernelbandits.reporting import charts, draw
from kernelbandits.theory.diagnosis import document
from series_looks import labels_that_touch, series_that_look_alike
from small import TOML

pytestmark = pytest.mark.usefixtures("painted")

SMALLEST = ["--seeds", "1", "--jobs", "1"]
COMMANDS = {
    "figure-1": (["reproduce", "figure-1", *SMALLEST, "--horizon", "200"], ["figure-1"]),
    "figure-2": (["reproduce", "figure-2", *SMALLEST, "--horizon", "400"], ["figure-2"]),
    "table-1": (["reproduce", "table-1", *SMALLEST, "--horizon", "60"], ["table-1"]),
    "theory": (
        ["reproduce", "theory", *SMALLEST, "--horizon", "512"],
        ["a-linearization", "b-error", "c-regret", "d-information"],
    ),
    "beyond": (
        ["reproduce", "beyond", *SMALLEST, "--horizon", "400"],
        ["figure-1", "figure-2", "misspecified", "real-data"],
    ),
    "real-world": (["reproduce", "real-world", *SMALLEST, "--horizon", "60"], ["real-world"]),
    "evaluation": (
        ["reproduce", "evaluation", *SMALLEST],
        ["a-coverage", "b-errors", "c-sequences", "d-floors", "f-learning", "g-writers"],
    ),
    "run": (["run", "small.toml", "--jobs", "1"], ["small"]),
    "diagnose": (["diagnose", "log.csv", "--arm-column", "arm", "--reward-column", "paid"], ["diagnosis"]),
    "evaluate": (
        [
            *("evaluate", "log.csv", "--arm-column", "arm", "--reward-column", "paid", "--propensity-column", "chance"),
            *("--candidate", "always:a", "--candidate", "always:b"),
        ],
        ["evaluation"],
    ),
}


def write_log(path, n=400):
    rng = np.random.default_rng(0)
    X, arms = rng.standard_normal((n, 5)), rng.choice(["a", "b"], n)
    columns = {f"x{i}": column for i, column in enumerate(X.T)}
    paid = X[:, 0] * (arms == "a") + rng.standard_normal(n)
    pl.DataFrame({**columns, "arm": arms, "paid": paid, "chance": np.full(n, 0.5)}).write_csv(path)


@pytest.fixture
def saved(monkeypatch):
    """The names of pictures that are saved while the test runs, each looked at first."""
    names = []

    def looked_at(picture, stem):
        figure = draw(picture)
        assert series_that_look_alike(figure) == [], stem.name
        assert labels_that_touch(figure) == [], stem.name
        names.append(stem.name)
        return charts.save(figure, stem)

    for module in (outputs, document, evaluation_files):
        monkeypatch.setattr(module, "save", looked_at)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_pictures_of(name, saved, tmp_path):
    write_log(tmp_path / "log.csv")
    (tmp_path / "small.toml").write_text(TOML, encoding="utf-8")
    arguments, pictures = COMMANDS[name]
    done = run(*arguments, "--out", str(tmp_path / "out"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert saved == pictures
    assert sorted(path.stem for path in (tmp_path / "out").glob("*.png")) == sorted(pictures)
