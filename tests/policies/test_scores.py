"""Scores: what an agent would make of rounds, with nothing changed."""

import warnings

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies import distribution

N_ROUNDS, N_ARMS, DIM = 36, 3, 4
INSTANCE = kb.Synthetic(kb.LowRank(2), n_arms=N_ARMS, dim=DIM, n_bumps=5).draw(np.random.default_rng(0))
ROUNDS = INSTANCE.rounds(N_ROUNDS, np.random.default_rng(1))
MASKS = np.random.default_rng(2).random((N_ROUNDS, N_ARMS)) < 0.7
MASKS[~MASKS.any(axis=1)] = True


@pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
def test_probabilities_are_those_of_the_next_decision_and_nothing_changes(policy):
    asked, spared = (policy.start(INSTANCE.problem(N_ROUNDS), rng=3) for _ in range(2))
    others = np.random.default_rng(4).standard_normal((5, N_ARMS, DIM))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
        for t, (shown, mask, means) in enumerate(zip(ROUNDS.contexts, MASKS, ROUNDS.means, strict=True)):
            scores = asked.score(np.concatenate([shown[np.newaxis], others]), eligible=mask)
            choice = asked._choose(shown, None if mask.all() else mask)
            assert np.allclose(scores.probabilities[0], distribution(choice), rtol=0.0, atol=1e-9), t
            assert np.allclose(scores.probabilities.sum(axis=1), 1.0)
            assert not scores.probabilities[:, ~mask].any()
            assert scores.means.shape == scores.deviations.shape == (6, N_ARMS)
            decision = spared._choose(shown, None if mask.all() else mask)
            assert choice.arm == decision.arm
            assert choice.propensity == decision.propensity
            for agent in (asked, spared):
                agent.observe(shown[choice.arm], choice.arm, float(means[choice.arm]))


@pytest.mark.parametrize("policy", [kb.CalibratedUCB(), kb.LinearUCB(alpha=0.5), kb.ThompsonSampling()], ids=repr)
def test_means_and_deviations_are_those_of_the_belief(policy):
    agent = policy.start(kb.Problem(N_ARMS, DIM), rng=0)
    for t, shown in enumerate(ROUNDS.contexts):
        agent.observe(shown[t % N_ARMS], t % N_ARMS, float(ROUNDS.means[t, t % N_ARMS]))
    means, deviations, _ = agent.score(ROUNDS.contexts)
    for t, shown in enumerate(ROUNDS.contexts):
        mean, std = agent._learner._tracker.mean_and_std(shown)
        assert np.allclose(means[t], mean, rtol=1e-9, atol=1e-12)
        assert np.allclose(deviations[t], std, rtol=1e-6, atol=1e-9)


def test_a_commitment_states_no_deviations_and_a_turn_no_means():
    agent = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(), 0.1), n_explore=6).start(kb.Problem(2, DIM), rng=0)
    assert np.isnan(agent.score(np.zeros((1, 2, DIM))).means).all()
    for arm in (0, 1) * 3:
        agent.observe(np.ones(DIM), arm, float(arm))
    scores = agent.score(np.ones((2, 2, DIM)))
    assert (scores.means[:, 1] > scores.means[:, 0]).all()
    assert np.isnan(scores.deviations).all()
    assert scores.probabilities.tolist() == [[0.0, 1.0]] * 2


def test_removed_arms_have_no_chance_and_a_learner_without_scores_says_so():
    agent = kb.Uniform().start(kb.Problem(arms=("a", "b", "c"), dim=DIM), rng=0)
    agent.remove_arm("a")
    assert agent.score(np.zeros((1, 3, DIM))).probabilities.tolist() == [[0.0, 0.5, 0.5]]
    assert agent.score(np.zeros((1, 3, DIM)), eligible=["c"]).probabilities.tolist() == [[0.0, 0.0, 1.0]]

    class Silent(kb.Learner):
        def decide(self, contexts, eligible):
            raise NotImplementedError

        def observe(self, context, arm, reward):
            pass

    with pytest.raises(InvalidArgument, match="no method `score`"):
        kb.Agent(kb.Problem(2, DIM), Silent()).score(np.zeros((1, 2, DIM)))
