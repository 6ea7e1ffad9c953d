"""Contract of estimators."""

from __future__ import annotations

import warnings

import numpy as np

from kernelbandits.errors import KernelBanditsError, NotConverged, RidgeTooSmall
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.testing.kernels import hostile_points
from kernelbandits.testing.specs import check_refusals, check_spec
from kernelbandits.types import Array


def check_estimator(estimator: Estimator[Predictor], dim: int = 4, seed: int = 0) -> None:
    """`fit` leaves its input alone, gives finite predictions of the right shape, and refuses what it cannot use.

    Predictions are also finite, or refused, far from the origin and for other hostile points and large targets.
    """
    check_spec(estimator)
    rng = np.random.default_rng(seed)
    X, y, Z = rng.standard_normal((15, dim)), rng.standard_normal(15), rng.standard_normal((6, dim))
    X_before, y_before = X.copy(), y.copy()
    predictor = estimator.fit(X, y)
    mean = predictor.mean(Z)
    assert np.array_equal(X, X_before), f"{estimator}: fit changed X"
    assert np.array_equal(y, y_before), f"{estimator}: fit changed y"
    assert predictor.dim == dim, f"{estimator}: the predictor says dim={predictor.dim}, expected {dim}"
    assert mean.shape == (6,), f"{estimator}: mean has shape {mean.shape}, expected (6,)"
    assert np.isfinite(mean).all(), f"{estimator}: predictions are not finite"
    assert np.array_equal(estimator.fit(X, y).mean(Z), mean), f"{estimator}: two fits to the same data differ"
    assert not estimator.without_data(dim).mean(Z).any(), f"{estimator}: without data the prediction must be 0"
    for name, points in hostile_points(X).items():
        _check_hostile_fit(estimator, name, points, y)
        _check_hostile_fit(estimator, name, points, 1e4 * y + 1e6)
    X[3, 1] = np.nan
    check_refusals(
        estimator,
        {
            "a NaN in X": lambda: estimator.fit(X, y),
            "a short y": lambda: estimator.fit(X_before, y[:-1]),
            "no data": lambda: estimator.fit(X_before[:0], y[:0]),
        },
    )


def _check_hostile_fit(estimator: Estimator[Predictor], name: str, X: Array, y: Array) -> None:
    """Predictions are finite, or the data are refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        warnings.simplefilter("ignore", RidgeTooSmall)
        try:
            mean = estimator.fit(X, y).mean(X)
        except KernelBanditsError:
            return
    assert np.isfinite(mean).all(), f"{estimator}: predictions at points with {name} are not finite"
