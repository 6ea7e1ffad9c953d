"""Propensities of many rounds at once against those of each round alone."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb
from kernelbandits.policies.batched_propensities import batched_probabilities

AGREEMENT = 1e-12


def one_by_one(mean, std, eligible):
    chances = np.zeros(mean.shape)
    for row, mask in enumerate(eligible):
        chances[row, mask] = kb.largest_probabilities(mean[row, mask], std[row, mask])
    return chances


def rounds(rng, n_rounds, n_arms, spread):
    """Rounds of all kinds: σ over many powers of ten, means far apart or equal, levels that are large."""
    std = 10.0 ** (-spread * rng.random((n_rounds, n_arms)) * rng.choice([0.0, 0.1, 1.0], (n_rounds, 1)))
    apart = rng.choice([0.0, 1e-3, 1.0, 30.0], (n_rounds, 1))
    mean = rng.standard_normal((n_rounds, n_arms)) * apart * std.max(axis=1, keepdims=True)
    return mean + rng.choice([0.0, 0.0, 1e6], (n_rounds, 1)), std


@given(
    seed=st.integers(0, 10**6),
    n_arms=st.sampled_from([1, 2, 3, 4, 5, 8, 9, 20, 21, 100]),
    spread=st.sampled_from([0.5, 2.0, 12.0, 80.0, 120.0]),
)
def test_they_agree_with_each_round_alone(seed, n_arms, spread):
    rng = np.random.default_rng(seed)
    mean, std = rounds(rng, 12, n_arms, spread)
    eligible = rng.random(mean.shape) < 0.7
    eligible[np.arange(12), rng.integers(n_arms, size=12)] = True
    found = batched_probabilities(mean, std, eligible)
    assert found == pytest.approx(one_by_one(mean, std, eligible), abs=AGREEMENT)
    assert (found[~eligible] == 0.0).all()
    assert (found[eligible & (std > 1e-90)] > 0.0).all()
    everywhere = np.ones(mean.shape, dtype=bool)
    assert batched_probabilities(mean, std, None) == pytest.approx(one_by_one(mean, std, everywhere), abs=AGREEMENT)


def test_a_round_does_not_depend_on_those_beside_it():
    mean, std = rounds(np.random.default_rng(1), 3000, 4, 2.0)
    found = batched_probabilities(mean, std, None)
    for size in (2, 7, 1024):
        parts = [
            batched_probabilities(mean[i : i + size], std[i : i + size], None) for i in range(0, 3000 - size, size)
        ]
        whole = np.concatenate(parts)
        assert np.array_equal(whole, found[: len(whole)])


def test_one_round_and_certain_arms_are_those_of_the_single_round():
    mean = np.array([[0.3, 0.1, 0.3], [0.0, 1.0, -1.0]])
    std = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    everywhere = np.ones(mean.shape, dtype=bool)
    assert np.array_equal(batched_probabilities(mean, std, None), one_by_one(mean, std, everywhere))
    one = batched_probabilities(mean[:1], std[:1] + 1.0, None)
    assert np.array_equal(one, one_by_one(mean[:1], std[:1] + 1.0, everywhere[:1]))


def test_huge_distances_give_no_warning():
    mean, std = np.array([[0.0, -1e250], [0.0, 1.0]]), np.array([[1.0, 1e-90], [1.0, 1.0]])
    with np.errstate(all="raise", under="ignore"):
        assert batched_probabilities(mean, std, None)[0] == pytest.approx([1.0, 0.0], abs=AGREEMENT)
