"""SupKernelUCB against its steps written out with fresh solves."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

import kernelbandits as kb
import oracles
from kernelbandits.policies.sup_kernel_ucb import _Asked

K, DIM, HORIZON, RIDGE, WIDTH, SPAN = 4, 3, 150, 0.05, 0.6, 1.5
INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=K, dim=DIM, n_bumps=30).draw(np.random.default_rng(0))
ROUNDS = INSTANCE.rounds(HORIZON, np.random.default_rng(1))
MODEL = kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=RIDGE)
APART = kb.SupKernelUCB(kb.IndependentArms(MODEL, kb.AsGiven()), WIDTH, SPAN)
COMMON = kb.SupKernelUCB(kb.JointArms(MODEL, rewards=kb.AsGiven()), WIDTH, SPAN)


def estimate(data, x):
    """Mean and standard deviation at x given a list of (context, reward)."""
    X, y = np.array([z for z, _ in data]).reshape(-1, DIM), np.array([reward for _, reward in data])
    k = oracles.gaussian([x], X)[0] if len(X) else np.zeros(0)
    return oracles.gp_posterior(oracles.gaussian(X, X), k, 1.0, y, RIDGE)[:2]


def by_hand(group):
    """Arms that the algorithm of Valko et al. plays; `group(arm)` tells whose rewards an arm learns from."""
    levels, arms = {}, []
    for contexts, means, noise in zip(ROUNDS.contexts, ROUNDS.means, ROUNDS.noise, strict=True):
        s, inside = 1, list(range(K))
        while True:
            data = levels.setdefault(s, {})
            answers = [estimate(data.get(group(arm), []), contexts[arm]) for arm in inside]
            widths = [WIDTH * std for _, std in answers]
            bounds = [mean + width for (mean, _), width in zip(answers, widths, strict=True)]
            if max(widths) <= SPAN / sqrt(HORIZON):
                arms.append((inside[int(np.argmax(bounds))], None))
                break
            if max(widths) > SPAN / 2**s:
                arm = inside[int(np.argmax(widths))]
                data.setdefault(group(arm), []).append((contexts[arm], means[arm] + noise))
                arms.append((arm, s))
                break
            inside = [
                arm for arm, bound in zip(inside, bounds, strict=True) if bound >= max(bounds) - SPAN * 2 ** (1 - s)
            ]
            s += 1
    return arms


@pytest.mark.parametrize(
    ("policy", "group"), [(APART, lambda arm: arm), (COMMON, lambda arm: 0)], ids=["apart", "common"]
)
def test_it_is_the_algorithm_of_the_paper(policy, group):
    expected = by_hand(group)
    agent = policy.start(INSTANCE.problem(HORIZON), rng=0)
    reached = set()
    for t, (arm, level) in enumerate(expected):
        decision = agent.choose(ROUNDS.contexts[t])
        for _ in range(200):  # equally wide arms: let chance decide once more
            if decision.propensity == 1.0 or decision.arm == arm:
                break
            agent.withdraw(decision)
            decision = agent.choose(ROUNDS.contexts[t])
        assert decision.arm == arm, f"round {t}"
        assert decision.explored == (level is not None)
        agent.observe(ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, arm] + ROUNDS.noise[t]))
        reached.add(level)
    assert len(reached) > 2, "several levels must have been at work for this to say anything"


def test_late_rewards_go_to_the_level_that_asked():
    """All rewards at the end, in any order: afterwards each level knows the same."""
    orders = np.arange(40), np.random.default_rng(2).permutation(40)
    scores = []
    for order in orders:
        agent = COMMON.start(INSTANCE.problem(HORIZON), rng=0)
        for t in range(40):  # the first 40 contexts are repeated, so that one context is asked for by several levels
            shown = ROUNDS.contexts[t % 10]
            arm = agent.choose(shown).arm
            agent.observe(shown[arm], arm, 0.3)
        decided = [(t, agent.choose(ROUNDS.contexts[40 + t]).arm) for t in range(40)]
        for t, arm in [decided[i] for i in order]:
            agent.observe(ROUNDS.contexts[40 + t, arm], arm, float(ROUNDS.means[40 + t, arm]))
        scores.append([agent.choose(shown).scores for shown in ROUNDS.contexts[80:]])
    assert np.allclose(*scores, atol=1e-10)


def test_each_reward_of_a_repeated_context_goes_to_the_decision_that_asked():
    """One arm and one context: when the first level knows enough, the next ones ask, until all of them know."""
    x = ROUNDS.contexts[0, :1]
    agent = kb.SupKernelUCB(kb.JointArms(MODEL), WIDTH, SPAN).start(kb.Problem(1, DIM, horizon=HORIZON), rng=0)
    flags = []
    for _ in range(60):
        flags.append(agent.choose(x).explored)
        agent.observe(x[0], 0, 0.5)
    widths = [WIDTH * sqrt(RIDGE / (n + RIDGE)) for n in range(60)]  # after n rewards of one context, k(x, x) = 1
    accuracies = [SPAN / 2**s for s in range(1, 5)]
    asked = sum(next(n for n, width in enumerate(widths) if width <= accuracy) for accuracy in accuracies)
    enough = next(n for n, width in enumerate(widths) if width <= SPAN / sqrt(HORIZON))
    assert sum(flags) <= asked + enough
    assert flags == sorted(flags, reverse=True)
    assert not flags[-1]


def test_late_rewards_of_a_repeated_context_come_in_the_order_of_its_decisions():
    """The second decision was certain: its reward is not learned, though that of the first was."""
    x = ROUNDS.contexts[0, :1]
    policy = kb.SupKernelUCB(kb.JointArms(kb.GaussianProcess(kb.Gaussian(4.0), ridge=1e-6)), WIDTH, SPAN)
    agent = policy.start(kb.Problem(1, DIM, horizon=16), rng=0)
    assert agent.choose(x).explored
    agent.observe(x[0], 0, 0.5)
    certain = agent.choose(x)
    assert not certain.explored
    agent.observe(x[0], 0, 1000.0)
    assert agent.choose(x).scores == pytest.approx(certain.scores)


def test_the_levels_of_rewards():
    asked = _Asked([0, -1, 2])
    assert [asked.next() for _ in range(5)] == [0, -1, 2, 2, 2]
    asked.levels.append(3)
    assert asked.next() == 3
    assert _Asked().next() == 0


def test_the_horizon_is_needed():
    with pytest.raises(kb.errors.MissingKnowledge, match=r"SupKernelUCB needs problem\.horizon"):
        kb.SupKernelUCB().start(kb.Problem(3, 4), rng=0)


def test_rewards_of_decisions_that_were_certain_are_not_learned():
    """Where everything is known well enough, what comes in changes nothing."""
    policy = kb.SupKernelUCB(kb.JointArms(MODEL, rewards=kb.AsGiven()), width=0.01)
    agent = policy.start(kb.Problem(K, DIM, horizon=100), rng=0)
    first = agent.choose(ROUNDS.contexts[0])
    assert not first.explored
    agent.observe(ROUNDS.contexts[0, first.arm], first.arm, 1000.0)
    assert np.array_equal(agent.choose(ROUNDS.contexts[0]).scores, first.scores)


def test_a_reward_that_nobody_asked_for_is_learned_by_the_first_level():
    agent = kb.SupKernelUCB(kb.JointArms(MODEL, rewards=kb.AsGiven()), width=2.0).start(
        kb.Problem(K, DIM, horizon=100), rng=0
    )
    contexts = ROUNDS.contexts[0]
    agent.observe(contexts[1], 1, 1.0)
    known = MODEL.fit(contexts[1:2], [1.0])
    assert np.allclose(agent.choose(contexts).scores, 2.0 * known.std(contexts))


def test_it_learns_a_common_function_of_one_feature():
    policy = kb.SupKernelUCB(kb.JointArms(replace(MODEL, ridge=0.1), rewards=kb.AsGiven()), 1.0, reward_range=4.0)
    regrets = {policy: 0.0, kb.Uniform(): 0.0}
    for seed in range(1000, 1004):
        instance = kb.Synthetic(kb.LowRank(n_active=1), n_arms=5, dim=1, n_bumps=20, noise_std=0.1).draw(seed)
        common = replace(instance, rewards=(instance.rewards[0],) * 5)
        for candidate in regrets:
            regrets[candidate] += kb.play(candidate, common, 500, rng=seed).cumulative_regret[-1]
    assert regrets[policy] < 0.15 * regrets[kb.Uniform()]
