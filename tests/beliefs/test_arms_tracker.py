"""Posteriors of several arms asked together, against each of them asked alone."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.independent_arms import ArmsTracker

DIM = 4
KERNELS = [
    kb.Gaussian(gamma=2.0),
    kb.Matern(nu=1.5),
    kb.Linear(),
    kb.Schoenberg((0.5, 0.1, 0.01), dim=DIM),
    kb.Gaussian() + 0.5 * kb.Polynomial(degree=2),
]


def alone(posteriors, contexts):
    pairs = [p.mean_and_std(x[np.newaxis]) for p, x in zip(posteriors, contexts, strict=True)]
    return np.array([mean[0] for mean, _ in pairs]), np.array([std[0] for _, std in pairs])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_arms_of_very_different_size_that_grow(kernel):
    rng = np.random.default_rng(0)
    model = kb.GaussianProcess(kernel, ridge=0.3)
    fitted = model._fit(rng.standard_normal((140, DIM)), rng.standard_normal(140))
    prior = model.without_data(DIM)
    tracker = ArmsTracker([prior, fitted, prior, prior], prior)
    for t in range(150):
        contexts = rng.standard_normal((4, DIM))
        for got, expected in zip(tracker.mean_and_std(contexts), alone(tracker.posteriors, contexts), strict=True):
            assert np.allclose(got, expected, atol=1e-9)
        arm = (0, 0, 0, 1, 1, 3)[t % 6] if t >= 20 else 0  # arm 2 stays without observations, arm 3 comes late
        outlook, known = tracker.outlook(contexts[arm], arm), tracker.posteriors[arm].at(contexts[arm])
        assert np.allclose(outlook.whitened, known.whitened, atol=1e-9)
        assert np.allclose(outlook[1:], known[1:], atol=1e-9)
        tracker.observe(contexts[arm], arm, float(rng.standard_normal()))


def test_a_branch_of_an_arms_posterior_changes_nothing():
    rng = np.random.default_rng(1)
    tracker = ArmsTracker.without_data(kb.GaussianProcess(kb.Gaussian(), 0.3), kb.Problem(2, DIM))
    for _ in range(40):
        contexts = rng.standard_normal((2, DIM))
        before = tracker.mean_and_std(contexts)
        branch = tracker.posteriors[0]
        for _ in range(3):  # what if: rewards that never came
            branch = branch.extend(rng.standard_normal(DIM), 1.0)
        branch.mean(contexts)
        assert np.array_equal(tracker.mean_and_std(contexts), before)
        tracker.observe(contexts[0], 0, float(rng.standard_normal()))
        assert np.allclose(tracker.mean_and_std(contexts), alone(tracker.posteriors, contexts), atol=1e-9)


def test_only_the_context_that_was_asked_about_is_taken_as_known():
    rng = np.random.default_rng(2)
    model = kb.GaussianProcess(kb.Gaussian(), 0.3)
    tracker = ArmsTracker([model.fit(rng.standard_normal((5, DIM)), np.arange(5.0))], model.without_data(DIM))
    contexts = rng.standard_normal((1, DIM))
    tracker.mean_and_std(contexts)
    other = rng.standard_normal(DIM)
    assert tracker.outlook(other, 0).mean == pytest.approx(tracker.posteriors[0].mean(other[np.newaxis])[0])
    contexts[0] = other  # the caller's array is his to change
    assert tracker.outlook(other, 0).mean == pytest.approx(tracker.posteriors[0].mean(other[np.newaxis])[0])


def test_restated_rewards_are_rewards_that_were_observed_so():
    rng, model = np.random.default_rng(3), kb.GaussianProcess(kb.Gaussian(), 0.3)
    restated, fresh = (ArmsTracker.without_data(model, kb.Problem(2, DIM)) for _ in range(2))
    shifts, factor = np.array([3.0, -1.0]), 2.5
    for t in range(20):
        x, reward = rng.standard_normal(DIM), float(rng.standard_normal())
        restated.observe(x, t % 2, reward)
        fresh.observe(x, t % 2, (reward - shifts[t % 2]) / factor)
    contexts = rng.standard_normal((2, DIM))
    restated.mean_and_std(contexts)  # what was asked before is not the answer any more
    restated.restate(shifts, factor)
    assert np.allclose(restated.outlook(contexts[0], 0).mean, fresh.outlook(contexts[0], 0).mean, atol=1e-10)
    for each in (restated, fresh):
        each.observe(contexts[0], 0, 1.0)
    assert np.allclose(restated.mean_and_std(contexts), fresh.mean_and_std(contexts), atol=1e-10)
