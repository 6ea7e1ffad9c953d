"""Gram blocks against the formulas written out for one pair of points at a time."""

from math import exp, pi, sin, sqrt

import numpy as np
import pytest
from scipy.special import eval_gegenbauer
from sklearn.gaussian_process import kernels as sk

import kernelbandits as kb
import oracles

D = 5
rng = np.random.default_rng(0)
X, Z = rng.standard_normal((9, D)), rng.standard_normal((4, D))


def distance(x, z):
    return sqrt(sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) / D)


def inner(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True)) / D


def cosine(x, z):
    return inner(x, z) / sqrt(inner(x, x) * inner(z, z))


FORMULAS = [
    (kb.Linear(), inner),
    (kb.Polynomial(degree=3, offset=0.5), lambda x, z: (inner(x, z) + 0.5) ** 3),
    (kb.Exponential(gamma=0.7), lambda x, z: exp(0.7 * inner(x, z))),
    (kb.Gaussian(gamma=4.0), lambda x, z: exp(-4.0 * distance(x, z) ** 2)),
    (kb.Laplace(gamma=0.8), lambda x, z: exp(-0.8 * distance(x, z))),
    (kb.RationalQuadratic(alpha=0.7, length=1.3), lambda x, z: (1 + distance(x, z) ** 2 / (1.4 * 1.69)) ** -0.7),
    (
        kb.Periodic(period=1.7, gamma=0.6),
        lambda x, z: exp(-1.2 / D * sum(sin(pi * (a - b) / 1.7) ** 2 for a, b in zip(x, z, strict=True))),
    ),
    (kb.Matern(nu=0.5, length=2.0), lambda x, z: exp(-distance(x, z) / 2.0)),
    (kb.Matern(nu=1.5), lambda x, z: (1 + sqrt(3) * distance(x, z)) * exp(-sqrt(3) * distance(x, z))),
    (
        kb.Schoenberg(coefficients=(0.5, 0.2, 0.1), dim=8),
        lambda x, z: sum(a * eval_gegenbauer(m, 3.0, cosine(x, z)) for m, a in enumerate((0.5, 0.2, 0.1))),
    ),
    (kb.Laplace(gamma=0.8) + 0.7, lambda x, z: exp(-0.8 * distance(x, z)) + 0.7),
    (kb.Linear() + kb.Gaussian(), lambda x, z: inner(x, z) + exp(-(distance(x, z) ** 2))),
    (kb.Linear() * kb.Gaussian(), lambda x, z: inner(x, z) * exp(-(distance(x, z) ** 2))),
    (3 * kb.Linear(), lambda x, z: 3 * inner(x, z)),
]


@pytest.mark.parametrize(("kernel", "formula"), [pytest.param(*pair, id=repr(pair[0])) for pair in FORMULAS])
def test_value_is_the_formula(kernel, formula):
    expected = np.array([[formula(x, z) for z in Z] for x in X])
    assert np.allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-14)
    gram = np.array([[formula(x, z) for z in X] for x in X])
    assert np.allclose(kernel(X), gram, rtol=1e-12, atol=1e-14)
    assert np.allclose(kernel.diagonal(X), np.diag(gram), rtol=1e-12)


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.0, 1.5, 2.2, 2.5, 3.5, 20.0, 99.0])
@pytest.mark.parametrize("length", [0.5, 3.0])
def test_matern_is_that_of_scikit_learn(nu, length):
    theirs = sk.Matern(length_scale=length * sqrt(D), nu=nu)(X, Z)
    assert np.allclose(kb.Matern(nu=nu, length=length)(X, Z), theirs, rtol=1e-8, atol=1e-12)


def test_the_papers_kernels():
    assert np.allclose(kb.Gaussian(gamma=4.0)(X, Z), oracles.gaussian(X, Z), rtol=1e-13)
    assert np.allclose(kb.Linear()(X, Z), oracles.linear(X, Z), rtol=1e-12, atol=1e-15)


def test_blocks_longer_than_the_cache_are_the_same_rows():
    """Distances are made some rows at a time; every row must be its own."""
    many = np.random.default_rng(1).standard_normal((200, 3))
    rows = np.vstack([kb.Gaussian()(x[np.newaxis], many) for x in many])
    assert np.allclose(kb.Gaussian()(many, many.copy()), rows, rtol=1e-12)
    assert np.allclose(kb.Gaussian()(many), np.exp(-oracles.squared_distances(many, many) / 3), rtol=1e-12)


def test_arrays_of_any_layout_and_kind():
    whole = np.arange(12).reshape(3, 4)
    expected = oracles.gaussian(whole.astype(float), whole.astype(float))
    for points in (whole, whole.tolist(), np.asfortranarray(whole), whole.astype(np.float32), np.flip(whole[::-1])):
        shown = np.asarray(points, dtype=float)
        assert np.allclose(kb.Gaussian(gamma=4.0)(points), oracles.gaussian(shown, shown), rtol=1e-12)
    assert np.allclose(kb.Gaussian(gamma=4.0)(whole), expected, rtol=1e-12)
