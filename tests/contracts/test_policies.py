from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from typing import final

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_policy, check_spec


@pytest.mark.parametrize(("policy", "n_arms"), [*zip(examples.POLICIES, cycle([2, 4, 3]), strict=False)], ids=repr)
def test_policy_keeps_the_contract(policy, n_arms):
    check_policy(policy, n_arms=n_arms, horizon=36, seed=n_arms, invariant=not examples.in_reward_units(policy))


def test_every_exported_policy_has_an_example():
    assert examples.exported(kb.Policy) == examples.types_of(examples.POLICIES)


@pytest.mark.parametrize("width", examples.WIDTHS, ids=repr)
def test_width_is_a_value(width):
    check_spec(width)


def test_every_exported_width_has_an_example():
    assert examples.exported(kb.Width) == examples.types_of(examples.WIDTHS)


def test_every_exported_kind_of_reward_units_has_an_example():
    assert examples.exported(kb.RewardUnits) == examples.types_of(examples.REWARD_UNITS)


@final
@dataclass(frozen=True)
class Fixed(kb.Policy):
    """Decides as its function says."""

    choice: Callable

    def learner(self, problem, rng):
        return FixedLearner(self.choice)


@final
class FixedLearner(kb.Learner):
    def __init__(self, choice):
        self.choice, self.rewards = choice, []

    def decide(self, contexts, eligible):
        return self.choice(len(contexts), eligible, self.rewards)

    def observe(self, context, arm, reward):
        self.rewards.append(reward)

    def add_arm(self, problem):
        pass


def first(n_arms, eligible, **changes):
    """The first eligible arm, with what is changed of a sound choice."""
    mask = np.ones(n_arms, dtype=bool) if eligible is None else eligible
    choice = kb.Choice(int(mask.argmax()), 1.0, np.where(mask, 0.0, -np.inf), explored=False)
    return choice._replace(**changes)


def nan_score(n_arms, eligible, rewards):
    return first(n_arms, eligible, scores=np.full(n_arms, np.nan) if len(rewards) > 25 else np.zeros(n_arms))


def wrong_sum(n_arms, eligible, rewards):
    chosen = first(n_arms, eligible)
    return chosen._replace(probabilities=np.maximum(np.eye(n_arms)[chosen.arm], 1e-9))


def by_level(n_arms, eligible, rewards):
    """Plays the last arm after a reward above 50."""
    chosen = first(n_arms, eligible)
    if eligible is None and any(reward > 50.0 for reward in rewards):
        return chosen._replace(arm=n_arms - 1)
    return chosen


def out_of_bounds(n_arms, eligible, rewards):
    return first(n_arms, eligible, arm=n_arms - 1)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (nan_score, "nan"),
        (wrong_sum, "do not sum to 1"),
        (by_level, r"rewards × 10000 \+ 100 changed decision 1;"),
    ],
)
def test_the_contract_finds_what_is_unsound(choice, words):
    with pytest.raises((AssertionError, ArithmeticError), match=words):
        check_policy(Fixed(choice))


def test_units_of_rewards_may_matter_if_that_is_said():
    check_policy(Fixed(by_level), invariant=False)


def test_an_arm_that_is_not_eligible_cannot_be_returned():
    agent = Fixed(out_of_bounds).start(kb.Problem(3, 2), 0)
    mask = np.array([True, True, False])
    with pytest.raises(kb.errors.InvalidArgument, match="chose arm 2, which is not eligible"):
        agent.choose(np.zeros(2), eligible=mask)
    with pytest.raises(kb.errors.InvalidArgument, match="chose arm 2, which is not eligible"):
        agent.choose_batch(np.zeros((4, 3, 2)), eligible=mask)
    agent.remove_arm(2)
    with pytest.raises(kb.errors.InvalidArgument, match="chose arm 2, which is not eligible"):
        agent.choose(np.zeros(2))
