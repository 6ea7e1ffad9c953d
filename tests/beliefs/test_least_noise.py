"""Rewards with few values, such as 0 and 1, cannot prove that there is no noise."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs import evidence
from kernelbandits.beliefs.model_estimation import least_noise


@pytest.mark.parametrize(
    ("rewards", "step"),
    [
        ([[0.0, 1.0] * 4], 1.0),
        ([[0.0] * 7, [5.0]], 5.0),
        ([[1.0, 2.0, 4.0, 5.0] * 4], 1.0),
        ([[0.1 + 0.2, 0.3] * 8], 0.0),  # they differ by rounding alone
        ([[0.0, 1.0] * 3], 0.0),  # too few to tell
        ([[3.0] * 20], 0.0),
        ([np.linspace(0.0, 1.0, 50)], 0.0),
        ([[0.0] * 40, np.linspace(5.0, 20.0, 20)], 0.0),  # mostly nothing, else an amount
        ([[], []], 0.0),
    ],
)
def test_a_tenth_of_the_smallest_step(rewards, step):
    assert least_noise([np.array(each) for each in rewards]) == pytest.approx((0.1 * step) ** 2)


def test_it_has_the_unit_of_squared_rewards():
    rewards = [np.array([0.0, 1.0] * 6), np.array([1.0] * 3)]
    assert least_noise([1e4 * y + 100.0 for y in rewards]) == pytest.approx(1e8 * least_noise(rewards))


def _sums():
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.standard_normal((10, 3)), 4, axis=0), np.repeat(rng.standard_normal(10), 4)
    sums = evidence.EvidenceSums()
    part, _ = evidence.ArmEvidence.of(kb.Gaussian(1.0).gram(X), np.zeros(40), y)
    sums.add(part)
    return sums, float(np.var(y))


def test_smaller_noise_is_ruled_out_however_well_rewards_agree():
    sums, variance = _sums()
    _, plain = evidence.offset_and_ridge(sums.log_posterior(1.0, variance))
    _, held = evidence.offset_and_ridge(sums.log_posterior(1.0, variance, 0.01 * variance))
    assert plain < 1e-5  # equal rewards at equal contexts
    assert held > 1e-3


def test_where_all_is_ruled_out_the_likeliest_stays():
    sums, variance = _sums()
    plain, held = (sums.log_posterior(1.0, variance, least) for least in (0.0, 1e12))
    assert held.argmax() == plain.argmax()


@pytest.mark.parametrize("seed", range(3))
def test_nearly_equal_contexts_with_equal_rewards_do_not_prove_that_there_is_no_noise(seed):
    rng = np.random.default_rng(seed)
    crowded = rng.random(300) < 0.65
    contexts = np.where(crowded[:, np.newaxis], 1.0 + rng.poisson(0.3, (300, 9)), rng.integers(1, 11, (300, 9)))
    agent = kb.default_policy().start(kb.Problem(n_arms=2, dim=9), rng=seed)
    tracker, noise = agent._learner._tracker, []
    for x, label in zip(contexts, crowded, strict=True):
        arm = agent.choose(x).arm
        agent.observe(x, arm, float(arm == label))
        noise.append(tracker._square * tracker._model.components.ridge if tracker._model is not None else 1.0)
    assert min(noise[20:]) > 0.1 * 0.01  # the amplitude follows later rewards; without the bound it is below 10⁻⁶
