"""Logs as they should not be: one clear line each, with row and column, in Python and from the command."""

import re
from dataclasses import replace

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
    "a propensity whose inverse is no number": (
        with_entry("propensity", 2, 1e-320),
        r"row 3 .*'propensity' is 1e-320 .*at least 1e-100",
    ),
    "probabilities that do not sum to 1": (
        table(probability_a=[0.5] * N, probability_b=[0.3] * N, probability_c=[0.3] * N),
        r"row 1 .*'probability_…': the probabilities sum to 1\.1 \(60 such\)",
    ),
    "probabilities that are not the propensity": (
        table(probability_a=[0.5] * N, probability_b=[0.25] * N, probability_c=[0.25] * N),
        r"row 1 .*'probability_a' is 0\.5, but the propensity is 0\.333333",
    ),
    "an arm that was played and could not be": (
        table(eligible=["a|b|c"] * 5 + ["a|b"] * (N - 5)),
        r"row 6 .*'eligible' is 'a\|b' \(19 such\); it lacks the arm that was played",
    ),
    "a missing propensity": (with_entry("propensity", 0, None), r"row 1 .*column 'propensity' is empty"),
    "a missing arm": (with_entry("arm", 11, None), r"row 12 .*column 'arm' is empty"),
    "an infinite feature": (with_entry("x", 3, float("inf")), r"row 4 .*column 'x' is inf"),
    "no arm column": (without("arm"), r"no column 'arm'"),
    "no propensity column": (
        {k: v for k, v in table().items() if k != "propensity"},
        r"no column 'propensity'.*estimated",
    ),
    "percentages": (table(propensity=[33.3] * N), r"row 1 .*'propensity' is 33\.3 .*Divide percentages by 100"),
    "a percentage as text": (table(propensity=["33%"] * N), r"column 'propensity' is not numeric .*'33%'"),
    "logarithms": (table(propensity=[-1.1] * N), r"row 1 .*'propensity' is -1\.1 .*expected a probability"),
    "rewards with a currency": (table(reward=["€1.20"] * N), r"column 'reward' is not numeric .*first '€1\.20'"),
    "a list as reward": (table(reward=[[1.0]] * N), r"column 'reward' is not numeric"),
    "a time that is none": (table(time=["soon"] * N), r"row 1 .*column 'time' is 'soon', which is no time"),
    "one time that is none": (
        table(time=["2026-01-31 12:00:00"] * (N - 1) + ["later"]),
        rf"row {N} .*column 'time' is 'later', which is no time",
    ),
    "a missing time": (table(time=[None] + [1.0] * (N - 1)), r"row 1 .*column 'time' is empty"),
    "numbers as eligible arms": (table(eligible=[3] * N), r"column 'eligible' is of type Int64; expected lists"),
    "probabilities of some arms": (
        table(probability_a=[1 / 3] * N, probability_b=[1 / 3] * N),
        r"has a column 'probability_a' but no column 'probability_c'; give the probabilities of all arms",
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
        kb.read_log(table()).with_bounds(0.0, 0.5)


def test_chances_must_agree_with_propensities():
    chances = {f"probability_{arm}": np.full(N, 1 / 3) for arm in "abc"}
    log = kb.read_log(table(**chances))
    assert log.chances.shape == (N, 3)
    with pytest.raises(KernelBanditsError, match="chances must be probabilities that sum to 1 in every row"):
        replace(log, chances=np.full((N, 3), 0.4))


def test_eligible_lists_are_read():
    log = kb.read_log(table(eligible=["a|b|c", "b|c", "a|c"] * (N // 3)))
    assert log.eligible[:3].tolist() == [[True] * 3, [False, True, True], [True, False, True]]
    with pytest.raises(KernelBanditsError, match="row 0 has arm a, which was played, as not eligible"):
        replace(log, eligible=np.tile([False, True, False], (N, 1)))


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


def test_arms_that_were_eligible_are_arms():
    log = kb.read_log(table(eligible=["a | b | c | z"] * N))
    assert log.names == ("a", "b", "c", "z")
    assert "1 of 4 arms were never played: z" in kb.evaluate(log, {"u": kb.UniformArms()}).findings
    with pytest.raises(KernelBanditsError, match=r"row 1 .*column 'eligible' has 'z', which is no arm; known: a, b, c"):
        kb.read_log(table(eligible=["a|b|c|z"] * N), arms=["a", "b", "c"])


@pytest.mark.parametrize("bounds", [(1, 0), ("a", "b"), 1.0, (0.0, float("nan")), (0, 1, 2)], ids=repr)
def test_bounds_are_two_numbers(bounds):
    with pytest.raises(KernelBanditsError, match="bounds must be a smaller and a larger number"):
        kb.read_log(table(), bounds=bounds)


def test_whether_the_writer_learned_is_yes_no_or_unknown():
    with pytest.raises(KernelBanditsError, match="learned must be True, False, or None if it is not known; got 'no'"):
        kb.read_log(table(), learned="no")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"estimator": kb.DoublyRobust}, r"estimator must be a ValueEstimator, .*the class itself"),
        ({"others": kb.DoublyRobust()}, r"others must be a list of estimators, as \[DoublyRobust\(\)\]"),
        ({"others": ["DR"]}, "every one of others must be a ValueEstimator"),
        ({"model": "ridge"}, "model must be a RewardModel, such as LinearRewards"),
        ({"interval": "bootstrap"}, "interval must be an IntervalMethod, such as EmpiricalLikelihood"),
        ({"level": 95}, "level must be a number between 0 and 1"),
    ],
    ids=str,
)
def test_options_of_another_kind_are_refused(option, words):
    with pytest.raises(KernelBanditsError, match=words):
        kb.evaluate(kb.read_log(table()), {"u": kb.UniformArms()}, **option)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_by_blocks_says_what_the_table_in_memory_says(kind, tmp_path):
    rng = np.random.default_rng(3)
    n = 5000
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "shop": rng.choice(["north", "south"], n),
            "arm": rng.choice(["a", "b", "c"], n),
            "reward": (rng.random(n) < 0.1).astype(float),
            "propensity": np.full(n, 1 / 3),
        }
    )
    path = tmp_path / f"log.{kind}"
    (frame.write_csv if kind == "csv" else frame.write_parquet)(path)
    candidates = {"a": kb.AlwaysArm("a"), "u": kb.UniformArms()}
    memory, blocks = kb.evaluate(kb.read_log(frame), candidates), kb.evaluate(path, candidates)
    for first, second in zip(memory.candidates, blocks.candidates, strict=True):
        assert first.value == pytest.approx(second.value, rel=1e-12)
        assert tuple(first.interval) == pytest.approx(tuple(second.interval), rel=1e-9)
        assert first.verdict.kind == second.verdict.kind


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((0.0, 0.5), r"row 1 .*column 'reward' is 1\.0 \(15 such\); the bounds are 0 to 0\.5"),
        ((1.0, 0.0), "bounds must be a smaller and a larger number"),
        ((0.0, float("inf")), r"bounds must be of size at most 1e\+100; got \(0\.0, inf\)"),
        ((0.0, 1e300), "bounds must be of size at most"),
    ],
)
def test_bounds_that_cannot_be_are_refused(tmp_path, bounds, words):
    with pytest.raises(KernelBanditsError, match=words):
        kb.read_log(table(), bounds=bounds)
    pl.DataFrame(table()).write_csv(tmp_path / "log.csv")
    told = run("evaluate", str(tmp_path / "log.csv"), "--candidate", "uniform", "--bounds", *map(str, bounds))
    assert told.returncode == 2
    assert re.search(words, told.stderr), told.stderr


