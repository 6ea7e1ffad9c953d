"""Rewards that come late and in any order give the same belief as rewards that come in order."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.estimation import next_estimate

K, DIM, T, DELAY = 3, 6, 600, 500
RNG = np.random.default_rng(0)
CONTEXTS, ARMS = RNG.standard_normal((T, DIM)), RNG.choice(K, T, p=[0.6, 0.3, 0.1])
REWARDS = np.sin(CONTEXTS[:, 0]) + ARMS + 0.1 * RNG.standard_normal(T)
ASKED = RNG.standard_normal((20, K, DIM))
PROBLEM = kb.Problem(K, DIM)


def delayed(seed):
    """The order in which rewards arrive, each up to 500 rounds after its decision."""
    late = np.random.default_rng(seed).integers(0, DELAY + 1, T)
    assert late.max() == DELAY
    return np.argsort(np.arange(T) + late, kind="stable")


def shuffled(seed):
    return np.random.default_rng(seed).permutation(T)


def told(tracker, order):
    for t in order:
        tracker.observe(CONTEXTS[t], int(ARMS[t]), float(REWARDS[t]))
    return [np.array(tracker.mean_and_std(contexts)) for contexts in ASKED]


ORDERS = [delayed(1), shuffled(3), np.arange(T)[::-1]]


@pytest.mark.parametrize("order", ORDERS, ids=["delayed", "shuffled", "backwards"])
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_known_model(order, ridge):
    belief = kb.IndependentArms(kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge), rewards=kb.AsGiven())
    in_order = told(belief.start(PROBLEM), np.arange(T))
    assert np.allclose(told(belief.start(PROBLEM), order), in_order, rtol=0, atol=1e-8)


@pytest.mark.parametrize("order", ORDERS, ids=["delayed", "shuffled", "backwards"])
@pytest.mark.parametrize(
    "belief",
    [
        kb.IndependentArms(kb.GaussianProcess(kb.Gaussian(gamma=1.0), 0.1)),
        kb.JointArms(kb.GaussianProcess(kb.Gaussian(gamma=1.0), 0.1), kb.Exchangeable(0.5)),
        kb.LinearArms(),
    ],
    ids=repr,
)
def test_estimated_units(order, belief):
    last = estimation_counts()[-1]
    in_order = told(belief.start(PROBLEM), np.arange(last))
    assert np.allclose(told(belief.start(PROBLEM), order[order < last]), in_order, rtol=0, atol=1e-8)


def estimation_counts():
    """The numbers of rewards at which beliefs estimate: they depend on nothing else."""
    counts = [max(2, K)]
    while counts[-1] <= T:
        counts.append(next_estimate(counts[-1], None))
    return counts[:-1]


@pytest.mark.parametrize("order", ORDERS, ids=["delayed", "shuffled", "backwards"])
def test_estimated_model(order):
    """Equal once an estimation is complete that fell on the count, which takes some rewards; more than 200 rewards of
    an arm, so some are left out of the estimation: the same ones."""
    last = estimation_counts()[-1]
    assert np.bincount(ARMS[:last]).max() > 200
    order, rest = order[order < last], np.arange(last, last + 60)
    belief = kb.EmpiricalBayes()
    in_order = told(belief.start(PROBLEM), np.arange(last + 60))
    assert np.allclose(told(belief.start(PROBLEM), [*order, *rest]), in_order, rtol=0, atol=1e-10)


def test_a_reward_more_or_less_would_be_seen():
    last, belief = estimation_counts()[-1], kb.EmpiricalBayes()
    with_all = told(belief.start(PROBLEM), np.arange(last))
    other = told(belief.start(PROBLEM), np.append(np.arange(last - 1), last))
    assert not np.allclose(with_all, other, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "policy",
    [
        kb.ThompsonSampling(kb.IndependentArms(kb.GaussianProcess(kb.Gaussian(gamma=1.0), 0.1)), n_initial=0),
        kb.GPUCB(kb.GaussianProcess(kb.Gaussian(gamma=1.0), 0.1), kb.ConstantWidth(1.0)),
        kb.CalibratedUCB(n_initial=0),
    ],
    ids=repr,
)
def test_agents_decide_alike_after_the_same_rewards(policy):
    """Through the public door: batches of decisions, rewards of all of them late and shuffled."""
    last = estimation_counts()[-1]
    agents = [policy.start(PROBLEM, 5) for _ in range(2)]
    for agent, order in zip(agents, (np.arange(last), np.random.default_rng(7).permutation(last)), strict=True):
        for t in [*order, *range(last, last + 60)]:
            agent.observe(CONTEXTS[t], int(ARMS[t]), float(REWARDS[t]))
    first, second = (agent.choose_batch(ASKED) for agent in agents)
    assert np.array_equal(first.arms, second.arms)
    assert np.allclose(first.propensities, second.propensities, atol=1e-8)
    assert np.allclose(first.scores, second.scores, atol=1e-8)


def test_exploration_in_turn_does_not_wait_for_rewards():
    """B decisions before any reward: every arm has had its turns."""
    agent = kb.CalibratedUCB(n_initial=2).start(PROBLEM, 0)
    batch = agent.choose_batch(ASKED[: 2 * K])
    assert np.bincount(batch.arms).tolist() == [2] * K
