"""Conjugate gradients and gradient descent against the exact solvers, their reports, warm starts and refusals."""

import warnings

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, NotConverged
from kernelbandits.regression.iterative import KernelProduct
from kernelbandits.testing import check_spec


def data(n=400, d=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n), rng.standard_normal((30, d))


@pytest.mark.parametrize("preconditioner", examples.PRECONDITIONERS, ids=repr)
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_conjugate_gradients_reach_the_exact_fit(preconditioner, ridge):
    X, y, Z = data()
    fit = kb.ConjugateGradient(kb.Gaussian(2.0), ridge, preconditioner, tolerance=1e-9).fit(X, y)
    exact = kb.KernelRidge(kb.Gaussian(2.0), ridge).fit(X, y)
    assert fit.report.converged
    assert fit.report.residual <= 1e-9
    assert fit.report.iterations > 1
    assert np.allclose(fit.mean(Z), exact.mean(Z), atol=1e-6)
    slow = np.linalg.norm(kb.Gaussian(2.0)(X) @ fit.weights + ridge * fit.weights - y) / np.linalg.norm(y)
    assert fit.report.residual == pytest.approx(slow, rel=1e-3)


def test_a_preconditioner_saves_iterations_where_the_matrix_is_ill_conditioned():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 3))
    y = np.sin(X.sum(axis=1))
    kernel = kb.Gaussian(1.0)
    plain = kb.ConjugateGradient(kernel, 1e-6, kb.NoPreconditioner(), max_iterations=5000)
    quick = kb.ConjugateGradient(kernel, 1e-6, kb.PartialCholesky(150))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # it may well not get there
        assert plain.fit(X, y).report.iterations >= 3 * quick.fit(X, y).report.iterations
    assert quick.fit(X, y).report.converged


def test_repeated_rows_get_the_mean_of_their_targets():
    X, y, Z = data(n=60)
    doubled, targets = np.vstack([X, X[:20]]), np.concatenate([y, y[:20] + 1.0])
    fit = kb.ConjugateGradient(kb.Gaussian(2.0)).fit(doubled, targets)
    assert np.allclose(fit.mean(Z), kb.MinNormInterpolator(kb.Gaussian(2.0)).fit(doubled, targets).mean(Z), atol=1e-6)
    assert (fit.report.n, fit.report.rank, fit.report.duplicates) == (80, 60, 20)
    assert not fit.report.exact


def test_what_does_not_converge_says_so():
    X, y, _ = data()
    estimator = kb.ConjugateGradient(kb.Gaussian(2.0), 0.0, kb.NoPreconditioner(), max_iterations=2)
    with pytest.warns(NotConverged, match="did not converge .max_iterations = 2 is reached.: 2 iterations"):
        report = estimator.fit(X, y).report
    assert not report.converged
    assert report.residual > 1e-8


def test_an_unreachable_system_ends_with_a_reason():
    """More rows than a linear kernel can interpolate: the least residual is far above the tolerance."""
    X, y, _ = data(n=100, d=3)
    with pytest.warns(NotConverged):
        report = kb.ConjugateGradient(kb.Linear(), 0.0, kb.NoPreconditioner(), max_iterations=100).fit(X, y).report
    assert not report.converged


