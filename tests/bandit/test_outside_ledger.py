"""Deciding and learning without a ledger: the same policy, the same bits."""

import pytest

import kernelbandits as kb
import shop
from kernelbandits.bandit import learn, reward_counts, weigh
from kernelbandits.errors import InvalidArgument
from kernelbandits.saving import restore

LOG = shop.log(120, n_numbers=4, n_categories=1)
ROWS = shop.features(30, seed=1, n_numbers=4, n_categories=1).to_dicts()


def fitted(policy=None):
    return kb.Bandit(shop.OFFERS, kb.Encoding(drop=("user_id",)), policy).fit(LOG, **shop.LOGGED)


@pytest.mark.parametrize("policy", [None, kb.LinearUCB(), kb.ThompsonSampling(), kb.LinearThompsonSampling()])
def test_weighing_changes_nothing_and_agrees_with_decisions(policy):
    asked, other = fitted(policy), fitted(policy)
    for row in ROWS:
        weighed = weigh(asked, row)
        assert sum(weighed.values()) == pytest.approx(1.0)
        assert weigh(asked, row) == weighed
        mine, theirs = asked.choose(row), other.choose(row)
        assert (mine.arm, mine.propensity) == (theirs.arm, theirs.propensity)
        assert weighed[mine.arm] == pytest.approx(mine.propensity, abs=1e-9)


def test_arms_that_are_not_eligible_or_have_no_row_have_probability_zero():
    bandit = fitted()
    weighed = weigh(bandit, ROWS[0], ["none", "10pct"])
    assert (weighed["5pct"], weighed["free_ship"]) == (0.0, 0.0)
    rows = {"none": ROWS[0], "5pct": ROWS[1]}
    assert [*weigh(bandit, rows).values()][2:] == [0.0, 0.0]


def test_learning_is_observing_by_id(tmp_path):
    by_id, by_row = fitted(), fitted()
    for number, row in enumerate(ROWS):
        decision = by_id.choose(row)
        by_id.observe(decision.id, float(number % 3))
        learn(by_row, row, decision.arm, decision.propensity, float(number % 3))
    for row in ROWS:
        assert weigh(by_id, row) == weigh(by_row, row)
    assert by_id.summary().arms == by_row.summary().arms
    assert sum(reward_counts(by_row).values()) == len(LOG) + len(ROWS)
    again = restore(by_row.save(tmp_path / "shop.kb"))
    assert weigh(again, ROWS[0]) == weigh(by_row, ROWS[0])


@pytest.mark.parametrize("chance", [0.0, 1.5])
def test_impossible_propensities_are_refused(chance):
    with pytest.raises(InvalidArgument, match="propensity must be above 0 and at most 1"):
        learn(fitted(), ROWS[0], "none", chance, 1.0)
