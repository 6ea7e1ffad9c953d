"""The learning curve of an arm is measured on windows that are spread over all of its points."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.regression import leave_one_out
from kernelbandits.theory.exploration_advice import pair_sums

KERNEL = kb.Gaussian(2.0)


@pytest.mark.parametrize(
    ("n", "size", "starts"),
    [
        (30, 8, [0, 3, 6, 9, 12, 15, 18, 21]),  # 30 − 9 = 21, in seven steps
        (10, 7, [0, 1, 2]),  # only three windows of eight points fit
        (5, 4, [0]),  # the window is the sample
        (3, 1, [0, 1]),
    ],
)
def test_windows_are_spread_over_the_sample(n, size, starts):
    rng = np.random.default_rng(n)
    X, y = rng.standard_normal((n, 3)), rng.standard_normal(n)
    expected = np.zeros(6)
    for start in starts:
        window = slice(start, start + size + 1)
        p, t = leave_one_out(KERNEL, X[window], y[window], 0.1), y[window]
        expected += [len(t), p.sum(), t.sum(), p @ p, t @ t, p @ t]
    [found] = pair_sums(KERNEL, X, y, np.array([size]), 0.1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_size_that_does_not_fit_counts_for_nothing():
    X, y = np.arange(4.0)[:, np.newaxis], np.arange(4.0)
    assert not pair_sums(KERNEL, X, y, np.array([4]), 0.1).any()
