"""Playing: every policy meets the same world, and a trace says what happened."""

from dataclasses import dataclass

import numpy as np
import pytest

import kernelbandits as kb

INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=3, dim=5, n_bumps=20).draw(np.random.default_rng(0))
HORIZON = 150


@dataclass(frozen=True)
class Always(kb.Policy):
    """Plays one arm, draws from its generator all the time, and writes down what it is shown."""

    arm: int
    log: list

    def learner(self, problem, rng):
        return AlwaysLearner(self.arm, self.log, rng)


class AlwaysLearner(kb.Learner):
    def __init__(self, arm, log, rng):
        self.arm, self.log, self.rng = arm, log, rng

    def decide(self, contexts, eligible):
        self.rng.random(self.arm + 1)
        self.log.append(contexts.copy())
        return kb.Choice(self.arm, 1.0, np.zeros(len(contexts)), explored=False)

    def observe(self, context, arm, reward):
        pass


def played(arm, seed=7):
    log = []
    trace = kb.play(Always(arm, log), INSTANCE, HORIZON, rng=seed)
    contexts = np.array(log)
    return trace, contexts, INSTANCE.means(contexts)


def test_all_policies_meet_the_same_contexts_and_noise():
    (first, contexts, means), (second, same_contexts, _) = played(0), played(2)
    assert np.array_equal(contexts, same_contexts)
    noise, same_noise = first.rewards - means[:, 0], second.rewards - means[:, 2]
    assert np.allclose(noise, same_noise, atol=1e-12)
    assert noise.std() == pytest.approx(0.01, rel=0.3)


def test_another_seed_is_another_world():
    assert not np.array_equal(played(0, seed=7)[1], played(0, seed=8)[1])


def test_trace_keeps_the_books():
    trace, _, means = played(1)
    assert np.array_equal(trace.arms, np.ones(HORIZON))
    assert np.allclose(trace.regrets, means.max(axis=1) - means[:, 1], atol=1e-12)
    assert (trace.regrets >= 0).all()
    assert np.allclose(trace.cumulative_regret, [sum(trace.regrets[: t + 1]) for t in range(HORIZON)])
    assert (trace.propensities == 1.0).all()


def test_regret_is_of_the_means_not_of_the_noise():
    loud = kb.Synthetic(kb.LowRank(), n_arms=3, dim=5, n_bumps=20, noise_std=50.0).draw(np.random.default_rng(0))
    quiet_trace, loud_trace = (kb.play(Always(1, []), instance, 40, rng=3) for instance in (INSTANCE, loud))
    assert np.array_equal(quiet_trace.regrets, loud_trace.regrets)
    assert np.abs(loud_trace.rewards).max() > 10


def test_play_is_replay_of_rounds_drawn_beforehand():
    world, chance = np.random.default_rng(11).spawn(2)
    rounds = INSTANCE.rounds(HORIZON, world)
    replayed = kb.replay(kb.Uniform(), INSTANCE.problem(HORIZON), rounds, chance)
    trace = kb.play(kb.Uniform(), INSTANCE, HORIZON, rng=11)
    assert np.array_equal(trace.arms, replayed.arms)
    assert np.array_equal(trace.rewards, replayed.rewards)
    assert (trace.propensities == 1 / 3).all()


class Prefetcher(kb.Policy):
    def learner(self, problem, rng):
        return PrefetchingLearner()


class PrefetchingLearner(kb.Learner):
    """Fails unless every round, and its reward, is recognised as prefetched."""

    def prefetch(self, block):
        self.block = block

    def decide(self, contexts, eligible):
        assert contexts is self.block.shown
        assert np.array_equal(self.block.contexts[self.block.row], contexts)
        return kb.Choice(0, 1.0, np.zeros(len(contexts)), explored=False)

    def observe(self, context, arm, reward):
        assert self.block.row_with(context, arm) == self.block.row


def test_play_prefetches_every_round():
    assert len(kb.play(Prefetcher(), INSTANCE, HORIZON, rng=0).arms) == HORIZON
    agent = Prefetcher().start(INSTANCE.problem(), rng=0)
    contexts = INSTANCE.rounds(5, np.random.default_rng(1)).contexts
    agent.prefetch(contexts)
    for shown in contexts:
        agent.choose(shown)
        agent.observe(shown[0], 0, 1.0)


def test_a_seed_is_a_generator_of_that_seed():
    policy = kb.GPUCB(kb.GaussianProcess(kb.Gaussian()), kb.ConstantWidth(1.0))
    from_seed = kb.play(policy, INSTANCE, 40, rng=5)
    from_generator = kb.play(policy, INSTANCE, 40, rng=np.random.default_rng(5))
    assert np.array_equal(from_seed.arms, from_generator.arms)
    assert np.array_equal(from_seed.rewards, from_generator.rewards)


def test_the_floor_and_the_ceiling():
    """Knowing beats learning, learning beats chance."""
    instance = kb.Synthetic(kb.LowRank(n_active=1), n_arms=4, dim=4).draw(np.random.default_rng(0))
    learner = kb.GPUCB(kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=0.01), kb.ConstantWidth(1.0))
    regret = [kb.play(p, instance, 300, rng=1).cumulative_regret[-1] for p in (kb.Oracle(), learner, kb.Uniform())]
    assert regret[0] == 0.0
    assert 0.0 < regret[1] < 0.5 * regret[2]
