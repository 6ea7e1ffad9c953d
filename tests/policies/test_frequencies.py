"""Over 2,000 decisions of every policy, arms are chosen as often as the stated propensities say."""

import numpy as np
import pytest
from scipy.stats import chisquare

import examples
import kernelbandits as kb

K, DIM, N = 4, 5, 5000
PLAIN = np.ones(K, dtype=bool)
MASK = np.array([True, False, True, True])
FLOOR = 0.08
INSTANCE = kb.Synthetic(kb.ApproximateLowRank(), n_arms=K, dim=DIM, n_bumps=20, noise_std=0.2).draw(
    np.random.default_rng(0)
)
ROUNDS = INSTANCE.rounds(60, np.random.default_rng(1))
EXPLORING = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(4.0), ridge=0.1), n_explore=50)
ONE_OF_EACH = {type(policy): policy for policy in (*examples.POLICIES, EXPLORING)}
POLICIES = [policy for kind, policy in ONE_OF_EACH.items() if kind is not kb.ExplorationFloor]


def trained(policy, n_rounds, seed):
    """An agent after some rounds; its rewards are those of the first arm for any, so that arms are hard to tell."""
    agent = policy.start(INSTANCE.problem(200), seed)
    for t in range(n_rounds):
        arm = agent.choose(ROUNDS.contexts[t]).arm
        agent.observe(ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, 0] + ROUNDS.noise[t]))
    return agent


def tally(agent, contexts, mask, n):
    """How often each arm was chosen in the same situation, and the propensities that were stated for it."""
    counts, stated = np.zeros(K), [set() for _ in range(K)]
    for _ in range(n):
        decision = agent.choose(contexts, mask)
        agent.withdraw(decision)  # or else turns would go on
        counts[decision.arm] += 1
        stated[decision.arm].add(decision.propensity)
    return counts, stated


def check_frequencies(agent, contexts, mask, n, least=0.0):
    counts, stated = tally(agent, contexts, mask, n)
    assert not counts[~mask].any()
    assert all(len(values) <= 1 for values in stated), "one situation, one propensity"
    seen = [arm for arm in range(K) if stated[arm]]
    p = np.array([stated[arm].pop() for arm in seen])
    assert p.min() >= least - 1e-12
    missing = 1.0 - p.sum()  # of arms that were never chosen
    assert missing > -1e-9
    observed, expected = counts[seen], n * p
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum() + n * max(missing, 0.0))
    if expected[-1] < 1e-6:
        assert observed[-1] == 0
        observed, expected = observed[:-1], expected[:-1]
    if len(observed) > 1:
        assert chisquare(observed, expected * n / expected.sum()).pvalue > 1e-3
    else:
        assert observed[0] == pytest.approx(expected[0])


@pytest.mark.parametrize("n_rounds", [2, 60], ids=["early", "late"])
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_stated_propensities_are_frequencies(policy, n_rounds):
    """500 decisions each: plain, and with a floor under a mask; early and late."""
    n, floored = 500, kb.ExplorationFloor(policy, FLOOR)
    contexts = ROUNDS.contexts[-1]
    check_frequencies(trained(policy, n_rounds, 2), contexts, PLAIN, n)
    check_frequencies(trained(floored, n_rounds, 5), contexts, MASK, n, least=FLOOR)


def test_a_wrong_propensity_would_be_found():
    """The check itself can fail: Thompson sampling on contexts other than those it states propensities for."""
    agent = trained(kb.ThompsonSampling(), 60, 2)

    class Wrong:
        withdraw = agent.withdraw

        def choose(self, contexts, mask):
            decision = agent.choose(contexts, mask)
            return decision._replace(propensity=0.9 * decision.propensity)

    with pytest.raises(AssertionError):
        check_frequencies(Wrong(), ROUNDS.contexts[-1], PLAIN, N)
