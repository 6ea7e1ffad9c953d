"""A bandit: from a table to a decision and back."""

import copy
import json
from collections import namedtuple

import numpy as np
import polars as pl
import pytest
from sklearn.preprocessing import StandardScaler

import kernelbandits as kb
import shop
from kernelbandits.bandit.tally import Tally
from kernelbandits.errors import InvalidArgument, InvalidFile

pytestmark = pytest.mark.usefixtures("sound_parquet")

LOG = shop.log(300, n_numbers=6, n_categories=2)
ROWS = shop.features(40, seed=1, n_numbers=6, n_categories=2)
ENCODING = kb.Encoding(drop=("user_id",))


def fitted(log=LOG, policy=None, **given):
    return kb.Bandit(shop.OFFERS, ENCODING, policy or kb.LinearUCB(), **given).fit(log, **shop.LOGGED)


def rows(table=ROWS):
    return table.iter_rows(named=True)


def play(bandit, table=ROWS):
    """Decisions for all rows, each with its reward before the next; ids are left out."""
    said = []
    for number, row in enumerate(rows(table)):
        decision = bandit.choose(row)
        said.append(decision[1:])
        bandit.observe(decision.id, reward=float(number % 5))
    return said


@pytest.mark.parametrize("policy", [kb.default_policy(), kb.LinearThompsonSampling()], ids=repr)
def test_pandas_polars_arrow_and_files_give_the_same_decisions(policy, tmp_path):
    LOG.write_parquet(tmp_path / "log.parquet")
    LOG.write_csv(tmp_path / "log.csv")
    logs = [LOG.to_pandas(), LOG.to_arrow(), LOG.to_dict(), str(tmp_path / "log.parquet"), tmp_path / "log.csv"]
    first = play(fitted(policy=policy))
    assert all(play(fitted(each, policy)) == first for each in logs)


def test_a_decision_is_plain_data_and_ids_are_unique():
    bandit = fitted()
    decisions = [bandit.choose(row) for row in rows()]
    assert len({decision.id for decision in decisions}) == len(decisions)
    said = json.loads(json.dumps(decisions[0].to_dict()))
    assert said == decisions[0]._asdict()
    assert said["arm"] in shop.OFFERS
    assert {*said["scores"]} == {*shop.OFFERS}


def test_ids_do_not_come_from_the_randomness_of_the_policy():
    first, second = (fitted(policy=kb.ThompsonSampling(kb.LinearArms()), rng=3) for _ in range(2))
    assert [d[1:] for d in map(first.choose, rows())] == [d[1:] for d in map(second.choose, rows())]
    assert first.choose(next(rows())).id != second.choose(next(rows())).id


def test_a_row_may_be_a_mapping_a_named_tuple_or_a_table_of_one_row():
    bandit, row = fitted(), next(rows())
    kinds = [row, namedtuple("Visitor", row)(**row), ROWS[:1], ROWS[:1].to_pandas()]
    assert len({bandit.choose(each).arm for each in kinds}) == 1
    with pytest.raises(InvalidArgument, match="a single row; got 40 rows"):
        bandit.choose(ROWS)


def test_rewards_come_late_and_in_any_order():
    late, prompt = (fitted(policy=kb.LinearUCB(rewards=kb.AsGiven())) for _ in range(2))
    table = list(rows())[:10]
    waiting = [late.choose(row) for row in table]
    for number in (3, 1, 2, 0, 9, 5, 4, 8, 7, 6):
        late.observe(waiting[number].id, reward=float(number))
    for number, row in enumerate(table):
        decision = prompt.choose(row, eligible=[waiting[number].arm])
        prompt.observe(decision.id, reward=float(number))
    assert np.allclose(late.score(ROWS).to_numpy(), prompt.score(ROWS).to_numpy(), rtol=1e-8, atol=1e-10)


def test_a_second_reward_is_the_same_or_refused_and_an_unknown_id_is_refused():
    bandit = fitted()
    decision = bandit.choose(next(rows()))
    for _ in range(2):
        bandit.observe(decision.id, reward=12.5)
    before = bandit.summary().to_dict()
    with pytest.raises(InvalidArgument, match=r"has had the reward 12\.5, which counts; got 3"):
        bandit.observe(decision.id, reward=3)
    with pytest.raises(InvalidArgument, match="id: no decision 'x' awaits a reward"):
        bandit.observe("x", reward=3)
    with pytest.raises(InvalidArgument, match="reward must be finite"):
        bandit.observe(bandit.choose(next(rows())).id, reward=float("nan"))
    assert bandit.summary().to_dict() | {"n_awaiting": 0, "awaiting_since": None} == before
    assert bandit.summary().n_rewards == 301