WRONG_FUNCTIONS = {
    "an arm too many": (lambda x: np.full(len(x), 3), "from 0 to 2; row 0 has 3 "),
    "a negative number": (lambda x: np.full(len(x), -1), "from 0 to 2; row 0 has -1 "),
    "names": (lambda x: [["a", "b", "c"]] * len(x), "probabilities must be numbers"),
    "rows of different lengths": (lambda x: [[1.0], [0.5, 0.5]], "rows of different lengths"),
    "no function": (3, "function must be callable; got 3"),
}


@pytest.mark.parametrize("what", WRONG_FUNCTIONS)
def test_a_function_that_names_no_arms_is_refused(what):
    function, words = WRONG_FUNCTIONS[what]
    with pytest.raises(KernelBanditsError, match=words):
        kb.evaluate(kb.read_log(table()), {"f": kb.ByFunction(function)})


def test_a_candidate_that_plays_what_could_not_be_played_is_not_supported():
    log = kb.read_log(table(eligible=["a|b|c", "a|b|c", "a|c"] * (N // 3), propensity=[1 / 3, 1 / 3, 1 / 2] * (N // 3)))
    found = kb.evaluate(log, {"always b": kb.GivenChances([0, 1, 0])})["always b"]
    assert "33% of its decisions fall on arms that had no chance" in found.verdict.words


@pytest.mark.parametrize("answer", [lambda n: np.full(n, np.nan), lambda n: np.zeros((n, 2))])
def test_a_reward_model_that_predicts_no_numbers_is_refused(answer):
    class Broken:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return answer(len(X))

    with pytest.raises(KernelBanditsError, match="what the reward model predicts must"):
        kb.evaluate(kb.read_log(table()), {"c": kb.UniformArms()}, model=kb.RewardsByRegressor(Broken()))


@pytest.mark.filterwarnings("error")
def test_lists_truth_values_and_very_short_logs_are_logs():
    lists = kb.Log([[0.0], [1.0]] * 20, [0, 1] * 20, [True, False] * 20, [0.5] * 40, 2)
    assert lists.rewards.dtype == lists.propensities.dtype == lists.contexts.dtype == float
    assert kb.evaluate(lists, {"c": kb.AlwaysArm(0)})["c"].value == pytest.approx(1.0, abs=0.1)
    two = kb.Log(None, [0, 1], [1.0, 0.0], [0.5, 0.4], 2)
    assert "effective sample size is 2.0 of 2 rows" in kb.evaluate(two, {"c": kb.UniformArms()})["c"].verdict.words


def test_repeated_rows_are_noticed_in_files_and_told_from_large_rewards(tmp_path):
    rng = np.random.default_rng(0)
    rows = table(x=rng.random(N), reward=rng.random(N).round(2))
    pl.concat([pl.DataFrame(rows)] * 2).write_csv(tmp_path / "twice.csv")
    told = run("evaluate", str(tmp_path / "twice.csv"), "--candidate", "uniform").stdout
    assert "60 rows repeat another" in told
    large = kb.read_log(rows | {"reward": [1e90 * (i % 2) for i in range(N)]})
    assert not any("repeat" in line for line in kb.evaluate(large, {"c": kb.UniformArms()}).findings)
