"""Logs as they should not be: one clear line each, with row and column, in Python and from the command."""

import re

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import KernelBanditsError

N = 60


def table(**columns):
    plain = {
        "x": np.arange(N) % 7 / 7.0,
        "arm": ["a", "b", "c"] * (N // 3),
        "reward": [float(i % 4 == 0) for i in range(N)],
        "propensity": [1 / 3] * N,
    }
    return plain | columns


def with_entry(column, row, value):
    values = list(table()[column])
    values[row] = value
    return table(**{column: values})


def without(column):
    return {name: values for name, values in table().items() if name != column}


HOSTILE = {
    "a missing reward": (with_entry("reward", 4, None), r"row 5 .*column 'reward' is empty"),
    "a reward that is no number": (table(reward=["much"] * N), r"column 'reward' is not numeric"),
    "an infinite reward": (with_entry("reward", 7, float("inf")), r"row 8 .*column 'reward' is inf"),
    "a reward of 1e300": (with_entry("reward", 9, 1e300), r"row 10 .*column 'reward' is 1e\+300"),
    "a propensity of 0": (
        with_entry("propensity", 2, 0.0),
        r"row 3 .*'propensity' is 0 .*expected a probability",
    ),
    "a propensity above 1": (with_entry("propensity", 2, 1.5), r"row 3 .*column 'propensity' is 1\.5"),
    "a missing propensity": (with_entry("propensity", 0, None), r"row 1 .*column 'propensity' is empty"),
    "a missing arm": (with_entry("arm", 11, None), r"row 12 .*column 'arm' is empty"),
    "an infinite feature": (with_entry("x", 3, float("inf")), r"row 4 .*column 'x' is inf"),
    "no arm column": (without("arm"), r"no column 'arm'"),
    "no propensity column": (
        {k: v for k, v in table().items() if k != "propensity"},
        r"no column 'propensity'.*estimated",
    ),
    "no rows": ({k: list(v)[:0] for k, v in table().items()}, r"no rows"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_table_is_refused_in_one_line(what):
    columns, words = HOSTILE[what]
    with pytest.raises(KernelBanditsError, match=words) as error:
        kb.read_log(pl.DataFrame(columns))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("what", ["a missing reward", "a propensity of 0", "an infinite feature", "no rows"])
def test_the_command_refuses_it_too(what, tmp_path):
    columns, words = HOSTILE[what]
    path = tmp_path / "log.parquet"
    pl.DataFrame(columns).write_parquet(path)
    done = run("evaluate", str(path), "--candidate", "uniform")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("kernelbandits: log.parquet")
    assert re.search(words, line)


def test_unknown_arms_are_named():
    with pytest.raises(KernelBanditsError, match=r"row 2 .*column 'arm' is 'b', which is no arm; did you mean"):
        kb.read_log(table(), arms=["a", "bb", "c"])
    log = kb.read_log(table())
    with pytest.raises(KernelBanditsError, match="no arm is called 'z'"):
        kb.evaluate(log, {"z": kb.AlwaysArm("z")})


def test_duplicate_columns_are_refused(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("x,x,arm,reward,propensity\n1,2,a,0,0.5\n2,3,b,1,0.5\n", encoding="utf-8")
    with pytest.raises(KernelBanditsError, match="'x'"):
        kb.read_log(path)


def test_one_row_is_not_enough():
    log = kb.Log(np.ones((1, 1)), np.array([0]), np.ones(1), np.array([0.5]), 2)
    found = kb.evaluate(log, {"always 0": kb.AlwaysArm(0)})["always 0"]
    assert found.verdict.kind == "not supported"
    assert "effective sample size is 1.0 of 1 row;" in found.verdict.words


@pytest.mark.parametrize("value", [0.0, 1.0, 7.5])
def test_constant_rewards_are_said_to_be(value):
    evaluation = kb.evaluate(kb.read_log(table(reward=[value] * N)), {"always a": kb.AlwaysArm("a")})
    assert f"every reward is {value:g}; nothing can be told apart" in evaluation.findings
    assert evaluation["always a"].verdict.kind == "not told apart"


def test_findings_of_a_log_that_looks_wrong():
    def findings(**columns):
        return " / ".join(kb.evaluate(kb.read_log(table(**columns)), {"u": kb.UniformArms()}).findings)

    assert "1/propensity averages 1.25 and should be the number of arms" in findings(propensity=[0.8] * N)
    only_a = [float(i % 3 == 0 and i % 2 == 0) for i in range(N)]
    assert "rewards differ for one arm only, 'a'" in findings(reward=only_a)
    times = list(range(N))
    times[5] = -1
    assert "the clock runs backwards: row 5" in findings(time=times)
    assert "rows repeat another" in findings()
    assert "identifier" in " ".join(kb.read_log(table(event_id=["e1"] * N)).notes)


def test_bounds_that_do_not_hold_are_refused():
    with pytest.raises(KernelBanditsError, match=r"bounds are 0 to 0\.5, but the reward in row 0 is 1"):
        kb.read_log(table(), bounds=(0.0, 0.5))


def test_chances_must_agree_with_propensities():
    chances = {f"probability_{arm}": np.full(N, 1 / 3) for arm in "abc"}
    assert kb.read_log(table(**chances)).chances.shape == (N, 3)
    with pytest.raises(KernelBanditsError, match="chances must be probabilities that sum to 1 in every row"):
        kb.read_log(table(**chances | {"probability_a": np.full(N, 0.9)}))


def test_eligible_lists_are_read():
    log = kb.read_log(table(eligible=["a|b|c", "b|c", "a|c"] * (N // 3)))
    assert log.eligible[:3].tolist() == [[True] * 3, [False, True, True], [True, False, True]]
    with pytest.raises(KernelBanditsError, match="row 0 has arm a, which was played, as not eligible"):
        kb.read_log(table(eligible=["b"] * N))


def test_missing_rewards_may_have_a_default():
    log = kb.read_log(with_entry("reward", 4, None), kb.LogColumns(default_reward=0.0))
    assert log.rewards[4] == 0.0


def test_propensities_are_estimated_only_on_request_and_marked():
    rng = np.random.default_rng(0)
    n = 3000
    x = rng.standard_normal(n)
    chance = 1 / (1 + np.exp(-x))
    arms = np.where(rng.random(n) < chance, "b", "a")
    rewards = (rng.random(n) < np.where(arms == "b", 0.6, 0.3)).astype(float)
    log = kb.read_log({"x": x, "arm": arms, "reward": rewards}, kb.LogColumns(propensity=""))
    true = np.where(arms == "b", chance, 1 - chance)
    assert np.abs(log.propensities - true).mean() < 0.03
    evaluation = kb.evaluate(log, {"always b": kb.AlwaysArm("b")})
    assert evaluation["always b"].interval.covers(0.6)
    assert "propensities were estimated" in evaluation.findings[0]
