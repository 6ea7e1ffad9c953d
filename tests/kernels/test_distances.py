"""The distance t = ‖x − z‖²/d as the radial kernels see it: never negative, 0 between copies, exact to rounding."""

import tracemalloc
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


def assert_right(T, X, Z):
    """Right up to one more rounding of the points, |x_j − x̃_j| ≤ EPS |x_j|, and to 1e-11 of itself."""
    dim = X.shape[1]
    exact = oracles.precise_squared_distances(X, Z) / dim
    size = max(np.sqrt((Y**2).sum(axis=1)).max() for Y in (X, Z)) * EPS / np.sqrt(dim)
    assert (T >= 0).all()
    assert (np.abs(T - exact) <= 1e-11 * exact + 4 * size * np.sqrt(exact) + 4 * size**2).all()


@given(dims, seeds, st.integers(-6, 6), st.integers(-6, 8))
def test_right_at_every_scale_and_offset(dim, seed, scale, offset):
    rng = np.random.default_rng(seed)
    X, Z = (10.0**offset + 10.0**scale * rng.standard_normal((n, dim)) for n in (7, 4))
    assert_right(distances(X, Z), X, Z)
    assert_right(distances(X), X, X)
    assert_right(distances(X[:1], Z), X[:1], Z)
    assert_right(distances(X, Z[:1]), X, Z[:1])


@given(st.sampled_from([1, 2, 4, 64, 128]), seeds, st.integers(0, 8))
def test_exact_where_the_scaling_is(dim, seed, offset):
    """For d a power of two, −2x/d is exact, and an offset costs nothing but the rounding of the input."""
    rng = np.random.default_rng(seed)
    X = 10.0**offset + rng.standard_normal((12, dim))
    Z = np.vstack([X[:3], X[3:6] + 1e-3 * rng.standard_normal((3, dim)), 10.0**offset + rng.standard_normal((3, dim))])
    assert np.allclose(distances(X, Z), oracles.precise_squared_distances(X, Z) / dim, rtol=1e-11, atol=0.0)


@given(seeds, st.integers(1, 40))
def test_right_for_copies_of_points_of_any_size(seed, dim):
    """Most entries cancel, so that all are computed around a mean, which small points are lost next to."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((8, dim)) * 10.0 ** rng.uniform(-12, 12, (8, 1)))[rng.integers(0, 8, 30)]
    for T in (distances(X), distances(X, X.copy())):
        exact = oracles.precise_squared_distances(X, X) / dim
        assert np.allclose(T, exact, rtol=1e-11, atol=0.0)


@given(seeds, st.integers(2, 80))
def test_right_for_mixtures_of_units(seed, dim):
    """One-hot features beside a timestamp and a constant column; clusters far apart; outliers."""
    rng = np.random.default_rng(seed)
    X = np.eye(dim)[rng.integers(0, dim, 15)]
    X[:, 0] = 1.7e9 + rng.integers(0, 5, 15)
    X[:, -1] = 1e8
    clusters = rng.standard_normal((15, dim)) + 1e7 * rng.integers(0, 3, (15, 1))
    outliers = rng.standard_normal((15, dim)) * 10.0 ** rng.integers(-6, 7, (15, 1))
    for points in (X, clusters, outliers):
        assert_right(distances(points), points, points)
        assert_right(distances(points, points[:4]), points, points[:4])


def test_many_cancelled_entries_take_little_memory():
    """Three clusters: a third of the entries come from differences, in pieces."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 20)) + 1e6 * (np.arange(600) % 3)[:, np.newaxis]
    tracemalloc.start()
    T = distances(X, X.copy())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * T.nbytes
    assert_right(T[:5], X[:5], X)


@pytest.mark.parametrize("offset", [0.0, 10.0, 50.0, 1e3, 1e5, 1e7, 1e8])
@pytest.mark.parametrize(
    "kernel", [kb.Gaussian(1.0), kb.Laplace(0.3), kb.Matern(1.5), kb.RationalQuadratic()], ids=repr
)
def test_gram_matrices_are_semi_definite_at_every_offset(kernel, offset):
    for dim in (1, 3, 100):
        X = offset + np.random.default_rng(dim).standard_normal((100, dim))
        assert np.linalg.eigvalsh(kernel(X))[0] > -1e-12 * len(X)


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
