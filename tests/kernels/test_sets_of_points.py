"""Kernel values of several sets of points, each with a point of its own, against one block a set."""

import numpy as np
import pytest

import examples
import kernelbandits as kb
import oracles
from kernelbandits.kernels import Radial
from kernelbandits.linalg import Segments

SIZES = (3, 1, 0, 5)


def sets_and_points(dim, seed=0):
    """Every set that is not empty has a copy of its own point in it."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((len(SIZES), dim))
    sets = [rng.standard_normal((n, dim)) for n in SIZES]
    for X, z in zip(sets, Z, strict=True):
        X[-1:] = z
    return sets, Z


@pytest.mark.parametrize("dim", [5, 40])
@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
def test_values_of_sets(kernel, dim):
    sets, Z = sets_and_points(dim)
    out = Segments(SIZES)
    kernel.evaluate_each([*zip(*map(kernel.left, sets), strict=True)], kernel.right(Z), out)
    for X, z, values in zip(sets, Z, out.parts, strict=True):
        assert np.allclose(values, kernel.block(X, z[np.newaxis])[:, 0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("sizes", [SIZES, (4, 4, 4)], ids=["unequal", "equal"])
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e7])
@pytest.mark.parametrize("dim", [1, 4, 128])
def test_distances_of_sets_far_from_the_origin(dim, offset, sizes):
    """As exact as differences: in dimensions that are powers of two, the features are not rounded."""
    rng, geometry = np.random.default_rng(0), Radial()
    Z = offset + rng.standard_normal((len(sizes), dim))
    sets = [offset + rng.standard_normal((n, dim)) for n in sizes]
    for X, z in zip(sets, Z, strict=True):
        X[1:2] = z + 1e-3
        X[-1:] = z
    lefts = [geometry.left(X) for X in sets]
    out = Segments(sizes)
    geometry.evaluate_each([np.stack(lefts)] if len(set(sizes)) == 1 else lefts, geometry.right(Z), out)
    for X, z, values in zip(sets, Z, out.parts, strict=True):
        exact = oracles.precise_squared_distances(X, z[np.newaxis]).reshape(-1) / dim
        assert np.allclose(values, exact, rtol=1e-11, atol=0.0)


@pytest.mark.parametrize("dim", [5, 100, 131])
def test_a_copy_is_at_distance_zero_in_a_set_too(dim):
    kernel = kb.Gaussian(gamma=4.0)
    sets, Z = sets_and_points(dim)
    out = Segments(SIZES)
    kernel.evaluate_each([*zip(*(kernel.left(1e6 + X) for X in sets), strict=True)], kernel.right(1e6 + Z), out)
    assert [float(values[-1]) for values in out.parts if len(values)] == [1.0] * 3


@pytest.mark.parametrize("dim", [5, 40])
@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
def test_features_written_into_room_are_the_features(kernel, dim):
    X = np.random.default_rng(1).standard_normal((6, dim))
    left = kernel.left(X)
    room = tuple(np.full((9, feature.shape[1]), np.nan) for feature in left)
    kernel.left(X[2:], out=tuple(feature[3:7] for feature in room))
    for written, feature in zip(room, left, strict=True):
        assert np.array_equal(written[3:7], feature[2:])
        assert np.isnan(written[[0, 1, 2, 7, 8]]).all()
