"""Decisions do not depend on the unit of the rewards, nor on where they are counted from."""

from dataclasses import replace

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.beliefs import arm_levels

K, DIM, HORIZON = 3, 5, 70
MODEL = kb.GaussianProcess(kb.Gaussian(gamma=2.0), ridge=0.5)
POLICIES = [
    *(kb.CalibratedUCB(belief) for belief in examples.BELIEFS if getattr(belief, "rewards", None) != kb.AsGiven()),
    kb.ThompsonSampling(kb.IndependentArms(MODEL), n_initial=0),
    kb.ThompsonSampling(),
    kb.GreedyInterpolation(),
    kb.LinearUCB(),
    kb.LinearUCB(alpha=0.3, intercept=False),
    kb.LinearThompsonSampling(),
    *(kb.GPUCB(MODEL, width) for width in examples.WIDTHS),
]


def rounds_of(seed, horizon=HORIZON, noise_std=0.1):
    instance = kb.Synthetic(kb.LowRank(), n_arms=K, dim=DIM, n_bumps=10, noise_std=noise_std).draw(seed)
    return instance.problem(horizon), instance.rounds(horizon, np.random.default_rng(seed + 1))


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_the_same_decisions(policy):
    """Noise and norms that a width is told are stated in the new unit too. Others are in the contract of policies."""
    scale, shift = 3.0, -20.0
    problem, rounds = rounds_of(1)
    restated = replace(problem, noise_std=scale * problem.noise_std, reward_norms=scale * problem.reward_norms)
    changed = kb.Rounds(rounds.contexts, scale * rounds.means + shift, scale * rounds.noise)
    first = kb.replay(policy, problem, rounds, np.random.default_rng(2)).arms
    assert np.array_equal(kb.replay(policy, restated, changed, np.random.default_rng(2)).arms, first)


def linear_regret(policy, level):
    total = 0.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        contexts = rng.standard_normal((400, K, DIM))
        means = np.einsum("tkd,kd->tk", contexts, rng.standard_normal((K, DIM))) + level
        rounds = kb.Rounds(contexts, means, 0.5 * rng.standard_normal(400))
        total += kb.replay(policy, kb.Problem(K, DIM), rounds, np.random.default_rng(seed)).regrets.sum()
    return total


@pytest.mark.parametrize("policy", [kb.LinearUCB(), kb.LinearThompsonSampling(), kb.GreedyInterpolation()], ids=repr)
def test_rewards_around_a_hundred_cost_nothing(policy):
    assert linear_regret(policy, 100.0) == pytest.approx(linear_regret(policy, 0.0), rel=1e-6)


def test_as_given_they_do():
    """As printed by Li et al."""
    policy = kb.LinearUCB(rewards=kb.AsGiven())
    assert linear_regret(policy, 100.0) > 2.0 * linear_regret(policy, 0.0)
    assert linear_regret(kb.LinearUCB(), 0.0) < 2.0 * linear_regret(policy, 0.0)


@pytest.mark.parametrize("width", examples.WIDTHS, ids=repr)
def test_widths_are_in_units_of_the_prior(width):
    """With standardised rewards at hand, GPUCB is told of them as given, with norms and noise in their unit."""
    rng = np.random.default_rng(0)
    X, arms, y = rng.standard_normal((27, DIM)), np.arange(27) % K, 5.0 * rng.standard_normal(27)
    found = arm_levels([y[arms == arm] for arm in range(K)])
    problem = kb.Problem(K, DIM, noise_std=2.0, reward_norms=np.array([3.0, 9.0, 1.0]))
    unit = replace(problem, noise_std=2.0 / found.within, reward_norms=problem.reward_norms / found.within)
    standardised = kb.GPUCB(MODEL, width).start(problem, 0)
    given = kb.GPUCB(MODEL, width, kb.AsGiven()).start(unit, 0)
    for x, arm, reward in zip(X, arms, y, strict=True):
        standardised.observe(x, int(arm), float(reward))
        given.observe(x, int(arm), float((reward - found.levels[arm]) / found.within))
    shown = rng.standard_normal((K, DIM))
    expected = found.levels + found.within * given.choose(shown).scores
    np.testing.assert_allclose(standardised.choose(shown).scores, expected, rtol=1e-8)


def arms_of(policy, contexts, rewards):
    """The arms that an agent of this policy plays, shape (T,)."""
    agent, chosen = policy.start(kb.Problem(*contexts.shape[1:]), 0), []
    for shown, paid in zip(contexts, rewards, strict=True):
        arm = agent.choose(shown).arm
        agent.observe(shown[arm], arm, float(paid[arm]))
        chosen.append(arm)
    return np.array(chosen)


@pytest.mark.parametrize("order", [[1, 0], [2, 0, 3, 1], [4, 3, 2, 1, 0]], ids=len)
def test_exchanged_arms_change_nothing(order):
    """Contexts, reward functions and noise are exchanged with the arms: so are the decisions, the first ones too."""
    n_arms, dim, horizon = len(order), 6, 150
    rng = np.random.default_rng(21)
    contexts = rng.standard_normal((horizon, n_arms, dim))
    rewards = np.tanh(contexts @ rng.standard_normal(dim)) + np.arange(n_arms) / 3.0
    rewards += 0.1 * rng.standard_normal((horizon, n_arms))
    plain = arms_of(kb.default_policy(), contexts, rewards)
    others = arms_of(kb.default_policy(), contexts[:, order], rewards[:, order])
    assert sorted(plain[:n_arms]) == list(range(n_arms))
    assert len(np.unique(plain[n_arms:])) > 1
    assert np.array_equal(np.array(order)[others], plain)


def test_first_turns_do_not_depend_on_units_of_contexts():
    rng = np.random.default_rng(22)
    contexts, rewards = rng.standard_normal((60, 4, 6)), rng.standard_normal((60, 4))
    plain = arms_of(kb.default_policy(), contexts, rewards)
    for changed in (100.0 * contexts, contexts + 1e6, contexts[:, :, ::-1], 1e140 * contexts, 1e-140 * contexts):
        assert np.array_equal(arms_of(kb.default_policy(), changed, rewards)[:4], plain[:4])


def test_first_turns_go_by_number_if_all_arms_show_one_context():
    contexts = np.random.default_rng(23).standard_normal((7, 7))
    agent = kb.default_policy().start(kb.Problem(7, 7), 0)
    assert [agent.choose(np.tile(x, (7, 1))).arm for x in contexts] == list(range(7)), "copies"
    agent = kb.default_policy().start(kb.Problem(7, 7), 0)
    assert [agent.choose(x + 1e6).arm for x in contexts] == list(range(7)), "one for all"


def test_first_turns_are_what_score_says():
    """Also if some arms are not eligible or have been removed."""
    rng = np.random.default_rng(24)
    contexts, agent = rng.standard_normal((12, 6, 5)), kb.default_policy().start(kb.Problem(6, 5), 0)
    agent.remove_arm(3)
    for t, shown in enumerate(contexts[:4]):
        mask = np.arange(6) != t
        said = agent.score(contexts, eligible=np.tile(mask, (12, 1))).probabilities[t]
        decision = agent.choose(shown, eligible=mask)
        assert said[decision.arm] == decision.propensity == 1.0
        assert decision.arm not in (3, t)
