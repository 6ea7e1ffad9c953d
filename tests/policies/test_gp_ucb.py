from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import pytest

import kernelbandits as kb
import oracles

K, DIM = 3, 4
NORMS = np.array([1.0, 2.0, 0.5])
PROBLEM = kb.Problem(K, DIM, noise_std=0.3, reward_norms=NORMS)
KERNEL = kb.Gaussian(gamma=4.0)
rng = np.random.default_rng(0)
CONTEXTS, REWARDS = rng.standard_normal((50, K, DIM)), rng.standard_normal((50, K))


def policy(width, ridge=0.5):
    return kb.GPUCB(kb.GaussianProcess(KERNEL, ridge), width, kb.AsGiven())


def expected_scores(seen, t, beta, ridge=0.5):
    """Mean + β std from all observations of each arm, β a function of ln det(I + K/ridge) and the arm."""
    scores = []
    for arm in range(K):
        own = [s for s, played in seen if played == arm]
        X, x = CONTEXTS[own, arm], CONTEXTS[t, arm]
        K_own = oracles.gaussian(X, X) if own else np.zeros((0, 0))
        k = oracles.gaussian([x], X)[0]
        mean, std, log_det = oracles.gp_posterior(K_own, k, 1.0, REWARDS[own, arm], ridge)
        scores.append(mean + beta(arm, log_det) * std)
    return np.array(scores)


WIDTHS = [
    (kb.ConstantWidth(1.7), lambda arm, log_det: 1.7),
    (
        kb.TheoreticalWidth(delta=0.2, scale=0.1),
        lambda arm, log_det: 0.1 * (NORMS[arm] + 0.09 / sqrt(0.5) * sqrt(2 * log_det + 2 * log(3 / 0.2))),
    ),
    (
        kb.SubGaussianWidth(delta=0.2),
        lambda arm, log_det: NORMS[arm] + 0.3 / sqrt(0.5) * sqrt(2 * log_det + 2 * log(3 / 0.2)),
    ),
]


@pytest.mark.parametrize(("width", "beta"), WIDTHS, ids=["constant", "theoretical", "sub-gaussian"])
def test_scores_are_upper_confidence_bounds(width, beta):
    agent, seen = policy(width).start(PROBLEM, 0), []
    for t in range(50):
        decision = agent.choose(CONTEXTS[t])
        expected = expected_scores(seen, t, beta)
        assert np.allclose(decision.scores, expected, atol=1e-9)
        assert expected[decision.arm] == pytest.approx(expected.max(), abs=1e-9)
        agent.observe(CONTEXTS[t, decision.arm], decision.arm, float(REWARDS[t, decision.arm]))
        seen.append((t, decision.arm))


def test_explored_tells_whether_the_mean_was_not_the_best():
    agent, greedy = (policy(kb.ConstantWidth(value)).start(PROBLEM, 0) for value in (5.0, 0.0))
    flags = []
    for t in range(30):
        decision, best = agent.choose(CONTEXTS[t]), greedy.choose(CONTEXTS[t])
        assert decision.explored == (best.scores[decision.arm] < best.scores.max())
        assert not best.explored
        flags.append(decision.explored)
        for learner in (agent, greedy):
            learner.observe(CONTEXTS[t, decision.arm], decision.arm, float(REWARDS[t, decision.arm]))
    assert set(flags) == {True, False}


def test_delayed_rewards_in_any_order_give_the_same_scores():
    observations = [(CONTEXTS[t, t % K], t % K, float(REWARDS[t, t % K])) for t in range(30)]
    scores = []
    for order in (range(30), reversed(range(30)), np.random.default_rng(1).permutation(30)):
        agent = policy(kb.TheoreticalWidth()).start(PROBLEM, 0)
        for index in order:
            agent.observe(*observations[index])
        scores.append([agent.choose(CONTEXTS[t]).scores for t in range(30, 50)])
    assert np.allclose(scores[0], scores[1], atol=1e-10)
    assert np.allclose(scores[0], scores[2], atol=1e-10)


@pytest.mark.parametrize("width", [kb.TheoreticalWidth(), kb.SubGaussianWidth()], ids=repr)
@pytest.mark.parametrize(
    ("known", "missing"),
    [
        ({"reward_norms": NORMS}, "noise_std"),
        ({"noise_std": 0.1}, "reward_norms"),
        ({}, "noise_std and problem.reward_norms"),
    ],
)
def test_a_width_says_what_it_needs_to_know(width, known, missing):
    with pytest.raises(kb.errors.MissingKnowledge, match=f"{type(width).__name__} needs problem.{missing};"):
        policy(width).start(kb.Problem(K, DIM, **known), 0)


def test_a_constant_width_needs_no_knowledge():
    assert policy(kb.ConstantWidth(1.0)).start(kb.Problem(K, DIM), 0).choose(CONTEXTS[0]).propensity == 1 / K


@dataclass(frozen=True, slots=True)
class NoiseWidth(kb.Width):
    """β = σ in the units of the prior: a width of one's own that needs no norms."""

    def of(self, arm, posterior, problem):
        return problem.noise_std


def test_a_new_arm_leaves_the_bounds_of_the_others():
    agent = kb.GPUCB(kb.GaussianProcess(KERNEL, 0.5), NoiseWidth()).start(kb.Problem(K, DIM, noise_std=3.0), 0)
    agent.observe_batch(
        CONTEXTS[range(30), [t % K for t in range(30)]], [t % K for t in range(30)], 10.0 * REWARDS[:30, 0]
    )
    before = agent.choose(CONTEXTS[40]).scores
    agent.add_arm()
    after = agent.choose(np.vstack([CONTEXTS[40], CONTEXTS[40, :1]])).scores
    assert after[:K] == pytest.approx(before)
