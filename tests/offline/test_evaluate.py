"""Evaluation of candidates on logs: values, differences, overlap, verdicts, refusals."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_logs import K, made_log, mean_reward, written_log

import kernelbandits as kb
from command import run
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.split import doubling

DATA = os.environ.get("KERNELBANDITS_DATA_DIR")


def best(x):
    return mean_reward(x).argmax(axis=1)


CANDIDATES = {
    "uniform": kb.UniformArms(),
    "always 0": kb.AlwaysArm(0),
    "best": kb.ByFunction(best),
    "table": kb.GivenChances([0.2, 0.3, 0.5]),
}


@pytest.fixture(scope="module")
def truth():
    means = mean_reward(np.random.default_rng(9).standard_normal((200_000, 4)))
    table = {"uniform": means.mean(axis=1), "always 0": means[:, 0], "best": means.max(axis=1)}
    return {name: values.mean() for name, values in table.items()} | {"table": (means @ [0.2, 0.3, 0.5]).mean()}


@pytest.mark.parametrize("skewed", [False, True])
def test_values_are_near_the_truth_and_verdicts_follow(truth, skewed):
    log = made_log(4000, 1, skewed)
    evaluation = kb.evaluate(log, CANDIDATES)
    for name in CANDIDATES:
        found = evaluation[name]
        assert found.value == pytest.approx(truth[name], abs=0.05)
        assert found.interval.covers(found.value)
        assert found.gain == pytest.approx(found.value - evaluation.logged, abs=0.03)
        assert found.estimates[0].estimator == "SelfNormalizedDoublyRobust"
        assert found.overlap.mean_weight == pytest.approx(1.0, abs=0.1)
    assert evaluation["best"].verdict.kind == "better"
    assert evaluation.logged == pytest.approx(log.rewards.mean())
    pairs = {(p.first, p.second): p for p in evaluation.pairs}
    assert len(pairs) == 6
    assert pairs["always 0", "best"].interval.high < 0.0
    assert pairs["uniform", "best"].difference == pytest.approx(
        evaluation["uniform"].value - evaluation["best"].value, abs=1e-9
    )


def test_differences_are_paired():
    """A candidate that is nearly the log's writer differs from it by little, and this is known precisely."""
    log = made_log(3000, 2, skewed=False)
    near = kb.GivenChances([0.36, 0.32, 0.32])
    found = kb.evaluate(log, {"near": near})["near"]
    assert found.gain_interval.width < 0.2 * found.interval.width


def test_intervals_of_differences_hold_together():
    log = made_log(2000, 3, skewed=True)
    alone, together = kb.evaluate(log, {"best": CANDIDATES["best"]}), kb.evaluate(log, CANDIDATES)
    assert together["best"].value == pytest.approx(alone["best"].value, abs=1e-12)
    assert 1.1 < together["best"].gain_interval.width / alone["best"].gain_interval.width < 1.6


def test_not_told_apart_says_how_many_more_rows_would_do():
    log = made_log(400, 4, skewed=False)
    found = kb.evaluate(log, {"a little more": kb.GivenChances([0.33, 0.33, 0.34])})["a little more"]
    assert found.verdict.kind == "not told apart"
    assert "would" in found.verdict.words


def test_an_arm_that_was_never_played_is_refused():
    log = made_log(300, 5, skewed=False)
    wider = kb.Log(log.contexts, log.arms, log.rewards, log.propensities, K + 1, names=("a", "b", "c", "d"))
    evaluation = kb.evaluate(wider, {"always d": kb.AlwaysArm("d"), "always a": kb.AlwaysArm("a")})
    refused = evaluation["always d"]
    assert refused.verdict.kind == "not supported"
    assert (
        "100% of its decisions fall on arms that had no chance in the log ('d' was never played)"
        in refused.verdict.words
    )
    assert np.isnan(refused.value)
    assert refused.estimates == ()
    assert evaluation["always a"].verdict.kind != "not supported"
    assert any("1 of 4 arms were never played: d" in line for line in evaluation.findings)


def test_a_deterministic_log_is_refused_for_other_candidates():
    log = made_log(500, 6, skewed=False)
    sure = kb.Log(log.contexts, best(log.contexts), log.rewards, np.ones(500), K)
    evaluation = kb.evaluate(sure, {"uniform": kb.UniformArms(), "the same": kb.ByFunction(best)})
    assert "weights average 0.33 instead of 1" in evaluation["uniform"].verdict.words
    assert "ExplorationFloor" in evaluation["uniform"].verdict.words
    assert evaluation["the same"].value == pytest.approx(log.rewards.mean(), abs=0.02)


