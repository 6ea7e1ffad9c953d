"""Every eligible arm keeps a probability of at least ε, exactly as stated."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.selection import distribution

K, DIM = 4, 3
PROBLEM = kb.Problem(K, DIM)
TURNS = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(), ridge=0.1), n_explore=40)
GREEDY = kb.GPUCB(kb.GaussianProcess(kb.Gaussian()), kb.ConstantWidth(0.0))


def learner(policy, seed=0):
    return policy.learner(PROBLEM, np.random.default_rng(seed))


@given(
    epsilon=st.floats(1e-6, 1 / K),
    eligible=st.lists(st.booleans(), min_size=K, max_size=K).filter(any),
    seed=st.integers(0, 1000),
    policy=st.sampled_from([TURNS, GREEDY, kb.Uniform(), kb.ThompsonSampling(n_initial=0)]),
)
def test_the_formula(epsilon, eligible, seed, policy):
    """p = (1 − Kₑ ε) q + ε for eligible arms, 0 for others."""
    mask, contexts = np.array(eligible), np.random.default_rng(seed).standard_normal((K, DIM))
    inner, floored = learner(policy, seed), learner(kb.ExplorationFloor(policy, epsilon), seed)
    q = distribution(inner.decide(contexts, mask))
    choice = floored.decide(contexts, mask)
    n = np.count_nonzero(mask)
    assert distribution(choice) == pytest.approx(np.where(mask, (1 - n * epsilon) * q + epsilon, 0.0), abs=1e-12)
    assert distribution(choice).sum() == pytest.approx(1.0, abs=1e-9)
    assert choice.propensity == pytest.approx(distribution(choice)[choice.arm], abs=1e-15)


def test_a_turn_that_was_not_played_does_not_count_but_what_was_observed_does():
    """Explore-then-commit under a floor commits after 40 rewards, about ten an arm, whoever decided."""
    agent = kb.ExplorationFloor(TURNS, epsilon=0.1).start(PROBLEM, 0)
    counts, rng = np.zeros(K), np.random.default_rng(1)
    while not (decision := agent.choose(np.zeros(DIM))).scores.any():
        counts[decision.arm] += 1
        agent.observe(np.zeros(DIM), decision.arm, float(decision.arm) + 0.1 * rng.standard_normal())
    assert decision.id == counts.sum() == 40
    assert np.ptp(counts) <= 2
    silent = kb.ExplorationFloor(TURNS, epsilon=0.1).start(PROBLEM, 0)
    decisions = [silent.choose(np.zeros(DIM)) for _ in range(60)]
    own = [decision.arm for decision in decisions if decision.propensity > 0.5]
    assert own == [t % K for t in range(len(own))]
    assert len(own) < 50


def test_a_start_from_a_log_is_not_explored_again():
    """60 rewards are 40 turns of the inner policy: what explores is the floor, with its ε."""
    rng = np.random.default_rng(2)
    for policy in (TURNS, kb.CalibratedUCB()):
        agent = kb.ExplorationFloor(policy, epsilon=0.01).start(PROBLEM, 0)
        for t in range(60):
            agent.observe(rng.standard_normal(DIM), t % K, float(t % K) + 0.1 * rng.standard_normal())
        decisions = [agent.choose(rng.standard_normal(DIM)) for _ in range(12)]
        assert [decision.arm for decision in decisions] == [K - 1] * 12


def test_an_overruled_decision_explores():
    agent = kb.ExplorationFloor(GREEDY, epsilon=0.1).start(PROBLEM, 0)
    for _ in range(5):
        for arm in range(K):
            agent.observe(np.ones(DIM), arm, float(arm == 2))
    decisions = [agent.choose(np.ones(DIM)) for _ in range(60)]
    assert {(decision.arm == 2, decision.explored) for decision in decisions} == {(True, False), (False, True)}


def test_withdrawing_gives_back_one_turn_at_most():
    agent = kb.ExplorationFloor(TURNS, epsilon=0.1).start(PROBLEM, 3)
    overruled = []
    for _ in range(60):
        decision = agent.choose(np.zeros(DIM))
        agent.withdraw(decision)
        overruled.append(decision.propensity < 0.5)
    decisions = [agent.choose(np.zeros(DIM)) for _ in range(12)]
    assert {True, False} == set(overruled)
    assert [decision.arm for decision in decisions if decision.propensity > 0.5][:4] == [0, 1, 2, 3]


def test_a_floor_above_one_in_k_is_refused():
    with pytest.raises(InvalidArgument, match=r"epsilon must be at most 1/K, 0\.25 for 4 arms; got 0\.26"):
        kb.ExplorationFloor(GREEDY, 0.26).start(PROBLEM, 0)
    agent = kb.ExplorationFloor(GREEDY, 0.25).start(PROBLEM, 0)
    assert {agent.choose(np.zeros(DIM)).propensity for _ in range(50)} == {0.25}
    with pytest.raises(InvalidArgument, match=r"at most 1/K, 0\.2 for 5 arms"):
        agent.add_arm()
    assert agent.problem.n_arms == K


def test_a_policy_that_hides_its_probabilities_is_found_out():
    """A learner that states 0.3 for the best of its scores must say what the others have."""
    choice = kb.Choice(1, 0.3, np.array([0.0, 1.0, 0.5]), explored=False)
    with pytest.raises(InvalidArgument, match="must give the probabilities of all arms"):
        distribution(choice)


def test_logs_of_a_floored_policy_can_be_replayed():
    """Weights 1/p are bounded, and the weighted mean of any fixed arm's rewards finds its mean."""
    agent, rng = kb.ExplorationFloor(GREEDY, 0.05).start(PROBLEM, 0), np.random.default_rng(1)
    total = 0.0
    for _ in range(4000):
        decision = agent.choose(np.zeros(DIM))
        reward = float(decision.arm == 2) + 0.1 * rng.standard_normal()
        if decision.id < 50:
            agent.observe(np.zeros(DIM), decision.arm, reward)
        total += (decision.arm == 1) * (reward + 1.0) / decision.propensity
    assert total / 4000 == pytest.approx(1.0, abs=4 * np.sqrt(1 / 0.05 / 4000))
