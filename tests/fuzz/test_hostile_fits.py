"""Fits of every estimator with every kernel to hostile numbers up to 1e12: finite answers, or a refusal that is right.

A case is known by its number: `case(number)` makes it again.
"""

import warnings
from collections import Counter

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import KernelBanditsError, NotConverged, RidgeTooSmall
from kernelbandits.regression import leave_one_out

LARGEST = 1e12
PER_PART = 5_000


def power_of_ten(rng, low, high):
    return float(10.0 ** rng.uniform(low, high))


def hostile_kernel(rng):
    kernel = examples.KERNELS[rng.integers(len(examples.KERNELS))]
    other = examples.KERNELS[rng.integers(len(examples.KERNELS))]
    makers = [
        lambda: kernel,
        lambda: kb.Scaled(kernel, power_of_ten(rng, -12, 12)),
        lambda: kb.Shifted(kernel, power_of_ten(rng, -12, 12)),
        lambda: kb.Sum(kernel, other),
        lambda: kb.Product(kernel, other),
    ]
    return makers[rng.choice(len(makers), p=[0.6, 0.1, 0.1, 0.1, 0.1])]()


def hostile_points(rng, n, dim):
    """Points up to 1e12, shape (n, d): repeated, one-hot, constant, dependent, of any size, far away, whole numbers."""
    normal = rng.standard_normal((n, dim))
    kinds = [
        lambda: normal,
        lambda: normal[rng.integers(1 + n // 3, size=n)],
        lambda: np.eye(dim)[rng.integers(dim, size=n)],
        lambda: np.zeros((n, dim)),
        lambda: np.full((n, dim), rng.standard_normal()),
        lambda: normal * (np.arange(dim) > 0) + (np.arange(dim) == 0),
        lambda: normal[:, :1] * rng.standard_normal(dim),
        lambda: normal * 10.0 ** rng.uniform(-12, 12, size=(n, 1)),
    ]
    X = kinds[rng.integers(len(kinds))]()
    scales = [1.0, 30.0, power_of_ten(rng, -12, 12), 10.0 ** rng.uniform(-12, 12, size=dim)]
    offsets = [0.0, power_of_ten(rng, 0, 12), 10.0 ** rng.uniform(0, 12, size=dim) * rng.choice([-1.0, 1.0], dim)]
    X = X * scales[rng.integers(len(scales))] + offsets[rng.integers(len(offsets))]
    X = np.clip(X, -LARGEST, LARGEST)
    return np.rint(X).astype(np.int64) if rng.random() < 0.1 else X


def hostile_targets(rng, n):
    normal = rng.standard_normal(n)
    kinds = [
        lambda: normal,
        lambda: np.zeros(n),
        lambda: np.full(n, power_of_ten(rng, -12, 12)),
        lambda: normal * power_of_ten(rng, -12, 12) + power_of_ten(rng, -12, 12),
        lambda: np.where(np.arange(n) == 0, LARGEST, normal),
        lambda: normal * 10.0 ** rng.uniform(-12, 12, size=n),
        lambda: rng.integers(2, size=n),
        lambda: normal > 0.0,
    ]
    y = kinds[rng.integers(len(kinds))]()
    return y if y.dtype == bool else np.clip(y, -LARGEST, LARGEST)


def hostile_ridge(rng):
    return float(rng.choice([0.0, 1e-100, 1e-12, 1e-8, 1e-3, 1.0, 1e3, 1e12, 1e100]))


def interpolator(kernel, rng):
    return kb.MinNormInterpolator(kernel)


def ridge_regression(kernel, rng):
    return kb.KernelRidge(kernel, hostile_ridge(rng))


def gaussian_process(kernel, rng):
    return kb.GaussianProcess(kernel, hostile_ridge(rng) or 1e-6)


def nystrom(kernel, rng):
    centers = examples.CENTERS[rng.integers(len(examples.CENTERS))]
    return kb.Nystrom(kernel, hostile_ridge(rng), int(rng.choice([1, 5, 100])), centers)


def conjugate_gradient(kernel, rng):
    preconditioner = examples.PRECONDITIONERS[rng.integers(len(examples.PRECONDITIONERS))]
    return kb.ConjugateGradient(kernel, hostile_ridge(rng), preconditioner, max_iterations=60)


def gradient_descent(kernel, rng):
    stopping = [kb.FixedSteps(10), kb.HeldOut(patience=3, max_steps=50)][rng.integers(2)]
    return kb.GradientDescent(kernel, stopping, hostile_ridge(rng))


def scikit_learn(kernel, rng):
    return kb.KernelRidgeRegressor(kernel, hostile_ridge(rng)) if rng.random() < 0.5 else kb.KernelInterpolator(kernel)


class OneLeftOut:
    """`leave_one_out`, asked as an estimator is."""

    def __init__(self, kernel, rng):
        self.kernel, self.ridge = kernel, hostile_ridge(rng)


MAKERS = [
    interpolator,
    ridge_regression,
    gaussian_process,
    nystrom,
    conjugate_gradient,
    gradient_descent,
    scikit_learn,
    OneLeftOut,
]


def case(number):
    """The estimator of a case, the data X and y, and further points Z, some of which are data."""
    rng = np.random.default_rng(number)
    estimator = MAKERS[number % len(MAKERS)](hostile_kernel(rng), rng)
    n, dim = int(rng.choice([1, 2, 3, 8, 30])), int(rng.choice([1, 2, 6, 30]))
    X, y = hostile_points(rng, n, dim), hostile_targets(rng, n)
    return estimator, X, y, np.concatenate([X[:2], hostile_points(rng, 3, dim)])


def check_fit(estimator, X, y, Z):
    """A fit answers in finite numbers, and does not say that it is better than it is."""
    if isinstance(estimator, OneLeftOut):
        assert np.isfinite(leave_one_out(estimator.kernel, X, y, estimator.ridge)).all()
        return
    fit = estimator.fit(X, y)
    fitted, mean = (fit.predict(X), fit.predict(Z)) if hasattr(fit, "predict") else (fit.mean(X), fit.mean(Z))
    fit = getattr(fit, "predictor_", fit)
    assert np.isfinite([*fitted, *mean]).all()
    if hasattr(fit, "std"):
        assert (np.isfinite(std := fit.std(Z)) & (std >= 0.0)).all()
    if isinstance(fit, kb.Posterior):
        assert np.isfinite([fit.log_det, fit.information_gain]).all()
        assert np.isfinite(fit.extend(np.asarray(Z[0], dtype=float), float(y[0])).mean(Z)).all()
    check_report(estimator, fit, fitted, np.asarray(y, dtype=float))


def check_report(estimator, fit, fitted, y):
    """Least squares shrinks: fitted values are no longer than the targets, where the report tells of nothing else."""
    report, size = fit.report, np.linalg.norm(y)
    if isinstance(estimator, kb.GradientDescent):
        assert report.residual <= 1.0 + 1e-9
    elif report.converged and not report.raised:
        assert np.linalg.norm(fitted) <= 1.5 * size
    if (
        isinstance(estimator, kb.ConjugateGradient)
        and report.converged
        and not (report.duplicates and not estimator.ridge)
    ):
        K = estimator.kernel(fit.expansion.centers)
        rounding = 1e-14 * np.linalg.norm(np.abs(K) @ np.abs(fit.weights))
        assert np.linalg.norm(fitted + estimator.ridge * fit.weights - y) <= 2 * estimator.tolerance * size + rounding


def is_right(message, kernel, X, Z):
    """Whether a refusal is: values that overflow, or a zero vector where directions count."""
    if "Schoenberg" in repr(kernel) and message.endswith("Drop it or add a constant feature."):
        return not X.any(axis=1).all() or not Z.any(axis=1).all()
    largest = max(np.mean(np.square(points, dtype=float), axis=1).max() for points in (X, Z))
    return message.endswith("or use a kernel that grows less") and "Exponential" in repr(kernel) and largest > 200.0


def run(numbers):
    """Check cases, and count what was refused, by estimator and reason."""
    refused = Counter()
    for number in numbers:
        estimator, X, y, Z = case(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            warnings.simplefilter("ignore", RidgeTooSmall)
            try:
                check_fit(estimator, X, y, Z)
            except KernelBanditsError as error:
                message = str(error)
                assert is_right(message, estimator.kernel, X, Z), f"case {number}: {message}"
                refused[MAKERS[number % len(MAKERS)].__name__, message.split(" ")[-1]] += 1
            except Exception as error:
                error.add_note(f"case {number}: {estimator}")
                raise
    return refused


def test_a_few_hostile_fits():
    assert 0 < run(range(500)).total() < 0.15 * 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100_000 // PER_PART))
def test_a_hundred_thousand_hostile_fits(part):
    assert run(range(1000 + part * PER_PART, 1000 + (part + 1) * PER_PART)).total() < 0.15 * PER_PART


def test_every_estimator_is_fuzzed():
    made = {type(make(kb.Gaussian(), np.random.default_rng(0))) for make in MAKERS}
    assert made >= examples.exported(kb.Estimator)
