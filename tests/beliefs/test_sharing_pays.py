"""What sharing is worth, measured: seeds from 1000, 5 arms, 20 features, the paper's reward functions."""

from dataclasses import replace

import numpy as np
import pytest

import kernelbandits as kb

APART, SHARING = kb.CalibratedUCB(), kb.CalibratedUCB(kb.HierarchicalBayes())


def regrets(policy, horizon, common, n_seeds):
    """Final regrets, a seed each; with `common` every arm has the reward function of the first."""
    finals = []
    for seed in range(1000, 1000 + n_seeds):
        instance = kb.Synthetic(kb.LowRank(), n_arms=5, dim=20).draw(seed)
        if common:
            instance = replace(instance, rewards=(instance.rewards[0],) * 5)
        finals.append(kb.play(policy, instance, horizon, rng=seed).cumulative_regret[-1])
    return np.array(finals)


def ratio(horizon, common, n_seeds=3):
    """Regret of arms that may share over that of independent arms."""
    return regrets(SHARING, horizon, common, n_seeds).sum() / regrets(APART, horizon, common, n_seeds).sum()


def test_with_one_function_sharing_halves_the_regret():
    assert ratio(150, common=True) < 0.65


def test_with_nothing_in_common_it_costs_at_most_a_tenth():
    assert ratio(150, common=False) < 1.1


@pytest.mark.slow
def test_the_same_over_more_rounds():
    assert ratio(500, common=True, n_seeds=10) < 0.6
    assert ratio(500, common=False, n_seeds=10) < 1.1
