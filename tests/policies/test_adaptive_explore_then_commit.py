"""Explore-then-Commit with a budget from the data: against refitting everything, its cap, doubling, delays, masks."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
import oracles

K, DIM, HORIZON = 3, 12, 240
INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=K, dim=DIM).draw(np.random.default_rng(0))
POLICY = kb.AdaptiveExploreThenCommit(kb.GaussianProcess(kb.Gaussian(4.0), ridge=1e-8))


def rounds_of(seed, n=HORIZON):
    return INSTANCE.rounds(n, np.random.default_rng(seed))


def play(policy, rounds, problem, delays=None, rng=0):
    """All decisions; the reward of round t comes after round t + delays[t]."""
    agent, decisions, due = policy.start(problem, rng), [], {}
    for t, shown in enumerate(rounds.contexts):
        decision = agent.choose(shown)
        decisions.append(decision)
        due.setdefault(t + (delays[t] if delays else 0), []).append(t)
        for s in due.pop(t, []):
            arm = decisions[s].arm
            agent.observe(rounds.contexts[s, arm], arm, float(rounds.means[s, arm] + rounds.noise[s]))
    return decisions


def explored(decisions):
    return [decision.explored for decision in decisions]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("horizon", [60, 240])
@pytest.mark.parametrize("units", [kb.AsGiven(), kb.Standardized()], ids=repr)
def test_stops_where_refitting_everything_does(seed, horizon, units):
    rounds = rounds_of(seed)
    left_out = units.left_out_levels
    expected = oracles.adaptive_exploration(rounds, oracles.gaussian, 1e-8, horizon, horizon // 2, left_out)
    decisions = play(replace(POLICY, rewards=units), rounds, kb.Problem(K, DIM, horizon))
    assert explored(decisions) == [t < expected for t in range(HORIZON)]
    assert [decision.arm for decision in decisions[:expected]] == [t % K for t in range(expected)]
    assert all(decision.propensity == 1.0 for decision in decisions[:expected])


def test_the_budget_depends_on_the_data():
    budgets = {sum(explored(play(POLICY, rounds_of(seed), kb.Problem(K, DIM, HORIZON)))) for seed in range(6)}
    assert len(budgets) > 3


def test_then_plays_as_explore_then_commit_with_that_budget():
    rounds, problem = rounds_of(1), kb.Problem(K, DIM, HORIZON)
    decisions = play(POLICY, rounds, problem)
    n_explore = sum(explored(decisions))
    known = play(kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), n_explore), rounds, problem)
    assert [decision.arm for decision in decisions] == [decision.arm for decision in known]
    np.testing.assert_allclose(decisions[-1].scores, known[-1].scores, atol=1e-5)


@settings(max_examples=30)
@given(
    st.integers(0, 2**20),
    st.integers(K, 90),
    st.sampled_from([None, 50, 100, 10_000]),
    st.lists(st.integers(0, 40), min_size=120, max_size=120),
)
def test_never_more_than_the_cap(seed, cap, horizon, delays):
    policy = kb.AdaptiveExploreThenCommit(POLICY.model, cap)
    assert sum(explored(play(policy, rounds_of(seed, 120), kb.Problem(K, DIM, horizon), delays))) <= cap


@pytest.mark.parametrize("policy", [kb.AdaptiveExploreThenCommit(cap=60), kb.SuccessiveElimination(cap=60)], ids=repr)
@pytest.mark.parametrize("in_order_of_arms", [False, True])
def test_a_long_log_takes_no_more_memory_than_the_cap(policy, in_order_of_arms):
    rng, agent, sizes = np.random.default_rng(0), policy.start(kb.Problem(K, DIM), 0), []
    arms = np.arange(1500) % K
    for t, arm in enumerate(np.sort(arms) if in_order_of_arms else arms):
        agent.observe(rng.standard_normal(DIM), int(arm), float(rng.standard_normal()))
        if t in (59, 1499):
            sizes.append(len(pickle.dumps(agent)))
    assert sizes[1] < 100_000
    assert in_order_of_arms or sizes[1] < 1.1 * sizes[0]
    assert not agent.choose(rng.standard_normal((K, DIM))).explored  # every arm has had its share of the turns


@given(st.integers(0, 2**20), st.integers(1, 120))
@settings(max_examples=20)
def test_without_a_cap_half_of_the_horizon_is_one(seed, horizon):
    n_explored = sum(explored(play(POLICY, rounds_of(seed, horizon), kb.Problem(K, DIM, horizon))))
    assert n_explored <= max(K, horizon // 2)


def test_rewards_that_are_all_the_same_need_three_turns():
    agent = POLICY.start(kb.Problem(K, DIM, HORIZON), 0)
    flags = []
    for shown in rounds_of(0).contexts[:20]:
        decision = agent.choose(shown)
        flags.append(decision.explored)
        agent.observe(shown[decision.arm], decision.arm, 0.0)
    assert flags == [t < 3 * K for t in range(20)]


def test_a_horizon_that_is_not_known_is_doubled():
    """Between doublings it explores first and then commits; in each it does what the guess as a horizon asks for."""
    flags = np.array(explored(play(POLICY, rounds_of(9), kb.Problem(K, DIM))))
    guesses = [6 * K * 2**j for j in range(5)]
    starts = [0, *guesses]
    assert flags[: 3 * K].all()
    resumed = 0
    for start, stop in zip(starts, guesses, strict=False):
        part = flags[start:stop]
        n_explored = int(part.sum())
        assert part[:n_explored].all(), "exploration resumes only when the guess was too short"
        assert flags[:stop].sum() <= stop / 2
        resumed += start > 0 and n_explored > 0
    assert resumed > 0
    assert not flags[-20:].any()


def test_a_known_horizon_is_the_first_guess():
    """Up to the first doubling, not knowing the horizon is being told the guess."""
    told = explored(play(POLICY, rounds_of(3, 6 * K), kb.Problem(K, DIM, 6 * K)))
    assert explored(play(POLICY, rounds_of(3, 6 * K), kb.Problem(K, DIM))) == told


def test_turns_go_on_until_there_is_an_estimate():
    """While rewards are late nothing can be committed to; the rewards of all of these turns are used."""
    rounds, late = rounds_of(2), 50
    decisions = play(POLICY, rounds, kb.Problem(K, DIM, HORIZON), delays=[late] * HORIZON)
    first = late + 3 * K  # the round before which the ninth reward has come
    assert explored(decisions)[:first] == [True] * first
    assert [decision.arm for decision in decisions[:first]] == [t % K for t in range(first)]
    assert not any(explored(decisions)[first + 3 * K :])
    assert all(decision.propensity == 1.0 for decision in decisions)


@pytest.mark.parametrize("late", [10, 40])
def test_late_rewards_of_turns_are_used_and_no_others(late):
    """In the end the predictions are those of all turns, whenever their rewards came."""
    rounds, problem = rounds_of(2), kb.Problem(K, DIM, HORIZON)
    decisions = play(POLICY, rounds, problem, delays=[late] * HORIZON)
    turns = [t for t, decision in enumerate(decisions) if decision.explored]
    policy = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), len(turns))
    agent = policy.start(problem, 0)
    for t in turns:
        arm = decisions[t].arm
        agent.observe(rounds.contexts[t, arm], arm, float(rounds.means[t, arm] + rounds.noise[t]))
    np.testing.assert_allclose(agent.choose(rounds.contexts[-1]).scores, decisions[-1].scores, atol=1e-5)


def test_rewards_after_the_commitment_are_not_used():
    rounds, problem = rounds_of(1), kb.Problem(K, DIM, HORIZON)
    quiet, shouted = (POLICY.start(problem, 0) for _ in range(2))
    for t, shown in enumerate(rounds.contexts):
        first, second = quiet.choose(shown), shouted.choose(shown)
        assert np.array_equal(first.scores, second.scores)
        reward = float(rounds.means[t, first.arm])
        quiet.observe(shown[first.arm], first.arm, reward)
        shouted.observe(shown[first.arm], first.arm, reward if first.explored else 1e6)


def test_under_a_mask_the_least_played_eligible_arm_is_next():
    agent = POLICY.start(kb.Problem(K, DIM, HORIZON), 0)
    masks = [[False, True, True], [False, True, True], [True, True, True], [True, True, False], [True, True, True]]
    arms = [agent.choose(np.ones(DIM), eligible=np.array(mask)).arm for mask in masks]
    assert arms == [1, 2, 0, 0, 1]


def test_an_arm_that_is_never_eligible():
    agent, rounds = POLICY.start(kb.Problem(K, DIM, HORIZON), 0), rounds_of(4)
    allowed = np.array([True, True, False])
    flags = []
    for t, shown in enumerate(rounds.contexts):
        decision = agent.choose(shown, eligible=allowed)
        assert decision.arm != 2
        flags.append(decision.explored)
        agent.observe(shown[decision.arm], decision.arm, float(rounds.means[t, decision.arm]))
    assert 3 * K <= sum(flags) <= HORIZON // 2
    scores = agent.choose(rounds.contexts[0]).scores
    assert -1.0 < scores[2] < 1.0  # the median of the levels


def test_a_batch_over_a_doubling():
    rounds = rounds_of(9)
    together, alone = (POLICY.start(kb.Problem(K, DIM), 0) for _ in range(2))
    for t in range(15):
        for agent in (together, alone):
            arm = agent.choose(rounds.contexts[t]).arm
            agent.observe(rounds.contexts[t, arm], arm, float(rounds.means[t, arm]))
    single = [alone.choose(shown) for shown in rounds.contexts[15:200]]
    batch = together.choose_batch(rounds.contexts[15:200])
    assert batch.arms.tolist() == [decision.arm for decision in single]
    assert batch.explored.tolist() == explored(single)


def test_every_arm_must_have_its_turn():
    with pytest.raises(kb.errors.InvalidArgument, match="cap must be at least the number of arms, 3"):
        kb.AdaptiveExploreThenCommit(cap=2).start(kb.Problem(K, DIM), 0)
