"""The scikit-learn estimators: scikit-learn's own checks, and what people do with regressors."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import kernelbandits as kb

REGRESSORS = [kb.KernelInterpolator(), kb.KernelRidgeRegressor(), kb.KernelRidgeRegressor(kb.Laplace(), ridge=0.1)]
rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))
y = np.sin(X).sum(axis=1)


@pytest.mark.parametrize("regressor", REGRESSORS, ids=repr)
def test_passes_the_checks_of_scikit_learn(regressor):
    results = check_estimator(regressor, on_skip=None)
    assert {result["status"] for result in results} <= {"passed", "skipped"}
    skipped = {str(result["exception"]).split(":")[0] for result in results if result["status"] == "skipped"}
    assert skipped <= {"SCIPY_ARRAY_API is not set", "pandas is not installed"}
    assert len(results) > 30


def test_interpolates():
    fit = kb.KernelInterpolator(kb.Gaussian(gamma=4.0)).fit(X, y)
    assert np.allclose(fit.predict(X), y, atol=1e-8)
    assert fit.predictor_.report.exact
    assert fit.n_features_in_ == 4


def test_ridge_is_that_of_scikit_learn():
    theirs = KernelRidge(kernel="rbf", gamma=0.5 / 4, alpha=0.3).fit(X, y)
    ours = kb.KernelRidgeRegressor(kb.Gaussian(gamma=0.5), ridge=0.3).fit(X, y)
    Z = rng.standard_normal((9, 4))
    assert np.allclose(ours.predict(Z), theirs.predict(Z), atol=1e-10)


def test_none_is_the_gaussian_kernel():
    default, explicit = kb.KernelInterpolator().fit(X, y), kb.KernelInterpolator(kb.Gaussian()).fit(X, y)
    assert np.array_equal(default.predict(X), explicit.predict(X))


def test_clone_keeps_the_parameters_and_forgets_the_fit():
    fitted = kb.KernelRidgeRegressor(kb.Matern(nu=1.5), ridge=0.2).fit(X, y)
    copy = clone(fitted)
    assert copy.get_params() == {"kernel": kb.Matern(nu=1.5), "ridge": 0.2}
    assert not hasattr(copy, "predictor_")


def test_grid_search_over_kernels():
    grid = {"kernel": [kb.Linear(), kb.Gaussian(gamma=0.5), kb.Gaussian(gamma=500.0)], "ridge": [1e-3, 10.0]}
    search = GridSearchCV(kb.KernelRidgeRegressor(), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel": kb.Gaussian(gamma=0.5), "ridge": 1e-3}
    assert search.best_score_ > 0.9


def test_pipeline_with_a_scaler():
    shifted = 5.0 + 100.0 * X
    pipeline = make_pipeline(StandardScaler(), kb.KernelInterpolator(kb.Gaussian(gamma=0.5)))
    assert cross_val_score(pipeline, shifted, y, cv=3).mean() > 0.9
    assert cross_val_score(kb.KernelInterpolator(kb.Gaussian(gamma=0.5)), shifted, y, cv=3).mean() < 0.5


def test_a_wrong_parameter_is_refused_by_name():
    with pytest.raises(kb.errors.InvalidArgument, match="ridge must be a number of at least 0; got -1"):
        kb.KernelRidgeRegressor(ridge=-1.0).fit(X, y)
    with pytest.raises(kb.errors.InvalidArgument, match="kernel must be a Kernel; got 'rbf'"):
        kb.KernelInterpolator(kernel="rbf").fit(X, y)


def test_the_fit_outlives_the_callers_array():
    points = X.copy()
    fit = kb.KernelInterpolator().fit(points, y)
    before = fit.predict(X)
    points[:] = 0.0
    assert np.array_equal(fit.predict(X), before)