@pytest.mark.parametrize("points", [[-24.1, -39.7, -7.5], [-33.1, -21.8, -23.5], [27.3, 22.5, -0.8]])
def test_no_step_where_rounding_errors_are_larger_than_the_ridge(points):
    """Copies of a point with different targets: the matrix maps their difference to rounding errors, not to 0."""
    X, y = np.array(points)[[0, 1, 1, 2, 2, 2, 2, 1], np.newaxis], np.array([1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    kernel = (kb.Linear() + kb.Gaussian(gamma=2.0)) * kb.RationalQuadratic(alpha=0.7, length=1.3)
    with pytest.warns(NotConverged, match="rounding stops it"):
        fit = kb.ConjugateGradient(kernel, 1e-100, kb.NoPreconditioner()).fit(X, y)
    assert np.linalg.norm(fit.mean(X)) <= 1.5 * np.linalg.norm(y)


def test_a_kernel_that_is_zero_at_every_point_predicts_zero():
    for preconditioner in examples.PRECONDITIONERS:
        with pytest.warns(NotConverged):
            fit = kb.ConjugateGradient(kb.Linear(), 0.0, preconditioner).fit(np.zeros((5, 2)), np.ones(5))
        assert np.array_equal(fit.mean(np.eye(2)), [0.0, 0.0])


def test_a_warm_start_saves_iterations_and_gives_the_same_function():
    X, y, Z = data()
    estimator = kb.ConjugateGradient(kb.Gaussian(2.0), 0.1, kb.NoPreconditioner())
    before = estimator.fit(X[:390], y[:390])
    cold, warm = estimator.fit(X, y), estimator.fit_from(before, X, y)
    assert warm.report.iterations < cold.report.iterations
    assert np.allclose(warm.mean(Z), cold.mean(Z), atol=1e-6)
    again = estimator.fit_from(cold, X, y)
    assert again.report.iterations == 0


def test_a_warm_start_from_other_rows_is_refused():
    X, y, _ = data(n=50)
    estimator = kb.ConjugateGradient(kb.Gaussian(2.0))
    start = estimator.fit(X[:40], y[:40])
    with pytest.raises(InvalidArgument, match="must begin with the 40 rows"):
        estimator.fit_from(start, X[::-1], y)
    with pytest.raises(InvalidArgument, match="must begin with the 40 rows"):
        estimator.fit_from(start, X[:30], y[:30])


@pytest.mark.parametrize("memory", [0, 3_000_000, 10**9])
@pytest.mark.parametrize("n", [3, 1100])
def test_products_by_panels(memory, n):
    X, _, _ = data(n=n)
    kernel = kb.Matern(1.5)
    product = KernelProduct(kernel, X, 0.3, memory)
    A = kernel(X) + 0.3 * np.eye(n)
    for seed in range(2):  # the second product finds panels that were kept
        v = np.random.default_rng(seed).standard_normal(n)
        assert np.allclose(product(v), A @ v, atol=1e-10)
    found, largest = product.largest_eigenvalue(np.random.default_rng(0)), np.linalg.eigvalsh(A)[-1]
    assert found == pytest.approx(largest, rel=0.02)


def test_gradient_descent_is_the_filter_of_its_steps():
    """Direction by direction, t steps fit a share 1 − (1 − ημ)^t of the targets."""
    X, y, _ = data(n=80)
    kernel = kb.Laplace()
    fit = kb.GradientDescent(kernel, kb.FixedSteps(25)).fit(X, y)
    values, vectors = np.linalg.eigh(kernel(X))
    share = 1.0 - (1.0 - values / values[-1]) ** 25
    slow = vectors @ (share * (vectors.T @ y))
    assert np.allclose(fit.mean(X), slow, atol=1e-3)
    assert fit.report.iterations == 25
    assert fit.report.residual == pytest.approx(np.linalg.norm(fit.mean(X) - y) / np.linalg.norm(y), rel=1e-6)


def test_held_out_rows_stop_the_descent_before_it_fits_the_noise():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    truth = np.sin(X[:, 0])
    y = truth + rng.standard_normal(300)
    kernel = kb.Gaussian(4.0)
    early = kb.GradientDescent(kernel, kb.HeldOut(patience=10)).fit(X, y)
    late = kb.GradientDescent(kernel, kb.FixedSteps(2000)).fit(X, y)
    assert early.report.converged
    assert early.report.iterations < 1000
    assert np.mean((early.mean(X) - truth) ** 2) < 0.7 * np.mean((late.mean(X) - truth) ** 2)


def test_a_descent_that_could_go_on_says_so():
    X, _, _ = data(n=60)
    with pytest.warns(NotConverged, match="max_steps = 2 is reached"):
        kb.GradientDescent(kb.Gaussian(2.0), kb.HeldOut(max_steps=2)).fit(X, X[:, 0])


def test_descent_goes_on_from_a_warm_start():
    X, y, _ = data(n=60)
    ten = kb.GradientDescent(kb.Gaussian(2.0), kb.FixedSteps(10))
    twenty = kb.GradientDescent(kb.Gaussian(2.0), kb.FixedSteps(20))
    assert np.allclose(ten.fit_from(ten.fit(X, y), X, y).weights, twenty.fit(X, y).weights, atol=1e-12)


@pytest.mark.parametrize("spec", [*examples.PRECONDITIONERS, *examples.STOPPINGS], ids=repr)
def test_parts_are_values(spec):
    check_spec(spec)


def test_every_exported_part_has_an_example():
    assert examples.exported(kb.Preconditioner) == examples.types_of(examples.PRECONDITIONERS)
    assert examples.exported(kb.Stopping) == examples.types_of(examples.STOPPINGS)


def test_holding_out_rows_works_the_same_when_their_block_is_too_large_to_keep(monkeypatch):
    X, y, _ = data()
    estimator = kb.GradientDescent(kb.Gaussian(), kb.HeldOut())
    kept = estimator.fit(X, y)
    monkeypatch.setattr("kernelbandits.regression.gradient_descent._KEPT", 0)
    made_again = estimator.fit(X, y)
    assert made_again.report.iterations == kept.report.iterations
    assert np.allclose(made_again.mean(X), kept.mean(X))


def test_held_out_rows_choose_the_step_with_the_least_error():
    """With K = 1 everywhere, predictions are the sum of the weights; the targets are 1."""

    def descend(rows):
        for total in (0.0, 0.4, 0.9, 1.3, 2.0, 3.0, 4.0):
            yield np.full(len(rows), total / len(rows))

    X, y = np.ones((20, 1)), np.ones(20)
    steps, met, _ = kb.HeldOut(patience=3).decide(kb.Linear(), X, y, descend, np.random.default_rng(0))
    assert (steps, met) == (2, True)
