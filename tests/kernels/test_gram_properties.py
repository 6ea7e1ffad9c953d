"""What must hold for every kernel and every set of points, repeated ones too."""

import numpy as np
from hypothesis import given, reject, strategies as st

import examples
from kernelbandits.errors import InvalidArgument

kernels = st.sampled_from(examples.KERNELS)


@st.composite
def points(draw):
    """Normal points of any dimension and scale, some of them copies of others."""
    dim, n, copies = draw(st.integers(1, 40)), draw(st.integers(1, 20)), draw(st.integers(0, 6))
    scale = 10.0 ** draw(st.integers(-4, 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = scale * rng.standard_normal((n, dim))
    return np.vstack([X, X[rng.integers(0, n, copies)]])[rng.permutation(n + copies)]


def gram(kernel, X):
    """K(X), if double precision can hold it: exponentials of inner products grow fast."""
    try:
        return kernel(X)
    except InvalidArgument:
        reject()


@given(kernels, points())
def test_positive_semi_definite(kernel, X):
    K = gram(kernel, X)
    assert np.isfinite(K).all()
    assert np.linalg.eigvalsh(K)[0] >= -1e-11 * len(K) * np.abs(K).max()


@given(kernels, points())
def test_symmetric_to_the_last_bit(kernel, X):
    K = gram(kernel, X)
    assert np.array_equal(K, K.T)


@given(kernels, points())
def test_diagonal_is_the_diagonal(kernel, X):
    assert np.array_equal(gram(kernel, X).diagonal(), kernel.diagonal(X))


@given(kernels, points())
def test_block_of_a_set_with_itself_is_its_gram_matrix(kernel, X):
    K = gram(kernel, X)
    assert np.allclose(kernel(X, X.copy()), K, rtol=1e-7, atol=1e-12 * np.abs(K).max())


@given(kernels, points(), st.integers(0, 2**32 - 1))
def test_the_order_of_points_does_not_matter(kernel, X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    K = gram(kernel, X)
    assert np.allclose(kernel(X[order]), K[np.ix_(order, order)], rtol=1e-7, atol=1e-12 * np.abs(K).max())


@given(kernels, points())
def test_cauchy_schwarz(kernel, X):
    """|K(x, z)|² ≤ K(x, x) K(z, z)."""
    K = gram(kernel, X)
    bound = np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    assert (np.abs(K) <= bound * (1 + 1e-9)).all()
