"""Every policy on problems that nobody would wish for: no crash, no NaN, and propensities that are probabilities.

Contexts far from the origin, tiny or huge, repeated, constant or one-hot; one arm, one feature; late rewards, masks;
rewards of any level and scale, and one arm far from the others.
"""

import warnings

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_decisions

HORIZON = 25


def hostile_contexts(rng, n_arms, dim):
    """Contexts (T, K, d) of unit size."""
    shape = (HORIZON, n_arms, dim)
    kinds = [
        lambda: rng.standard_normal(shape),
        lambda: rng.standard_normal((3, dim))[rng.integers(3, size=shape[:2])],  # few that repeat
        lambda: np.eye(dim)[rng.integers(dim, size=shape[:2])],  # one-hot
        lambda: np.zeros(shape),
        lambda: np.repeat(rng.standard_normal((HORIZON, 1, dim)), n_arms, axis=1),  # shared
        lambda: rng.standard_normal(shape) * (np.arange(dim) > 0) + (np.arange(dim) == 0),  # a constant column
    ]
    return kinds[rng.integers(len(kinds))]()


def hostile_problem(seed):
    """What an agent is told, and (contexts, rewards, masks, delay) of the rounds."""
    rng = np.random.default_rng(seed)
    n_arms, dim = int(rng.integers(1, 5)), int(rng.choice([1, 2, 6]))
    unit = hostile_contexts(rng, n_arms, dim)
    offset = rng.choice([0.0, 1.0, 1e3, 1e5, 1e7]) * rng.choice([-1.0, 1.0], size=dim)
    contexts = rng.choice([1e-6, 1e-3, 1.0, 1e3, 1e6]) * unit + offset
    level, scale = rng.choice([0.0, 3.5, 1e2, 1e6]), rng.choice([1e-6, 1e-2, 1.0, 1e2, 1e6])
    noise = rng.choice([0.0, 0.1, 10.0])
    means = np.sin(unit.sum(axis=2) + np.arange(n_arms)) + rng.choice([0.0, -300.0]) * (np.arange(n_arms) == 0)
    rewards = level + scale * (means + noise * rng.standard_normal(means.shape))
    masks = rng.random(means.shape) < 0.7
    masks[~masks.any(axis=1)] = True
    norms = np.full(n_arms, scale)
    problem = kb.Problem(n_arms, dim, HORIZON, scale * noise, norms, lambda shown: np.sin(shown).sum(axis=1))
    return problem, contexts, rewards, masks if rng.random() < 0.5 else None, int(rng.choice([0, 3, 20]))


def check_problems(policy, seeds):
    for seed in seeds:
        problem, contexts, rewards, masks, delay = hostile_problem(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
            try:
                check_decisions(policy.start(problem, seed), contexts, rewards, masks, delay)
            except Exception as error:
                error.add_note(f"{policy} on hostile problem {seed}")
                raise


@pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
def test_a_few_hostile_problems(policy):
    check_problems(policy, range(3 * examples.POLICIES.index(policy), 3 * examples.POLICIES.index(policy) + 3))


@pytest.mark.slow
@pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
def test_two_hundred_hostile_problems(policy):
    check_problems(policy, range(1000, 1200))
