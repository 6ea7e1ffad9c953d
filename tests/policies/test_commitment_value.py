"""The value of a commitment, against all rounds that past draws can form, one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import oracles
from kernelbandits.policies.commitment_value import chances, commitment_value


def arms(seed, sizes, decimals=None):
    rng = np.random.default_rng(seed)
    found = []
    for n in sizes:
        rewards = rng.standard_normal(n) + rng.standard_normal()
        predictions = rewards + rng.standard_normal(n)
        found.append((predictions, rewards) if decimals is None else (predictions.round(decimals), rewards.round()))
    return found


@given(st.integers(0, 2**20), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_against_every_round(seed, sizes):
    pairs = arms(seed, sizes)
    assert commitment_value(pairs) == pytest.approx(oracles.commitment_value(pairs))


@given(st.integers(0, 2**20), st.integers(1, 6), st.integers(1, 6))
def test_ties_of_two_are_exact(seed, n, m):
    pairs = arms(seed, (n, m), decimals=0)
    assert commitment_value(pairs) == pytest.approx(oracles.commitment_value(pairs))


def test_rewards_of_clicks():
    """Zeros and ones: the best of two arms is 1 unless both are 0."""
    found = commitment_value([(np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])), (np.zeros(2), np.array([0.0, 1.0]))])
    assert found == pytest.approx((1 - 0.75 * 0.5, (0.25 + 0.5) / 2))


def test_without_predictions_the_value_is_that_of_an_arm_in_turn():
    pairs = [(np.zeros(3), rewards) for rewards in np.random.default_rng(0).standard_normal((5, 3))]
    assert commitment_value(pairs)[1] == pytest.approx(np.mean([rewards for _, rewards in pairs]))


def test_perfect_predictions_have_no_regret():
    rewards = np.random.default_rng(0).standard_normal((6, 4))
    best, committed = commitment_value([(y, y) for y in rewards])
    assert committed == pytest.approx(best)


def test_every_round_by_hand():
    """The oracle itself: two arms, two draws each, so four rounds."""
    pairs = [(np.array([1.0, 3.0]), np.array([5.0, 6.0])), (np.array([2.0, 4.0]), np.array([7.0, 8.0]))]
    assert oracles.commitment_value(pairs) == (7.5, (7 + 8 + 6 + 8) / 4)


@given(st.integers(0, 2**20), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_chances_against_every_round(seed, sizes):
    samples = [rewards for _, rewards in arms(seed, sizes)]
    wins = [np.argmax(drawn) for drawn in product(*samples)]
    assert chances(samples) == pytest.approx([np.mean([win == arm for win in wins]) for arm in range(len(sizes))])
