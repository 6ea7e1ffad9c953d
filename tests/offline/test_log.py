import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile


@pytest.mark.parametrize("chance", [0.0, -0.1, 1.1, np.nan])
def test_a_propensity_must_be_a_chance(chance):
    with pytest.raises(InvalidArgument, match="propensities must be"):
        kb.Log(np.eye(3), np.zeros(3, dtype=int), np.ones(3), np.array([0.5, chance, 0.5]), n_arms=2)


@pytest.mark.parametrize("arms", [[0, 1, 2], [0, -1, 1], [0.0, 1.0, 1.0], [0, 1]])
def test_arms_must_be_those_of_the_log(arms):
    with pytest.raises(InvalidArgument, match="arms must be 3 whole numbers from 0 to 1"):
        kb.Log(np.eye(3), np.array(arms), np.ones(3), np.full(3, 0.5), n_arms=2)


def log_table(path, **columns):
    plain = {"x": [0.5, 1.0, 2.0, 4.0], "arm": ["b", "a", "b", "a"], "reward": [1, 0, 0, 1], "propensity": [0.5] * 4}
    pl.DataFrame(plain | columns).write_csv(path)
    return kb.LogFile(path)


def test_a_log_from_a_file(tmp_path):
    log = log_table(tmp_path / "log.csv", propensity=[0.5, 0.25, 0.75, 1.0]).read()
    assert log.propensities.tolist() == [0.5, 0.25, 0.75, 1.0]
    assert log.names == ("a", "b")
    assert log.arms.tolist() == [1, 0, 1, 0]
    assert log.rewards.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert log.contexts.shape == (4, 1)
    assert len(log) == 4


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"propensity": [0.5, 0.0, 0.5, 0.5]},
            r"log\.csv: row 2 .*'propensity' is 0 .*expected a probability",
        ),
        ({"propensity": [0.5, 0.5, -1.0, 0.5]}, r"log\.csv: row 3 .*'propensity' is -1"),
        ({"propensity": [0.5, 0.5, None, 0.5]}, r"log\.csv: row 3 .*'propensity' is empty"),
        ({"propensity": ["half"] * 4}, "column 'propensity' is not numeric"),
        ({"reward": [1, None, 0, 0]}, r"row 2 .*'reward' is empty"),
    ],
)
def test_a_log_that_cannot_be_weighed_is_refused(columns, words, tmp_path):
    with pytest.raises(InvalidFile, match=words):
        log_table(tmp_path / "log.csv", **columns).read()


def test_a_log_without_propensities_is_refused(tmp_path):
    pl.DataFrame({"x": [1, 2], "arm": [0, 1], "reward": [0, 1]}).write_csv(tmp_path / "log.csv")
    with pytest.raises(InvalidFile, match=r"log\.csv has no column 'propensity'"):
        kb.LogFile(tmp_path / "log.csv").read()


def test_names_are_those_of_the_arms():
    assert kb.Log(np.eye(2), np.array([0, 1]), np.ones(2), np.full(2, 0.5), 2, names=("a", "b")).names == ("a", "b")
    with pytest.raises(InvalidArgument, match="names must be 2, one per arm, or none; got 1"):
        kb.Log(np.eye(2), np.array([0, 1]), np.ones(2), np.full(2, 0.5), 2, names=("a",))


@pytest.mark.parametrize("columns", [("a", "a", "p"), ("a", "r", "a"), ("a", "p", "p")])
def test_arm_reward_and_propensity_are_three_columns(columns, tmp_path):
    path = log_table(tmp_path / "log.csv").path
    with pytest.raises(InvalidArgument, match="must be three columns"):
        kb.LogFile(path, *columns)


@pytest.mark.parametrize("part", ["rewards", "propensities"])
def test_every_row_has_a_reward_and_a_propensity(part):
    given = {"rewards": np.ones(3), "propensities": np.full(3, 0.5)} | {part: np.ones(4)}
    with pytest.raises(InvalidArgument, match=f"{part} must .*one number per row of contexts"):
        kb.Log(np.eye(3), np.zeros(3, dtype=int), **given, n_arms=2)
