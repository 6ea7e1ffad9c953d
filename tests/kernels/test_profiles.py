"""Profiles h and the derivatives that the theory needs."""

from math import lgamma, log

import numpy as np
import pytest
from scipy.special import kve

import examples
import kernelbandits as kb

WITH_PROFILE = [kernel for kernel in examples.KERNELS if kernel.geometry is not None]
SMOOTH_AT_ZERO = [
    kb.Gaussian(gamma=4.0),
    kb.RationalQuadratic(alpha=0.7, length=1.3),
    kb.Matern(nu=2.5),
    kb.Matern(nu=7.3, length=0.8),
    kb.Matern(nu=150.0),
]


@pytest.mark.parametrize("kernel", WITH_PROFILE, ids=repr)
def test_derivatives_are_those_of_the_values(kernel):
    """Both orders from h alone, by central differences of fourth order."""
    t, step = np.array([0.05, 0.2, 0.45, 0.7, 0.95]), 2e-3 * np.array([1, 4, 10, 10, 10])
    far, near, here, close, wide = (kernel.profile(t + j * step) for j in (-2, -1, 0, 1, 2))
    first = (far - 8 * near + 8 * close - wide) / (12 * step)
    second = (-far + 16 * near - 30 * here + 16 * close - wide) / (12 * step**2)
    size = np.abs(here).max()
    assert np.allclose(kernel.profile(t, 1), first, rtol=1e-3, atol=1e-6 * size)
    assert np.allclose(kernel.profile(t, 2), second, rtol=1e-3, atol=1e-5 * size)


@pytest.mark.parametrize("kernel", SMOOTH_AT_ZERO, ids=repr)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_at_zero_are_the_limits(kernel, order):
    step = 1e-7
    below, above = kernel.profile(np.array([0.0, step]), order - 1)
    at_zero = kernel.profile(np.zeros(1), order)[0]
    assert at_zero == pytest.approx((above - below) / step, rel=2e-3)
    assert at_zero == pytest.approx(kernel.profile(np.full(1, 1e-9), order)[0], rel=1e-3)


@pytest.mark.parametrize("kernel", [kb.Laplace(gamma=2.0), kb.Matern(nu=0.5), kb.Matern(nu=0.8)], ids=repr)
def test_a_rough_kernel_has_infinite_derivatives_at_zero(kernel):
    assert kernel.profile(np.zeros(1))[0] == pytest.approx(1.0, rel=1e-15)
    assert kernel.profile(np.zeros(1), 1)[0] == -np.inf
    assert kernel.profile(np.zeros(1), 2)[0] == np.inf


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.0, 2.5, 7.3, 60.0, 99.0, 100.5, 150.0, 1000.0])
def test_matern_falls_from_one_to_zero(nu):
    t = np.concatenate([[0.0], np.logspace(-300, 12, 400)])
    h = kb.Matern(nu=nu).profile(t)
    assert h[0] == pytest.approx(1.0, abs=1e-9)
    assert np.isfinite(h).all()
    assert (np.diff(h) <= 1e-9).all(), "a Matern profile never rises"
    assert 0.0 <= h[-1] < 1e-6


@pytest.mark.parametrize("nu", [50.0, 99.5, 101.0, 150.0, 400.0])
def test_matern_of_large_order_is_the_bessel_function(nu):
    """log h = (1 − ν) log 2 − log Γ(ν) + ν log s + log K_ν(s), where K_ν does not overflow."""
    s = np.linspace(0.3, 3.0, 10) * nu
    t = s**2 / (2 * nu)
    expected = (1 - nu) * log(2) - lgamma(nu) + nu * np.log(s) + np.log(kve(nu, s)) - s
    assert np.allclose(np.log(kb.Matern(nu=nu).profile(t)), expected, rtol=1e-8, atol=1e-8)


def test_matern_tends_to_the_gaussian():
    t = np.linspace(0, 3, 20)
    gap = [np.abs(kb.Matern(nu=nu).profile(t) - np.exp(-t / 2)).max() for nu in (10.0, 100.0, 1000.0)]
    assert gap[0] > 5 * gap[1] > 25 * gap[2]
    assert gap[2] < 1e-3


@pytest.mark.parametrize("combine", [kb.Sum, kb.Product])
def test_no_single_profile_across_geometries(combine):
    mixed = combine(kb.Linear(), kb.Gaussian())
    assert mixed.geometry is None
    with pytest.raises(kb.errors.InvalidArgument, match="no single profile"):
        mixed.profile(np.ones(2))


@pytest.mark.parametrize("nu", [60.0, 90.3, 99.0])
def test_matern_begins_as_its_series_where_the_bessel_function_overflows(nu):
    """1 − h(t) = νt/(2(ν − 1)) to first order, and s = √(2νt) is so small that K_ν(s) is infinite."""
    t = np.array([1e-10]) if nu < 80.0 else np.array([3e-7, 3e-6])
    assert np.isinf(kve(nu, np.sqrt(2 * nu * t))).all()
    assert 1.0 - kb.Matern(nu=nu).profile(t) == pytest.approx(nu * t / (2 * (nu - 1)), rel=1e-4)
