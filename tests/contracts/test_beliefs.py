import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_belief, check_belief_in_any_order, check_belief_in_any_unit

FORGETFUL = [b for b in examples.BELIEFS if isinstance(b, kb.EmpiricalBayes) and (b.window or b.clip)]
GIVEN = [b for b in examples.BELIEFS if getattr(b, "rewards", None) == kb.AsGiven()]


@pytest.mark.parametrize("belief", examples.BELIEFS, ids=repr)
def test_belief_keeps_the_contract(belief):
    check_belief(belief)


@pytest.mark.parametrize("belief", [b for b in examples.BELIEFS if b not in FORGETFUL], ids=repr)
def test_the_order_of_rewards_is_forgotten(belief):
    check_belief_in_any_order(belief)


@pytest.mark.parametrize("belief", [b for b in examples.BELIEFS if b not in GIVEN], ids=repr)
def test_units_of_rewards_do_not_matter(belief):
    check_belief_in_any_unit(belief)


def test_every_exported_belief_has_an_example():
    assert examples.exported(kb.Belief) == examples.types_of(examples.BELIEFS)
    assert examples.exported(kb.RewardUnits) == examples.types_of(examples.REWARD_UNITS)
