"""Estimators: data in, predictor out."""

from kernelbandits.estimators.base import Estimator, Predictor
from kernelbandits.estimators.dual import DualPredictor, KernelRidge, MinNormInterpolator
from kernelbandits.estimators.gaussian_process import GaussianProcess, Posterior
from kernelbandits.estimators.health import Health

__all__ = [
    "DualPredictor",
    "Estimator",
    "GaussianProcess",
    "Health",
    "KernelRidge",
    "MinNormInterpolator",
    "Posterior",
    "Predictor",
]