def test_all_weight_in_one_row_is_refused():
    log = made_log(400, 7, skewed=False)
    chances = log.propensities.copy()
    chances[17] = 1e-6
    one = kb.Log(log.contexts, log.arms, log.rewards, chances, K)
    assert "effective sample size is 1.0 of 400 rows" in kb.evaluate(one, {"u": kb.UniformArms()})["u"].verdict.words


def test_a_few_rows_that_stand_for_many_decisions_are_refused():
    """The log agrees with the candidate in 92 % of the rows; the other 8 % are represented by two rows of weight 50."""
    rng = np.random.default_rng(0)
    n = 1000
    arms, chances = np.zeros(n, dtype=int), np.full(n, 0.98)
    arms[:2], chances[:2] = 1, 0.02
    wanted = np.zeros(n, dtype=int)
    wanted[:80] = 1
    log = kb.Log(rng.standard_normal((n, 1)), arms, rng.random(n).round(), chances, 2, learned=False)
    found = kb.evaluate(log, {"c": kb.GivenChances(np.eye(2)[wanted])})["c"]
    assert found.verdict.kind == "not supported"
    assert "2 rows of 1,000 with weights up to 50 stand for 10% of its decisions" in found.verdict.words


@pytest.mark.skipif(DATA is None, reason="KERNELBANDITS_DATA_DIR is not set")
def test_the_open_bandit_samples():
    columns = kb.LogColumns("item_id", "click", "propensity_score", time="timestamp")
    for part, kind in [("men", "not told apart"), ("women", "not supported")]:
        log = kb.read_log(Path(DATA) / f"obd_bts_{part}.csv.gz", columns)
        found = kb.evaluate(log, {"uniform": kb.UniformArms()})["uniform"]
        assert found.verdict.kind == kind
        if part == "women":
            assert "the effective sample size is 2.1 of 10,000 rows" in found.verdict.words
        else:
            assert found.interval.covers(0.0046), "the mean of the uniform log of the same shop"


def test_a_log_by_a_learner_is_noticed_and_evaluated():
    log = written_log(kb.ExplorationFloor(kb.LinearUCB(), epsilon=0.1), 800, 1)
    evaluation = kb.evaluate(log, {"always 2": kb.AlwaysArm(2)})
    assert "rows weighted by what the past says of their precision" in evaluation.method
    stated = kb.Log(log.contexts, log.arms, log.rewards, log.propensities, K, learned=False)
    assert "rows independent" in kb.evaluate(stated, {"always 2": kb.AlwaysArm(2)}).method


def test_a_learned_policy_is_valued_on_rows_that_it_has_not_seen(truth):
    """Rewards are noise: what a policy earns on rows that it learned from would be above the mean."""
    rng = np.random.default_rng(0)
    n = 600
    log = kb.Log(rng.standard_normal((n, 4)), rng.integers(K, size=n), rng.random(n).round(), np.full(n, 1 / K), K)
    found = kb.evaluate(log, {"LinearUCB": kb.LearnedPolicy(kb.LinearUCB(alpha=0.0))})["LinearUCB"]
    assert found.interval.covers(log.rewards.mean())
    learned = kb.evaluate(made_log(1500, 8, skewed=False), {"l": kb.LearnedPolicy(kb.LinearUCB())})["l"]
    assert learned.value == pytest.approx(truth["best"], abs=0.08)


def test_policies_are_replayed_as_they_would_learn_live():
    log = made_log(600, 14, skewed=False)
    evaluation = kb.evaluate(log, {"uniform": kb.UniformArms()}, replays={"LinearUCB": kb.LinearUCB()})
    [found] = evaluation.replays
    assert found.interval.covers(found.value)
    assert 150 < found.rounds < 250, "a third of the rows agrees"
    assert found.value > log.rewards.mean()
    assert "LinearUCB, live: " in str(evaluation)
    assert "replayed" in evaluation.document().html()


