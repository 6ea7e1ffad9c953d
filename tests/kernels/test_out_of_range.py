"""Kernel values that double precision cannot hold are refused in one line; none is infinite or NaN."""

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument

X = np.random.default_rng(0).standard_normal((6, 3))


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [
        (kb.Exponential(), 1e3),
        (kb.Polynomial(degree=3), 1e60),
        (kb.Polynomial() * kb.Polynomial(), 1e50),
        (1e200 * kb.Polynomial(), 1e30),
        (kb.Linear(), 1e100),
        (kb.Exponential() + 1.0, 1e3),
    ],
    ids=repr,
)
def test_values_that_overflow_are_refused(kernel, scale):
    for attempt in (lambda: kernel(scale * X), lambda: kernel.diagonal(scale * X)):
        with pytest.raises(InvalidArgument, match="too large for double precision; standardise the features"):
            attempt()


def test_a_block_that_overflows_is_refused():
    with pytest.raises(InvalidArgument, match="Exponential"):
        kb.Exponential()(1e3 * X, 1e3 * X[:2].copy())


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100, 1e149])
@pytest.mark.parametrize("kernel", [kernel for kernel in examples.KERNELS if kernel.stationary], ids=repr)
def test_a_bounded_kernel_is_finite_at_every_scale(kernel, scale):
    K = kernel(scale * X)
    assert np.isfinite(K).all()
    assert (np.abs(K) <= K.diagonal().max() * (1 + 1e-14)).all()


def test_a_matern_kernel_with_a_tiny_length_is_zero_far_away():
    assert kb.Matern(nu=2.5, length=1e-9)(1e149 * X[:3], 1e149 * X[3:]).max() == 0.0
