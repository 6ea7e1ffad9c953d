"""Arms are added and removed while an agent plays; numbers of arms never change their meaning."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, MissingKnowledge

DIM = 4
MODEL = kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge=0.1)
CAN = [
    kb.Uniform(),
    kb.ThompsonSampling(),
    kb.ThompsonSampling(kb.IndependentArms(MODEL), n_initial=0),
    kb.CalibratedUCB(kb.EmpiricalBayes(window=30)),
    kb.CalibratedUCB(kb.JointArms(MODEL, kb.Exchangeable(0.2))),
    kb.CalibratedUCB(kb.HierarchicalBayes()),
    kb.GPUCB(MODEL, kb.ConstantWidth(1.0)),
    kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(), ridge=0.1), n_explore=60),
    kb.GreedyInterpolation(),
    kb.LinearUCB(),
    kb.LinearThompsonSampling(scale=0.5),
    kb.ExplorationFloor(kb.ThompsonSampling(), epsilon=0.02),
]
every = pytest.mark.parametrize("policy", CAN, ids=repr)


def reward(context, arm):
    return float(np.sin(context.sum() + arm))


@every
def test_an_arm_added_at_once_was_there_from_the_start(policy):
    grown, whole = policy.start(kb.Problem(3, DIM), 0), policy.start(kb.Problem(5, DIM), 0)
    assert [grown.add_arm(), grown.add_arm()] == [3, 4]
    rng = np.random.default_rng(1)
    for _ in range(80):
        contexts = rng.standard_normal((5, DIM))
        first, second = grown.choose(contexts), whole.choose(contexts)
        assert (first.arm, first.propensity) == (second.arm, second.propensity)
        for agent in (grown, whole):
            agent.observe(contexts[first.arm], first.arm, reward(contexts[first.arm], first.arm))


@every
def test_an_arm_can_be_added_in_the_middle(policy):
    """It is tried, and found to be the best by policies that learn."""
    agent, rng = policy.start(kb.Problem(3, DIM), 0), np.random.default_rng(1)
    arms = []
    for t in range(140):
        if t == 40:
            assert agent.add_arm() == 3
            assert agent.problem.n_arms == 4
        contexts = rng.standard_normal((agent.problem.n_arms, DIM))
        arms.append(agent.choose(contexts).arm)
        agent.observe(contexts[arms[-1]], arms[-1], 3.0 * (arms[-1] == 3) + 0.1 * rng.standard_normal())
    late = np.mean(np.array(arms[-40:]) == 3)
    assert late > (0.1 if policy == kb.Uniform() else 0.7)


@pytest.mark.slow
def test_an_arm_added_late_costs_no_more_than_one_from_the_start():
    """Regret of Thompson sampling after round 200, the tenth arm from the start or from then on; summed over seeds."""
    K, dim, horizon, late, totals = 10, 30, 700, 200, np.zeros(2)
    for seed in range(1000, 1006):
        instance = kb.Synthetic(kb.LowRank(), n_arms=K, dim=dim).draw(seed)
        rounds = instance.rounds(horizon, np.random.default_rng(seed))
        for i, n_first in enumerate((K, K - 1)):
            agent = kb.ThompsonSampling().start(kb.Problem(n_first, dim), seed)
            for t in range(horizon):
                if t == late and agent.problem.n_arms < K:
                    agent.add_arm()
                arm = agent.choose(rounds.contexts[t, : agent.problem.n_arms]).arm
                agent.observe(rounds.contexts[t, arm], arm, float(rounds.means[t, arm] + rounds.noise[t]))
                totals[i] += (t >= late) * (rounds.means[t].max() - rounds.means[t, arm])
    assert totals[1] < 1.25 * totals[0]


@pytest.mark.parametrize("announced", [False, True])
@every
def test_adding_forgets_what_was_announced(policy, announced):
    """With a block of contexts under way, decisions are as without."""
    agent, plain = policy.start(kb.Problem(3, DIM), 0), policy.start(kb.Problem(3, DIM), 0)
    rng = np.random.default_rng(2)
    for t in range(60):
        K = agent.problem.n_arms
        contexts = rng.standard_normal((K, DIM))
        if announced and t % 3 == 0:
            agent.prefetch(np.stack([contexts, contexts + 1.0]))
        decision = agent.choose(contexts)
        assert decision.arm == plain.choose(contexts).arm
        if t in (10, 25):
            assert agent.add_arm() == plain.add_arm() == K
        for each in (agent, plain):
            each.observe(contexts[decision.arm], decision.arm, reward(contexts[decision.arm], decision.arm))


class TestRefusals:
    """One clear line, and nothing changed."""

    def test_norms_of_every_arm(self):
        problem = kb.Problem(3, DIM, noise_std=0.1, reward_norms=np.ones(3))
        agent, spared = (kb.GPUCB(MODEL).start(problem, 0) for _ in range(2))
        with pytest.raises(MissingKnowledge, match=r"GPUCB cannot add an arm: .* or use ConstantWidth"):
            agent.add_arm()
        assert agent.problem is problem
        x = np.ones((3, DIM))
        agent.observe(x[0], 0, 1.0)
        spared.observe(x[0], 0, 1.0)
        assert np.array_equal(agent.choose(x).scores, spared.choose(x).scores)

    def test_the_oracle(self):
        agent = kb.Oracle().start(kb.Problem(3, DIM, true_means=lambda X: X[:, 0]), 0)
        with pytest.raises(MissingKnowledge, match=r"Oracle cannot add an arm: problem.true_means is for 3"):
            agent.add_arm()

    @pytest.mark.parametrize("n_before", [9, 12])
    def test_after_commitment(self, n_before):
        agent = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian()), n_explore=9).start(kb.Problem(3, DIM), 0)
        for _ in range(n_before):
            agent.observe(np.ones(DIM), agent.choose(np.ones(DIM)).arm, 1.0)
        with pytest.raises(InvalidArgument, match=r"cannot add an arm: its 9 rounds of exploration are over"):
            agent.add_arm()

    def test_removing(self):
        agent = kb.Uniform().start(kb.Problem(3, DIM), 0)
        agent.remove_arm(1)
        with pytest.raises(InvalidArgument, match="arm 1 was removed before"):
            agent.remove_arm(1)
        with pytest.raises(InvalidArgument, match="arm must be from 0 to 2; got 3"):
            agent.remove_arm(3)
        with pytest.raises(InvalidArgument, match=r"at least one arm that was not removed; left are 0, 2"):
            agent.choose(np.ones(DIM), eligible=[False, True, False])
        with pytest.raises(InvalidArgument, match="at least one arm that was not removed"):
            agent.choose_batch(np.ones((2, 3, DIM)), eligible=[[True] * 3, [False, True, False]])
        agent.remove_arm(0)
        with pytest.raises(InvalidArgument, match="arm 2 is the only one left"):
            agent.remove_arm(2)

    def test_a_policy_of_ones_own_that_does_not_say(self):
        class Stubborn(kb.Learner):
            def decide(self, contexts, eligible):
                return kb.Choice(0, 1.0, np.zeros(len(contexts)), explored=False)

            def observe(self, context, arm, reward):
                """Nothing."""

        with pytest.raises(InvalidArgument, match="cannot add an arm; start a new agent"):
            kb.Agent(kb.Problem(2, DIM), Stubborn()).add_arm()


def test_the_row_of_a_removed_arm_may_hold_anything():
    agent, other = (kb.ThompsonSampling().start(kb.Problem(3, DIM), 0) for _ in range(2))
    rng = np.random.default_rng(0)
    for each in (agent, other):
        each.remove_arm(1)
    for t in range(30):
        contexts = rng.standard_normal((3, DIM))
        odd = contexts.copy()
        odd[1] = np.nan
        if t % 4 == 0:
            other.prefetch(np.stack([odd, odd]))
        decision = agent.choose(contexts)
        assert decision.arm == other.choose(odd).arm != 1
        assert decision.scores[1] == -np.inf
        for each in (agent, other):
            each.observe(contexts[decision.arm], decision.arm, reward(contexts[0], decision.arm))
            each.observe(contexts[2], 1, 0.3)  # late rewards of the removed arm are welcome
    assert np.array_equal(agent.choose_batch(odd[np.newaxis]).arms, other.choose_batch(odd[np.newaxis]).arms)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), policy=st.sampled_from(CAN), seed=st.integers(0, 100))
def test_any_sequence(data, policy, seed):
    """Adding, removing, masking, withdrawing, announcing, late rewards: only arms that are there are chosen."""
    agent, rng = policy.start(kb.Problem(2, DIM), seed), np.random.default_rng(seed)
    left, n_decisions, pending = {0, 1}, 0, []
    steps = ["choose", "batch", "add", "remove", "withdraw", "announce", "reward"]
    for step in data.draw(st.lists(st.sampled_from(steps), max_size=40)):
        K = agent.problem.n_arms
        contexts = rng.standard_normal((K, DIM))
        mask = rng.random(K) < 0.7
        mask[rng.choice(sorted(left))] = True
        allowed = left & set(np.flatnonzero(mask).tolist())
        if step == "add" and K < 8:
            with suppress(InvalidArgument):  # explore-then-commit refuses once it has committed
                assert agent.add_arm() == K
            left |= set(range(K, agent.problem.n_arms))
        elif step == "remove" and len(left) > 1:
            left.remove(gone := int(rng.choice(sorted(left))))
            agent.remove_arm(gone)
        elif step == "announce":
            agent.prefetch(contexts[np.newaxis])
        elif step == "reward" and pending:
            x, arm = pending.pop(int(rng.integers(len(pending))))
            agent.observe(x, arm, reward(x, arm))
        elif step == "batch":
            batch = agent.choose_batch(np.stack([contexts, contexts]), mask)
            assert set(batch.arms.tolist()) <= allowed
            assert batch.first_id == n_decisions
            n_decisions += 2
        elif step in ("choose", "withdraw"):
            decision = agent.choose(contexts, mask)
            assert decision.id == n_decisions
            assert decision.arm in allowed
            assert 0.0 < decision.propensity <= 1.0
            assert set(np.flatnonzero(np.isfinite(decision.scores)).tolist()) == allowed
            n_decisions += 1
            if step == "withdraw":
                agent.withdraw(decision)
            else:
                pending.append((contexts[decision.arm], decision.arm))


def test_an_arm_that_is_gone_does_not_disturb_a_kernel_on_the_sphere():
    """The zero vector has no direction, so it must not stand for what an arm that is gone shows."""
    kernel = kb.Schoenberg((0.2, 0.1), dim=3)
    policy = kb.GPUCB(kb.GaussianProcess(kernel, ridge=0.1), kb.ConstantWidth(2.0))
    agent = policy.start(kb.Problem(n_arms=3, dim=3), rng=0)
    agent.remove_arm(0)
    contexts = np.random.default_rng(0).standard_normal((4, 3, 3))
    contexts[:, 0] = np.nan
    agent.prefetch(contexts)
    assert agent.choose(contexts[0]).arm in (1, 2)
    assert {*agent.choose_batch(contexts).arms.tolist()} <= {1, 2}


def test_a_refused_arm_forgets_no_prefetched_rounds():
    agent, block = kb.AdaptiveExploreThenCommit().start(kb.Problem(2, DIM), 0), np.zeros((3, 2, DIM))
    agent.prefetch(block)
    with pytest.raises(InvalidArgument, match="cannot add an arm"):
        agent.add_arm()
    assert agent._block.take(block[0]) is not None
