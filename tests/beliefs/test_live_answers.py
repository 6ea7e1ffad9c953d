"""Live answers of one posterior per arm are the caller's, and a question that failed leaves nothing behind."""

import numpy as np
import pytest

import kernelbandits as kb

MODEL = kb.GaussianProcess(kb.Gaussian(1.0), ridge=0.1)
CONTEXTS = np.array([[0.5] * 3, [1.0] * 3])


def tracker():
    started = kb.IndependentArms(MODEL).start(kb.Problem(n_arms=2, dim=3))
    started.observe(np.ones(3), 0, 1.0)
    return started


def test_means_belong_to_the_caller():
    changed, left_alone = tracker(), tracker()
    mean, std = changed.mean_and_std(CONTEXTS)
    mean += 100.0
    std += 100.0
    left_alone.mean_and_std(CONTEXTS)
    for each in (changed, left_alone):
        each.observe(CONTEXTS[0], 0, 1.0)
    assert np.array_equal(changed.mean_and_std(CONTEXTS), left_alone.mean_and_std(CONTEXTS))


def test_a_question_that_fails_halfway():
    """Numbers of its contexts must not pass for those of the question before."""
    interrupted, left_alone = tracker(), tracker()
    for each in (interrupted, left_alone):
        each.observe(np.full(3, 1e-160), 0, 1.0)
        each.mean_and_std(CONTEXTS)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        interrupted.mean_and_std(CONTEXTS + 40.0)  # covariances that underflow
    for each in (interrupted, left_alone):
        each.observe(CONTEXTS[0], 0, 1.0)
    assert np.allclose(interrupted.mean_and_std(CONTEXTS), left_alone.mean_and_std(CONTEXTS))