def test_eligible_arms_are_respected():
    log = made_log(600, 9, skewed=False)
    eligible = np.ones((600, K), dtype=bool)
    eligible[np.arange(600), (log.arms + 1) % K] = False
    masked = kb.Log(log.contexts, log.arms, log.rewards, np.full(600, 0.5), K, eligible=eligible)
    evaluation = kb.evaluate(masked, {"uniform": kb.UniformArms(), "always 1": kb.AlwaysArm(1)})
    assert evaluation["uniform"].gain == pytest.approx(0.0, abs=1e-9), "it is what wrote the log"
    assert evaluation["always 1"].overlap.mean_weight == pytest.approx(1.0, abs=0.15)


def test_one_context_per_arm(truth):
    shared = made_log(1500, 10, skewed=True)
    own = kb.Log(np.repeat(shared.contexts[:, None], K, axis=1), shared.arms, shared.rewards, shared.propensities, K)
    candidates = {"always 0": kb.AlwaysArm(0)}
    first, second = kb.evaluate(shared, candidates), kb.evaluate(own, candidates)
    assert first["always 0"].value == pytest.approx(second["always 0"].value, abs=1e-10)


def test_models_and_estimators_can_be_chosen():
    log = made_log(500, 11, skewed=True)
    model = kb.RewardsByEstimator(kb.KernelRidge(kb.Gaussian(2.0), 1.0))
    found = kb.evaluate(log, {"best": CANDIDATES["best"]}, model=model, estimator=kb.SelfNormalized(), others=())
    assert [e.estimator for e in found["best"].estimates] == ["SelfNormalized"]
    plain = kb.evaluate(log, {"best": CANDIDATES["best"]}, model=None)
    assert plain["best"].estimates[0].estimator == "SelfNormalized"
    with pytest.raises(InvalidArgument, match="DoublyRobust needs a reward model"):
        kb.evaluate(log, {"best": CANDIDATES["best"]}, model=None, estimator=kb.DoublyRobust())
    sklearn = pytest.importorskip("sklearn.tree")
    tree = kb.RewardsByRegressor(sklearn.DecisionTreeRegressor(max_depth=3, random_state=0))
    assert np.isfinite(kb.evaluate(log, {"best": CANDIDATES["best"]}, model=tree)["best"].value)


def test_what_is_no_candidate_is_refused():
    log = made_log(100, 12, skewed=False)
    for candidates in ({}, [kb.UniformArms()], {"u": kb.UniformArms}, {"u": kb.Uniform()}):
        with pytest.raises(InvalidArgument, match="candidate"):
            kb.evaluate(log, candidates)
    with pytest.raises(InvalidArgument, match=r"ByFunction: probabilities must be at least 0 and sum to 1.*row 0 has"):
        kb.evaluate(log, {"f": kb.ByFunction(lambda x: np.full((len(x), K), 0.5))})
    with pytest.raises(InvalidArgument, match="no candidate is called 'x'"):
        kb.evaluate(log, {"u": kb.UniformArms()})["x"]


def test_the_report_the_picture_and_the_record():
    evaluation = kb.evaluate(made_log(300, 13, skewed=True), CANDIDATES)
    page = evaluation.document().html()
    assert "What the candidates would have earned" in page
    assert all(name in page for name in CANDIDATES)
    record = evaluation.to_dict()
    assert [c["name"] for c in record["candidates"]] == list(CANDIDATES)
    assert record["candidates"][0]["overlap"]["per_arm"][0]["arm"] == "0"
    assert str(evaluation).startswith("300 rows; the log earned")


def test_a_saved_bandit_is_evaluated_with_its_own_encoder(tmp_path):
    rng = np.random.default_rng(1)
    n = 400
    table = {"x": rng.standard_normal(n), "arm": rng.choice(["a", "b"], n), "propensity": np.full(n, 0.5)}
    table["reward"] = ((table["arm"] == "a") == (table["x"] > 0)).astype(float)
    before = {name: column[:200] for name, column in table.items()}
    after = {name: column[200:] for name, column in table.items()}
    bandit = kb.Bandit(["b", "a"], policy=kb.LinearUCB(alpha=0.1)).fit(before, "arm", "reward", "propensity")
    with kb.open_log(after, encoder=bandit.encoder) as log:
        found = kb.evaluate(log, {"bandit": kb.SavedBandit(bandit)})["bandit"]
    assert found.value > 0.9
    assert found.verdict.kind == "better"


