"""`choose_batch` is B calls of `choose`, faster."""

import copy
from functools import cache

import numpy as np
import pytest

import kernelbandits as kb
from examples import POLICIES

K, DIM = 3, 6
INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=K, dim=DIM, n_bumps=20).draw(np.random.default_rng(0))
PROBLEM = INSTANCE.problem(200)
ROUNDS = INSTANCE.rounds(70, np.random.default_rng(1))


@cache
def _trained(policy):
    agent = policy.start(PROBLEM, 2)
    for t in range(30):
        arm = agent.choose(ROUNDS.contexts[t]).arm
        agent.observe(ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, arm]))
    return agent


def trained(policy):
    """A copy, which is a matter of milliseconds."""
    return copy.deepcopy(_trained(policy))


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("masked", [None, "one", "each"])
def test_a_batch_is_one_by_one(policy, masked):
    shown = ROUNDS.contexts[30:55]
    masks = {
        None: None,
        "one": np.array([True, False, True]),
        "each": np.random.default_rng(3).random((len(shown), K)) < 0.5,
    }[masked]
    if masked == "each":
        masks[:, 0] |= ~masks.any(axis=1)
    together, alone = trained(policy), trained(policy)
    batch = together.choose_batch(shown, masks)
    rows = masks if masked == "each" else [masks] * len(shown)
    single = [alone.choose(contexts, mask) for contexts, mask in zip(shown, rows, strict=True)]
    assert batch.arms.tolist() == [decision.arm for decision in single]
    assert batch.first_id == single[0].id == 30
    assert np.allclose(batch.propensities, [decision.propensity for decision in single])
    assert np.allclose(batch.scores, [decision.scores for decision in single], atol=1e-12)
    assert batch.explored.tolist() == [decision.explored for decision in single]
    assert together.choose(shown[0]).id == 30 + len(batch)


@pytest.mark.parametrize("n_before", [0, 5, 20, 25])
def test_a_batch_over_the_end_of_exploration(n_before):
    policy = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), n_explore=20)
    together, alone = policy.start(PROBLEM, 0), policy.start(PROBLEM, 0)
    for agent in (together, alone):
        for t in range(n_before):
            arm = agent.choose(ROUNDS.contexts[t]).arm
            agent.observe(ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, arm]))
    shown = ROUNDS.contexts[40:70]
    assert together.choose_batch(shown).arms.tolist() == [alone.choose(contexts).arm for contexts in shown]


@pytest.mark.parametrize(
    ("contexts", "eligible", "message"),
    [
        (ROUNDS.contexts[0, 0], None, "contexts must have shape"),
        (ROUNDS.contexts[:2], np.zeros((2, K), dtype=bool), "eligible must be boolean and allow an arm in every round"),
        (ROUNDS.contexts[:2], np.ones(K + 1, dtype=bool), "eligible must be a boolean array"),
        (np.full((2, K, DIM), np.nan), None, "contexts must be finite; round 0, arm 0, column 0"),
    ],
)
def test_a_bad_batch_is_refused(contexts, eligible, message):
    with pytest.raises(kb.errors.InvalidArgument, match=message):
        trained(kb.Uniform()).choose_batch(contexts, eligible)
