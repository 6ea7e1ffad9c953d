"""What holds for the agents of every policy."""

from dataclasses import replace

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.selection import RoundRobin

HORIZON = 45
INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=3, dim=5, n_bumps=20).draw(np.random.default_rng(0))
ROUNDS = INSTANCE.rounds(HORIZON, np.random.default_rng(1))
every_policy = pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
every_learner = pytest.mark.parametrize(
    "policy", [p for p in examples.POLICIES if not isinstance(p, kb.Oracle)], ids=repr
)


def step(agent, t):
    decision = agent.choose(ROUNDS.contexts[t])
    agent.observe(ROUNDS.contexts[t, decision.arm], decision.arm, float(ROUNDS.means[t, decision.arm]))
    return decision


def arms(agent):
    return [step(agent, t).arm for t in range(HORIZON)]


@every_policy
def test_same_seed_same_arms_and_two_agents_share_nothing(policy):
    """Interleaved with an agent that is told other things, an agent decides as if it were alone."""
    problem = INSTANCE.problem(HORIZON)
    alone, together, noisy = (policy.start(problem, rng) for rng in (5, np.random.default_rng(5), 6))
    alone_arms = arms(alone)
    for t in range(HORIZON):
        other = noisy.choose(ROUNDS.contexts[-t])
        noisy.observe(ROUNDS.contexts[-t, other.arm], other.arm, 100.0)
        assert step(together, t).arm == alone_arms[t]


@every_policy
def test_decisions_are_counted(policy):
    agent = policy.start(INSTANCE.problem(HORIZON), 0)
    assert [step(agent, t).id for t in range(10)] == list(range(10))


@every_policy
def test_a_shared_context_is_shown_to_every_arm(policy):
    problem = INSTANCE.problem(HORIZON)
    one, each = policy.start(problem, 0), policy.start(problem, 0)
    for t in range(HORIZON):
        x = ROUNDS.contexts[t, 0]
        first, second = one.choose(x), each.choose(np.stack([x, x, x]))
        assert np.array_equal(first.scores, second.scores)
        for agent in (one, each):
            agent.observe(x, first.arm, float(t % 7))


@every_policy
def test_a_full_mask_is_no_mask(policy):
    problem = INSTANCE.problem(HORIZON)
    plain, masked = policy.start(problem, 0), policy.start(problem, 0)
    for t in range(30):
        decision = masked.choose(ROUNDS.contexts[t], eligible=np.ones(3, dtype=bool))
        masked.observe(ROUNDS.contexts[t, decision.arm], decision.arm, float(ROUNDS.means[t, decision.arm]))
        assert decision.arm == step(plain, t).arm


class Touched(Exception):  # noqa: N818
    """The true means were looked at."""


def forbidden(contexts):
    raise Touched


@every_learner
def test_no_learner_looks_at_the_truth(policy):
    problem = replace(INSTANCE.problem(HORIZON), true_means=forbidden)
    trace = kb.replay(policy, problem, ROUNDS, np.random.default_rng(0))
    assert len(trace.arms) == HORIZON


def test_the_oracle_does():
    with pytest.raises(Touched):
        kb.replay(kb.Oracle(), replace(INSTANCE.problem(), true_means=forbidden), ROUNDS, np.random.default_rng(0))


def test_the_oracle_has_no_regret():
    trace = kb.replay(kb.Oracle(), INSTANCE.problem(), ROUNDS, np.random.default_rng(0))
    assert not trace.regrets.any()
    assert np.array_equal(trace.arms, ROUNDS.means.argmax(axis=1))


def test_the_oracle_must_be_told_the_truth():
    with pytest.raises(kb.errors.MissingKnowledge, match=r"Oracle needs problem\.true_means"):
        kb.Oracle().start(kb.Problem(3, 5), 0)


@every_learner
def test_withdrawn_decisions_do_not_count_as_turns(policy):
    """Rounds of exploration in turn are the same whether or not other decisions are taken back between them."""
    problem = kb.Problem(3, 4, horizon=40, noise_std=0.1, reward_norms=np.ones(3))
    plain, disturbed = policy.start(problem, rng=0), policy.start(problem, rng=0)
    rng = np.random.default_rng(1)
    for _ in range(30):
        x = rng.standard_normal((3, 4))
        known = plain.choose(x)
        if not (known.explored and known.propensity == 1.0):
            break
        for _ in range(int(rng.integers(3))):
            disturbed.withdraw(disturbed.choose(rng.standard_normal((3, 4))))
        decision = disturbed.choose(x)
        assert decision.arm == known.arm
        for agent in (plain, disturbed):
            agent.observe(x[known.arm], known.arm, 0.5)


def test_only_a_decision_can_be_withdrawn():
    agent = kb.Uniform().start(kb.Problem(n_arms=2, dim=1), 0)
    with pytest.raises(InvalidArgument, match=r"^decision must be a Decision, such as .*; got None$"):
        agent.withdraw(None)


def test_only_the_last_decision_can_be_withdrawn_and_once():
    agent = examples.POLICIES[0].start(kb.Problem(3, 4), rng=0)
    first, last = agent.choose(np.ones(4)), agent.choose(np.ones(4))
    with pytest.raises(kb.errors.InvalidArgument, match=r"only the last one can be withdrawn.*got number 0"):
        agent.withdraw(first)
    agent.withdraw(last)
    with pytest.raises(kb.errors.InvalidArgument, match="only the last one"):
        agent.withdraw(last)


@pytest.mark.parametrize("policy", [kb.default_policy(), kb.ThompsonSampling(), kb.GreedyInterpolation()], ids=repr)
def test_what_was_observed_counts_as_a_first_turn(policy):
    """A start from a log: arms that it tells of are not tried again, the others are."""
    rng = np.random.default_rng(2)
    for n_logged, tried in ((3, []), (2, [2])):  # of three arms, so many are in the log
        agent = policy.start(kb.Problem(3, 4), rng=0)
        for t in range(20 * n_logged):
            agent.observe(rng.standard_normal(4), t % n_logged, float(t % n_logged) + 0.1 * rng.standard_normal())
        arms = [agent.choose(x).arm for x in rng.standard_normal((12, 4))]
        in_turn = arms[: policy.n_initial * len(tried)]
        assert in_turn == tried * policy.n_initial
    assert policy.start(kb.Problem(3, 4), rng=0).choose(np.ones(4)).explored, "without a log it tries them"


def test_turns_and_rewards():
    turns = RoundRobin(3)
    assert [turns.next(None).arm for _ in range(4)] == [0, 1, 2, 0]
    assert turns.observe(2, counts=False)  # the reward of its turn
    assert not turns.observe(2, counts=False)  # one that no turn asked for
    assert turns.total == 4
    assert turns.observe(2)  # the same, as a turn
    assert (turns.total, turns.fewest) == (5, 1)
    assert turns.next(None).arm == 1
    turns.withdraw()
    assert (turns.total, turns.next(None).arm) == (5, 1)
    turns.observe(1)
    turns.observe(1)
    turns.withdraw()  # both have come, so that both count
    assert turns.total == 6
    turns.add_arm()
    assert (turns.fewest, turns.next(None).arm, turns.total) == (0, 3, 7)
    assert turns.of(np.array([True, False, True, False])) == 4
    assert turns.due(2, np.array([False, False, False, True]))
    assert not turns.due(2, np.array([True, True, True, False]))