def test_a_file_is_read_with_the_encoder_of_a_saved_bandit_in_python_and_by_the_command(tmp_path):
    rng, n = np.random.default_rng(3), 300
    table = {"x": rng.normal(50.0, 9.0, n), "arm": rng.choice(["a", "b"], n), "propensity": np.full(n, 0.5)}
    table["reward"] = ((table["arm"] == "a") == (table["x"] > 50.0)).astype(float)
    bandit = kb.Bandit(["b", "a"], policy=kb.LinearUCB(alpha=0.1)).fit(table, "arm", "reward", "propensity")
    bandit.save(tmp_path / "shop.kb")
    later = pl.DataFrame({**table, "x": table["x"] + 20.0})  # an encoder fitted to these rows would centre them
    later.write_csv(tmp_path / "log.csv")
    by_path = kb.evaluate(tmp_path / "log.csv", {"shop.kb": kb.SavedBandit(bandit)})["shop.kb"]
    done = run("evaluate", "log.csv", "--candidate", "shop.kb", "--json", cwd=tmp_path)
    by_command = json.loads(done.stdout)["candidates"][0]
    assert by_path.value == by_command["value"]
    assert by_path.overlap.effective_size == by_command["overlap"]["effective_size"]
    shares = [each.share for each in by_path.overlap.per_arm if each.arm == "a"]
    assert shares[0] > 0.9


def test_the_difference_to_the_log_holds_where_the_candidate_is_nearly_the_writer():
    """Rare rewards, and hardly a row in which the candidate decides otherwise: none of those may have been paid."""
    n, means, covered = 3000, np.array([0.006, 0.005]), []
    for seed in range(60):
        rng = np.random.default_rng((seed, 61))
        chances = np.array([0.95, 0.05])
        arms = (rng.random(n) < 0.05).astype(int)
        rewards = (rng.random(n) < means[arms]).astype(float)
        log = kb.Log(None, arms, rewards, chances[arms], 2, learned=True)
        gain = kb.evaluate(log, {"first": kb.AlwaysArm(0)}, others=())["first"].gain_interval
        covered.append(gain.covers(means[0] - chances @ means))
    assert np.mean(covered) >= 0.9


def test_the_difference_to_the_log_holds_where_few_rows_tell_the_two_apart():
    """Nearly all rewards are 1. The candidate departs from the writer in 3 % of the rows; three have a weight of 9."""
    n, covered = 1000, []
    writer = np.array([0.9, 0.1])
    for seed in range(60):
        rng = np.random.default_rng((seed, 67))
        other = rng.random(n) < 0.03
        arms = (rng.random(n) < 0.1).astype(int)
        rewards = (rng.random(n) < np.where(arms == 1, 0.9, 0.95)).astype(float)
        log = kb.Log(other[:, np.newaxis] * 1.0, arms, rewards, writer[arms], 2, learned=False)
        table = np.where(other[:, np.newaxis], writer[::-1], writer)
        found = kb.evaluate(log, {"near": kb.GivenChances(table), "writer": kb.GivenChances(writer)}, others=())
        gain, pair = found["near"].gain_interval, found.pairs[0].interval
        covered.append((gain.covers(-0.0012), pair.covers(-0.0012)))
        assert max(gain.width, pair.width) < 2 * 0.07, "no reward differs where both decide alike"
    assert np.mean(covered, axis=0).min() >= 0.9


def test_a_policy_learned_from_the_log_of_a_learner_is_not_valued_by_agents_that_know_nothing():
    """Of 2,000 rows all but the first 31 are decided by agents that have learned something."""
    log = made_log(2000, 3, skewed=False)
    candidate = {"l": kb.LearnedPolicy(kb.LinearUCB(alpha=0.0))}
    known = kb.evaluate(replace(log, learned=False), candidate, others=())["l"].value
    in_order = kb.evaluate(replace(log, learned=True), candidate, others=())["l"].value
    assert in_order > known - 0.03


@pytest.mark.parametrize("n", [1, 24, 49, 50, 99, 100, 2000])
def test_parts_that_double_are_in_order_and_learn_from_earlier_ones(n):
    split = doubling(n)
    sizes = np.bincount(split.part, minlength=split.n_parts)
    assert sizes.sum() == n
    assert np.all(np.diff(split.part) >= 0)
    assert not split.learns_from[np.triu_indices(split.n_parts)].any()
    assert n < 50 or (25 <= sizes[0] < 50 and sizes[-1] >= n // 2)