def test_eligible_arms_are_kept_to_and_remembered():
    bandit = fitted()
    decision = bandit.choose(next(rows()), eligible=["5pct", "none"])
    assert decision.arm in ("5pct", "none")
    assert {*decision.scores} == {"5pct", "none"}
    (entry,) = bandit.ledger
    assert entry.eligible == ("none", "5pct")
    assert (entry.id, entry.version) == (decision.id, 300)
    assert shop.OFFERS[entry.arm] == decision.arm
    assert np.array_equal(entry.context, bandit.encoder.transform(next(rows())))
    with pytest.raises(InvalidArgument, match="no arm is called '5 pct'; did you mean '5pct'"):
        bandit.choose(next(rows()), eligible=["5 pct"])


def test_many_rows_are_decided_as_one_after_the_other():
    first, second = fitted(policy=kb.ThompsonSampling()), fitted(policy=kb.ThompsonSampling())
    together = first.choose_many(ROWS, eligible=["none", "10pct"])
    apart = [second.choose(row, eligible=["none", "10pct"]) for row in rows()]
    assert [d.arm for d in together] == [d.arm for d in apart]
    assert np.allclose([d.propensity for d in together], [d.propensity for d in apart])
    first.observe(together[7].id, reward=1.0)
    assert (len(first.ledger), len(second.ledger)) == (39, 40)


def test_each_arm_may_have_features_of_its_own():
    goods = pl.DataFrame({"price": [1.0, 2.0, 3.0, 4.0] * 25, "size": ["S", "L"] * 50})
    log = goods.with_columns(offer=pl.Series(["A", "B"] * 50), sold=goods["price"] * 0.1)
    bandit = kb.Bandit(["A", "B"], policy=kb.LinearUCB(alpha=0.0)).fit(log, arm="offer", reward="sold")
    cheap, dear = {"price": 1.0, "size": "S"}, {"price": 4.0, "size": "S"}
    assert bandit.choose({"A": cheap, "B": dear}).arm == "B"
    assert bandit.choose({"B": cheap, "A": dear}).arm == "A"
    only = bandit.choose({"B": dear})
    assert (only.arm, only.propensity, list(only.scores)) == ("B", 1.0, ["B"])
    bandit.observe(only.id, reward=0.4)
    with pytest.raises(InvalidArgument, match="eligible: there is no row for the arm 'A'"):
        bandit.choose({"B": dear}, eligible=["A"])
    with pytest.raises(InvalidArgument, match="row: no arm is called 'C'"):
        bandit.choose({"C": dear})


def test_arms_come_and_go():
    bandit = fitted()
    pending = bandit.choose(next(rows()), eligible=["none"])
    bandit.add_arm("20pct")
    bandit.remove_arm("none")
    assert bandit.arms == ("5pct", "10pct", "free_ship", "20pct")
    assert "mean_none" not in bandit.score(ROWS).columns
    assert bandit.choose(next(rows()), eligible=["20pct"]).arm == "20pct"
    bandit.observe(pending.id, reward=2.0)
    summary = bandit.summary()
    assert [arm.removed for arm in summary.arms] == [True, False, False, False, False]
    assert any("no reward of 20pct" in line for line in summary.health)


def test_scores_change_nothing_and_agree_with_decisions():
    asked, spared = fitted(policy=kb.ThompsonSampling()), fitted(policy=kb.ThompsonSampling())
    scores = asked.score(ROWS)
    assert scores.columns[:2] == ["mean_none", "mean_5pct"]
    assert scores.shape == (40, 12)
    chances = scores.select(f"probability_{name}" for name in shop.OFFERS).to_numpy()
    assert np.allclose(chances.sum(axis=1), 1.0)
    for i, row in enumerate(rows()):
        decision = asked.choose(row)
        assert decision[1:] == spared.choose(row)[1:]
        assert np.isclose(decision.propensity, chances[i, shop.OFFERS.index(decision.arm)], atol=1e-9)
    only = asked.score(ROWS, eligible=["5pct"])
    assert (only["probability_5pct"] == 1.0).all()


