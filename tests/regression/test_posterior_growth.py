"""A posterior is a value: extending it gives another one and leaves every earlier one as it was."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb

DIM = 3
MODEL = kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.05)
rng = np.random.default_rng(0)
X, Y, Z = rng.standard_normal((150, DIM)), rng.standard_normal(150), rng.standard_normal((7, DIM))


def extended(posterior, rows):
    for row in rows:
        posterior = posterior.extend(X[row], Y[row])
    return posterior


def assert_knows(posterior, rows):
    """The posterior is that of exactly these observations, in this order."""
    fresh = MODEL.fit(X[rows], Y[rows]) if rows else MODEL.without_data(DIM)
    assert posterior.n == len(rows)
    assert np.array_equal(posterior.X, X[rows])
    assert np.allclose(posterior.mean(Z), fresh.mean(Z), atol=1e-10)
    assert np.allclose(posterior.std(Z), fresh.std(Z), atol=1e-10)
    assert posterior.log_det == pytest.approx(fresh.log_det, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("start", [0, 1, 15, 16, 17, 40])
def test_grows_across_every_size_of_its_buffers(start):
    posterior = MODEL.fit(X[:start], Y[:start]) if start else MODEL.without_data(DIM)
    chain = [posterior]
    for row in range(start, 140):
        chain.append(chain[-1].extend(X[row], Y[row]))
    for n in sorted({start, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 140}):
        if n >= start:
            assert_knows(chain[n - start], list(range(n)))


@pytest.mark.parametrize("n", [0, 1, 7, 15, 16, 17, 32, 50])
@pytest.mark.parametrize("fitted", [False, True])
def test_two_branches_are_independent(n, fitted):
    rows = list(range(n))
    trunk = MODEL.fit(X[:n], Y[:n]) if fitted and n else extended(MODEL.without_data(DIM), rows)
    left = extended(trunk, range(60, 80))
    right = extended(trunk, range(80, 100))
    assert_knows(trunk, rows)
    assert_knows(left, [*rows, *range(60, 80)])
    assert_knows(right, [*rows, *range(80, 100)])


def test_a_branch_of_a_branch_is_independent():
    """A branch grows to where its factor is full, and is then extended twice."""
    trunk = extended(MODEL.without_data(DIM), range(10))
    extended(trunk, [20])
    branch = extended(trunk, range(30, 36))
    left, right = extended(branch, [40]), extended(branch, [50])
    assert_knows(left, [*range(10), *range(30, 36), 40])
    assert_knows(right, [*range(10), *range(30, 36), 50])


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20)), min_size=1, max_size=8))
def test_any_tree_of_extensions(steps):
    """Each step extends some earlier posterior by some observations; all of them stay right."""
    tree = [(MODEL.without_data(DIM), [])]
    fresh = iter(range(10_000))
    for parent, length in steps:
        posterior, rows = tree[parent % len(tree)]
        for _ in range(length):
            row = next(fresh) % len(X)
            posterior, rows = posterior.extend(X[row], Y[row]), [*rows, row]
            tree.append((posterior, rows))
    for posterior, rows in tree[:: max(1, len(tree) // 25)] + tree[-3:]:
        assert_knows(posterior, rows)


def test_extend_does_not_keep_the_callers_array():
    x = X[0].copy()
    posterior = MODEL.without_data(DIM).extend(x, Y[0])
    x[:] = 99.0
    assert_knows(posterior, [0])


def test_a_healthy_posterior_needs_no_repairs():
    for posterior in (MODEL.fit(X, Y), extended(MODEL.without_data(DIM), range(50))):
        assert posterior.repairs == (0, 0.0, 0.0, 0)
