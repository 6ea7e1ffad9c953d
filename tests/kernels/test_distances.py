"""The distance t = ‖x − z‖²/d as the radial kernels see it: never negative, 0 between copies, exact to rounding."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb
import oracles


@dataclass(frozen=True)
class Distance(kb.RadialKernel):
    """h(t) = t: not positive definite, but it shows what every radial kernel is given."""

    def profile(self, t, order=0):
        return t


distances = Distance()
dims, seeds = st.integers(1, 200), st.integers(0, 2**32 - 1)
EPS = np.finfo(float).eps


@given(dims, seeds, st.integers(-6, 6), st.integers(-6, 6))
def test_never_negative_and_right_to_rounding(dim, seed, scale, offset):
    """With a large offset the norms are large, and their rounding error is what remains."""
    rng = np.random.default_rng(seed)
    X, Z = (10.0**offset + 10.0**scale * rng.standard_normal((n, dim)) for n in (7, 4))
    for T, Y in ((distances(X, Z), Z), (distances(X), X)):
        assert (T >= 0).all()
        norms = ((X**2).sum(axis=1)[:, np.newaxis] + (Y**2).sum(axis=1)) / dim
        assert np.abs(T - oracles.squared_distances(X, Y) / dim).max() <= 8 * EPS * np.sqrt(dim) * norms.max()


@given(dims, seeds, st.integers(-6, 6), st.integers(-6, 6))
def test_zero_between_copies(dim, seed, scale, offset):
    X = 10.0**offset + 10.0**scale * np.random.default_rng(seed).standard_normal((5, dim))
    assert not distances(X, X.copy()).diagonal().any()
    assert not distances(np.vstack([X, X]))[:5, 5:].diagonal().any()
    for x in X:
        assert distances(x[np.newaxis], X).min() == 0.0


@pytest.mark.parametrize("dim", [1, 3, 100, 1000, 5000, 20000])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e6 / 3, -7.7e-5])
def test_zero_between_copies_of_a_constant_vector(dim, value):
    """Here the rounding errors of all coordinates are alike and add up."""
    X = np.full((3, dim), value)
    assert not distances(X, X[:1].copy()).any()
    assert not distances(X).any()


@given(dims, seeds)
def test_distinct_points_stay_distinct(dim, seed):
    """Rounding to 0 must not swallow distances that double precision can tell: 1e-5 between points of size 1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((5, dim))
    Z = X + 1e-5 * rng.choice([-1.0, 1.0], size=X.shape)
    assert (distances(X, Z).diagonal() > 0).all()


def test_the_zero_vector_is_at_its_norm():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert np.array_equal(distances(X), [[0.0, 12.5], [12.5, 0.0]])
