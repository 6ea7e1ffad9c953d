"""Estimators: data in, predictor out."""

from kernelbandits.estimators.arms import fit_arms
from kernelbandits.estimators.base import Estimator, Predictor
from kernelbandits.estimators.centers import (
    Centers,
    GreedyCenters,
    KMeansCenters,
    LeverageCenters,
    PivotedCenters,
    UniformCenters,
)
from kernelbandits.estimators.dual import DualPredictor, KernelRidge, MinNormInterpolator
from kernelbandits.estimators.gaussian_process import GaussianProcess, Posterior
from kernelbandits.estimators.health import Health
from kernelbandits.estimators.nystrom import Nystrom, NystromHealth, NystromPredictor
from kernelbandits.estimators.partitions import fit_parquet

__all__ = [
    "Centers",
    "DualPredictor",
    "Estimator",
    "GaussianProcess",
    "GreedyCenters",
    "Health",
    "KMeansCenters",
    "KernelRidge",
    "LeverageCenters",
    "MinNormInterpolator",
    "Nystrom",
    "NystromHealth",
    "NystromPredictor",
    "PivotedCenters",
    "Posterior",
    "Predictor",
    "UniformCenters",
    "fit_arms",
    "fit_parquet",
]
