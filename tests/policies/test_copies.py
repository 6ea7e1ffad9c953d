"""A copy of an agent goes on as the agent itself would, whichever way it was copied."""

import copy
import pickle

import numpy as np
import pytest

import examples
import kernelbandits as kb

K, DIM = 3, 4
PROBLEM = kb.Problem(n_arms=K, dim=DIM, horizon=80, noise_std=0.1, reward_norms=(1.0,) * K)


def pickled(agent):
    return pickle.loads(pickle.dumps(agent))


def play(agent, rounds, rng):
    scores = []
    for _ in range(rounds):
        contexts = rng.standard_normal((K, DIM))
        decision = agent.choose(contexts)
        agent.observe(contexts[decision.arm], decision.arm, float(np.tanh(contexts[decision.arm].sum())))
        scores.append(decision.scores)
    return np.array(scores)


@pytest.mark.parametrize("policy", [p for p in examples.POLICIES if not isinstance(p, kb.Oracle)], ids=repr)
def test_a_copy_goes_on_as_the_original(policy):
    """One is pickled after a decision, the other copied with rounds prefetched."""
    agent = policy.start(PROBLEM, rng=0)
    rng = np.random.default_rng(1)
    play(agent, 30, rng)
    agent.choose(copy.deepcopy(rng).standard_normal((K, DIM)))
    live, hinted = pickled(agent), copy.deepcopy(agent)
    hinted.prefetch(copy.deepcopy(rng).standard_normal((10, K, DIM)))  # as `play` will draw them
    for original, twin in ((agent, live), (hinted, copy.deepcopy(hinted))):
        there, here = (play(one, 20, copy.deepcopy(rng)) for one in (twin, original))
        assert np.allclose(there, here, rtol=1e-9, atol=1e-9, equal_nan=True)
