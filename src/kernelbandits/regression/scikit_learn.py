"""scikit-learn regressors for pipelines, cross-validation and grid search."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.regression.dual import KernelRidge
from kernelbandits.types import Array


class _KernelRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator of this package with scikit-learn's interface; `predictor_` is what was fitted."""

    kernel: Kernel | None
    ridge: float

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to points X of shape (n, d) and targets y of shape (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        kernel = Gaussian() if self.kernel is None else self.kernel
        self.predictor_ = KernelRidge(kernel, self.ridge).fit(X, y)
        return self

    def predict(self, X: Any) -> Array:
        """Predictions for points X, shape (m,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.predictor_.mean(X)


class KernelInterpolator(_KernelRegressor):
    """The minimum-norm interpolator as a scikit-learn regressor. `kernel` None is `Gaussian()`.

    Attributes:
        kernel: a kernel of this package; None is `Gaussian()`, for standardised features.

    >>> KernelInterpolator(Gaussian(gamma=4.0)).fit([[0.0], [1.0]], [1.0, 2.0]).predict([[1.0]]).round(9)
    array([2.])

    See also `KernelRidgeRegressor`.
    """

    ridge = 0.0

    def __init__(self, kernel: Kernel | None = None) -> None:
        self.kernel = kernel


class KernelRidgeRegressor(_KernelRegressor):
    """Kernel ridge regression as a scikit-learn regressor; `ridge` is what is added to the diagonal.

    Attributes:
        kernel: a kernel of this package; None is `Gaussian()`, for standardised features.
        ridge: what is added to the diagonal of the Gram matrix, the paper's λ²; scikit-learn's `alpha`.

    >>> KernelRidgeRegressor(Gaussian(), ridge=1.0).fit([[0.0]], [3.0]).predict([[0.0]])
    array([1.5])

    See also `KernelInterpolator`.
    """

    def __init__(self, kernel: Kernel | None = None, ridge: float = 1.0) -> None:
        self.kernel = kernel
        self.ridge = ridge