def test_without_features_a_bandit_says_what_to_do():
    bandit = kb.Bandit(["a", "b"])
    calls = [lambda: bandit.choose({"x": 1}), lambda: bandit.score({"x": [1]}), lambda: bandit.add_arm("c")]
    for call in calls:
        with pytest.raises(InvalidArgument, match=r"bandit\.fit\(log, .*bandit\.encode\(table\)"):
            call()
    table = {"x": [1.0, 2.0, 4.0]}
    assert bandit.encode(table).choose({"x": 1.0}).explored
    given = kb.Bandit(["a", "b"], encoder=kb.Encoding().fit(table))
    assert given.choose({"x": 1.0}).explored
    with pytest.raises(InvalidArgument, match="fit comes first"):
        given.fit(table | {"arm": ["a"] * 3, "y": [1, 2, 3]}, arm="arm", reward="y")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arm": "ofer"}, "no column 'ofer'; did you mean 'offer'"),
        ({"reward": "offer"}, "must be different columns"),
        ({"reward": "kind_0"}, "'kind_0' is not numeric"),
        ({"propensity": "money_0"}, "empty|above 0 and at most 1"),
        ({"arm": "kind_0"}, "column 'kind_0' is '.0', which is no arm; known: none, 5pct"),
    ],
)
def test_a_log_that_does_not_fit_is_refused_and_nothing_changes(change, words):
    bandit = kb.Bandit(shop.OFFERS, ENCODING)
    with pytest.raises((InvalidArgument, InvalidFile), match=words):
        bandit.fit(LOG, **(shop.LOGGED | change))
    assert bandit.encoder is None
    assert bandit.summary().n_rewards == 0


def test_a_policy_that_needs_to_know_more_is_told_or_refused():
    with pytest.raises(kb.errors.MissingKnowledge, match="horizon"):
        kb.Bandit(["a", "b"], policy=kb.SupKernelUCB())
    assert repr(kb.Bandit(["a", "b"], policy=kb.SupKernelUCB(), horizon=100)) == (
        "Bandit(2 arms, SupKernelUCB, 0 rewards, 0 awaiting)"
    )
    with pytest.raises(InvalidArgument, match="'a' appears twice"):
        kb.Bandit(["a", "a"])


def test_a_summary_tells_what_was_seen():
    bandit = fitted()
    summary = bandit.summary()
    spent = LOG.group_by("offer").agg(pl.col("purchase").mean(), n=pl.len())
    by_name = {name: (mean, n) for name, mean, n in spent.iter_rows()}
    for arm in summary.arms:
        assert (pytest.approx(by_name[arm.name][0]), by_name[arm.name][1]) == (arm.mean, arm.n_rewards)
        assert arm.weighted_mean == pytest.approx(arm.mean)  # equal propensities
    assert summary.n_rewards == 300
    assert summary.calibration["n"] > 100
    text = str(summary)
    assert "free_ship" in text
    assert "% intervals covered" in text
    assert json.loads(json.dumps(summary.to_dict()))["n_features"] == bandit.encoder.dim
    bandit.choose(next(rows()))
    assert "awaiting their reward: 1 decisions, the oldest since" in str(bandit.summary())


def test_a_copy_goes_its_own_way():
    bandit = fitted()
    twin = copy.deepcopy(bandit)
    decision = bandit.choose(next(rows()))
    assert (len(bandit.ledger), len(twin.ledger)) == (1, 0)
    assert twin.choose(next(rows()))[1:] == decision[1:]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"agent": None}, "do not fit 4 arms"),
        ({"tally": Tally(3)}, "do not fit 4 arms"),
        ({"policy": "LinearUCB"}, "policy: 'LinearUCB' cannot be a part"),
        ({"problem": kb.Problem(dim=1, arms=("a", "b", "c", "d"))}, "other arms or features"),
        ({"encoder": kb.Encoding().fit({"x": [1.0, 2.0]})}, "other arms or features"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(change, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.Bandit.from_state(fitted().to_state() | change)


def test_a_transformer_of_scikit_learn_stands_in_the_place_of_the_encoding(tmp_path):
    rng = np.random.default_rng(0)
    log = {"x": rng.random(50), "z": 100.0 * rng.random(50), "arm": ["a", "b"] * 25, "reward": rng.random(50)}
    bandit = kb.Bandit(["a", "b"], kb.SklearnEncoding(StandardScaler()), kb.LinearUCB())
    bandit.fit(log, arm="arm", reward="reward")
    decision = bandit.choose({"x": 0.5, "z": 50.0})
    bandit.observe(decision.id, 1.0)
    assert bandit.score(log).shape == (50, 6)
    with pytest.raises(InvalidArgument, match="StandardScaler"):
        bandit.save(tmp_path / "shop.kb")


def test_an_id_that_is_no_text_is_refused():
    with pytest.raises(InvalidArgument, match="id must be the text"):
        kb.Ledger().find(["a"], 1.0)
