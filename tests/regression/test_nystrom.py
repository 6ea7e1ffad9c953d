"""Nyström fits against the slow formula, their exact limits, and what they do with dependent centres."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.regression import Basis, NormalEquations
from kernelbandits.regression.normal_equations import add_grams, add_grams_by_panels
from kernelbandits.testing import check_spec


def data(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n), rng.standard_normal((40, d))


def equations(basis, *blocks):
    """The normal equations of all blocks (X, y)."""
    found = NormalEquations(basis)
    for X, y in blocks:
        found.add(X, y)
    return found


def slow_fit(kernel, ridge, centers, X, y, Z):
    """Least squares on the stacked system [K_NM; √ridge K_MM^½] a = [y; 0]; and the DTC variance by its formula."""
    K, K_MM, K_Z = kernel(X, centers), kernel(centers), kernel(Z, centers)
    values, vectors = np.linalg.eigh(K_MM)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    system = np.vstack([K, np.sqrt(ridge) * root])
    a = np.linalg.lstsq(system, np.concatenate([y, np.zeros(len(root))]), rcond=None)[0]
    variance = kernel.diagonal(Z) - np.einsum("ij,ji->i", K_Z, np.linalg.solve(K_MM, K_Z.T))
    variance += ridge * np.einsum("ij,ji->i", K_Z, np.linalg.solve(K.T @ K + ridge * K_MM, K_Z.T))
    return K_Z @ a, np.sqrt(np.maximum(variance, 0.0))


@pytest.mark.parametrize("kernel", [kb.Gaussian(2.0), kb.Matern(1.5), kb.Exponential() + kb.Laplace()], ids=repr)
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_mean_and_variance_are_those_of_the_formula(kernel, ridge):
    X, y, Z = data()
    fit = kb.Nystrom(kernel, ridge, n_centers=40).fit(X, y)
    mean, std = slow_fit(kernel, ridge, fit.centers, X, y, Z)
    assert np.allclose(fit.mean(Z), mean, rtol=1e-7, atol=1e-8)
    assert np.allclose(fit.std(Z), std, rtol=1e-6, atol=1e-6)
    assert np.allclose(fit.norm, fit.expansion.norm, rtol=1e-8)


def test_with_every_row_a_centre_it_is_kernel_ridge_and_the_posterior():
    X, y, Z = data(n=60)
    fit = kb.Nystrom(kb.Matern(1.5), ridge=0.2, n_centers=60).fit(X, y)
    posterior = kb.GaussianProcess(kb.Matern(1.5), ridge=0.2).fit(X, y)
    assert np.allclose(fit.mean(Z), kb.KernelRidge(kb.Matern(1.5), 0.2).fit(X, y).mean(Z), atol=1e-10)
    assert np.allclose(fit.std(Z), posterior.std(Z), atol=1e-8)


def test_without_ridge_and_with_every_row_a_centre_it_interpolates():
    X, y, Z = data(n=60)
    fit = kb.Nystrom(kb.Laplace(), ridge=0.0, n_centers=60).fit(X, y)
    assert np.allclose(fit.mean(X), y, atol=1e-9)
    assert np.allclose(fit.mean(Z), kb.MinNormInterpolator(kb.Laplace()).fit(X, y).mean(Z), atol=1e-8)
    assert fit.report.residual < 1e-6


def test_before_any_data_the_variance_is_the_prior():
    for ridge in (0.0, 1.0):
        prior = kb.Nystrom(kb.Gaussian(), ridge).without_data(3)
        assert np.allclose(prior.std(np.ones((2, 3))), 1.0)


def test_repeated_centres_are_left_out_and_told():
    X, y, Z = data(n=50)
    doubled = np.repeat(X, 3, axis=0)
    fit = kb.Nystrom(kb.Gaussian(), 0.5, n_centers=150).fit(doubled, np.repeat(y, 3))
    assert (fit.report.left_out, fit.report.size) == (100, 50)
    assert "100 centres left out" in str(fit.report)
    assert np.allclose(fit.mean(Z), kb.KernelRidge(kb.Gaussian(), 0.5 / 3).fit(X, y).mean(Z), atol=1e-9)


def test_a_linear_kernel_needs_no_more_centres_than_features():
    X, y, Z = data(n=200, d=6)
    fit = kb.Nystrom(kb.Linear(), 0.1, n_centers=80).fit(X, y)
    assert fit.report.size == 6
    assert np.allclose(fit.mean(Z), kb.KernelRidge(kb.Linear(), 0.1).fit(X, y).mean(Z), atol=1e-9)


@pytest.mark.parametrize("ridge", [0.0, 1e-10, 1e-4])
def test_nearly_dependent_centres_cost_no_accuracy(ridge):
    """A smooth kernel on a line: K_MM is singular to rounding, and the fit is still as good as the function allows."""
    x = np.linspace(-1.0, 1.0, 2000)[:, np.newaxis]
    y = np.sin(3.0 * x[:, 0])
    fit = kb.Nystrom(kb.Gaussian(1.0), ridge, n_centers=200).fit(x, y)
    assert fit.report.size < 60
    assert fit.report.condition > 1e10
    assert np.abs(fit.mean(x) - y).max() < max(1e-6, 10.0 * ridge)


def test_both_ways_of_whitening_agree():
    X, y, _ = data()
    basis = Basis.of(kb.Matern(1.5), X[:50])
    assert basis.well_conditioned
    late = equations(basis, (X, y))
    early = NormalEquations(Basis(basis.kernel, basis.centers, basis.factor, 50, basis.cutoff, np.inf))
    early.add(X, y)
    for ours, theirs in zip(late.whitened(), early.whitened(), strict=True):
        assert np.allclose(np.triu(np.atleast_2d(ours)), np.triu(np.atleast_2d(theirs)), atol=1e-9)


def test_sums_over_partitions_give_the_fit_to_the_whole():
    X, y, Z = data(n=700)
    estimator = kb.Nystrom(kb.Gaussian(), 0.1, n_centers=30)
    basis = estimator.basis(X)
    first, second = equations(basis, (X[:200], y[:200]), (X[200:300], y[200:300])), equations(basis, (X[300:], y[300:]))
    first.merge(second)
    assert first.sums.n == 700
    assert np.allclose(estimator.solve(first).mean(Z), estimator.fit(X, y).mean(Z), atol=1e-10)


def test_residual_of_merged_sums_is_that_of_all_their_data():
    X, y, _ = data()
    estimator = kb.Nystrom(kb.Gaussian(), 0.3, n_centers=25)
    basis = estimator.basis(X)
    first, second = equations(basis, (X[:100], y[:100])), equations(basis, (X[100:], y[100:]))
    first.merge(second)
    fit = estimator.solve(first)
    assert fit.report.residual == pytest.approx(np.sqrt(np.mean((y - fit.mean(X)) ** 2) / np.mean(y**2)), rel=1e-6)


def test_sums_over_other_centres_are_not_merged():
    X, y, _ = data()
    first, second = (equations(Basis.of(kb.Gaussian(), X[rows]), (X, y)) for rows in (slice(0, 20), slice(20, 40)))
    with pytest.raises(InvalidArgument, match="over the same centres"):
        first.merge(second)


@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("centers", examples.CENTERS, ids=repr)
def test_a_kernel_that_is_zero_at_every_centre_predicts_zero(ridge, centers):
    fit = kb.Nystrom(kb.Linear(), ridge, centers=centers).fit(np.zeros((5, 2)), np.ones(5))
    assert np.array_equal(fit.mean(np.eye(2)), [0.0, 0.0])
    assert np.allclose(fit.std(np.eye(2)), np.sqrt(0.5))
    assert fit.report.residual == 1.0


@pytest.mark.parametrize("n", [1, 511, 1030])
def test_the_lower_triangle_of_a_gram_matrix_is_summed_at_once_and_by_panels(n):
    X = np.random.default_rng(0).standard_normal((1100, n))
    parts = [X[:400], X[400:]]
    expected = np.tril(1.0 + X.T @ X)
    with ThreadPoolExecutor(3) as pool:
        for add in (add_grams, partial(add_grams_by_panels, pool.map)):
            G = np.ones((n, n))
            add(G, parts)
            assert np.allclose(np.tril(G), expected)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_sums_are_the_same_on_any_number_of_threads(threads):
    X, y, _ = data(n=1100)
    basis = Basis.of(kb.Matern(1.5), X[:50])
    V = kb.Matern(1.5)(X, basis.centers)
    with threadpool_limits(threads):
        found = equations(basis, (X, y)).sums
    assert np.allclose(np.tril(found.gram), np.tril(V.T @ V))
    assert np.allclose(found.moments, y @ V)
    assert (found.n, found.square) == (1100, y @ y)


def test_a_fit_on_two_threads_is_the_same_in_every_run_and_close_to_that_on_one():
    X, y, Z = data(n=3000)
    estimator = kb.Nystrom(kb.Gaussian(), 0.3, n_centers=30)
    with threadpool_limits(2):
        first, second = estimator.fit(X, y).mean(Z), estimator.fit(X, y).mean(Z)
    with threadpool_limits(1):
        alone = estimator.fit(X, y).mean(Z)
    assert np.array_equal(first, second)
    assert np.allclose(first, alone, rtol=1e-9)


def test_residual_is_that_of_the_data():
    X, y, _ = data()
    fit = kb.Nystrom(kb.Gaussian(), 0.3, n_centers=25).fit(X, y)
    slow = np.sqrt(np.mean((y - fit.mean(X)) ** 2) / np.mean(y**2))
    assert fit.report.residual == pytest.approx(slow, rel=1e-6)


def test_every_exported_choice_of_centres_has_an_example():
    assert examples.exported(kb.Centers) == examples.types_of(examples.CENTERS)


@pytest.mark.parametrize("centers", examples.CENTERS, ids=repr)
class TestCenters:
    def test_gives_at_most_as_many_as_asked_for_and_leaves_the_data_alone(self, centers):
        check_spec(centers)
        X, _, _ = data()
        before = X.copy()
        chosen = centers.select(kb.Gaussian(), X, 20, np.random.default_rng(0))
        assert chosen.shape == (20, 5)
        assert not np.shares_memory(chosen, X)
        assert np.array_equal(X, before)
        assert np.array_equal(centers.select(kb.Gaussian(), X, 20, np.random.default_rng(0)), chosen)

    def test_more_than_there_are_gives_all_the_data_span(self, centers):
        X, _, _ = data(n=12)
        chosen = centers.select(kb.Laplace(), X, 50, np.random.default_rng(0))
        assert sorted(map(tuple, chosen)) == sorted(map(tuple, X))

    def test_a_fit_with_them_is_close_to_the_exact_one(self, centers):
        X, y, Z = data()
        exact = kb.KernelRidge(kb.Gaussian(0.5), 1.0).fit(X, y).mean(Z)
        fit = kb.Nystrom(kb.Gaussian(0.5), 1.0, n_centers=150, centers=centers).fit(X, y)
        assert np.abs(fit.mean(Z) - exact).max() < 0.05


def clustered(rng, n=2000):
    """Two crowded clusters and ten rare ones with two rows each."""
    middles = 4.0 * rng.standard_normal((12, 5))
    sizes = [(n - 20) // 2] * 2 + [2] * 10
    return np.repeat(middles, sizes, axis=0) + 0.1 * rng.standard_normal((n, 5)), middles


def clusters_missed(centers, seed):
    rng = np.random.default_rng(seed)
    X, middles = clustered(rng)
    chosen = centers.select(kb.Gaussian(1.0), X, 40, rng)
    return int((np.linalg.norm(chosen[:, np.newaxis] - middles, axis=2).min(axis=0) > 1.0).sum())


@pytest.mark.parametrize(
    ("centers", "share"),
    [(kb.PivotedCenters(), 0.0), (kb.GreedyCenters(), 0.0), (kb.LeverageCenters(pilot=100), 0.8)],
    ids=repr,
)
def test_rare_clusters_get_centres(centers, share):
    ours, uniform = (sum(clusters_missed(c, seed) for seed in range(6)) for c in (centers, kb.UniformCenters()))
    assert uniform > 30
    assert ours <= share * uniform


def test_random_pivots_have_the_distribution_of_one_at_a_time():
    """Three points, two of them close: the chance of every pair of pivots in blocks, against its formula."""
    X = np.array([[0.0], [0.3], [5.0]])
    kernel = kb.Gaussian()
    K = kernel(X)
    expected = np.zeros(3)
    for first in range(3):
        left = K.diagonal() - K[first] ** 2
        for second in set(range(3)) - {first}:
            expected[3 - first - second] += left[second] / left.sum() / 3.0
    counts = np.zeros(3)
    rng = np.random.default_rng(0)
    for _ in range(4000):
        chosen = kb.PivotedCenters().select(kernel, X, 2, rng)
        counts[[i for i in range(3) if X[i, 0] not in chosen]] += 1
    assert np.allclose(counts / 4000, expected, atol=4 * 0.5 / np.sqrt(4000))


def test_pivots_stop_where_nothing_is_left():
    X = np.repeat(np.eye(4), 5, axis=0)
    for centers in (kb.PivotedCenters(), kb.GreedyCenters()):
        assert len(centers.select(kb.Gaussian(), X, 15, np.random.default_rng(0))) == 4


def test_another_seed_takes_other_centres():
    X, y, _ = data()
    fits = [kb.Nystrom(kb.Gaussian(), 1.0, n_centers=10, seed=seed).fit(X, y) for seed in (0, 0, 1)]
    assert np.array_equal(fits[0].centers, fits[1].centers)
    assert not np.array_equal(np.sort(fits[0].centers, axis=0), np.sort(fits[2].centers, axis=0))


def test_explore_then_commit_takes_it():
    instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=10, n_bumps=20).draw(np.random.default_rng(0))
    policy = kb.ExploreThenCommit(kb.Nystrom(kb.Gaussian(4.0), 1e-6, n_centers=200), n_explore=90)
    exact = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(4.0), 1e-6), n_explore=90)
    traces = [kb.play(p, instance, 200, np.random.default_rng(1)) for p in (policy, exact)]
    assert np.array_equal(traces[0].arms, traces[1].arms)
