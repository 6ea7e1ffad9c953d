"""Estimators: data in, predictor out."""

from kernelbandits.regression.base import Estimator, Predictor
from kernelbandits.regression.centers import (
    Centers,
    GreedyCenters,
    KMeansCenters,
    LeverageCenters,
    PivotedCenters,
    UniformCenters,
)
from kernelbandits.regression.conjugate_gradient import ConjugateGradient
from kernelbandits.regression.cost import Cost, estimate
from kernelbandits.regression.dual import DualPredictor, KernelRidge, MinNormInterpolator
from kernelbandits.regression.gaussian_process import GaussianProcess, Posterior
from kernelbandits.regression.gradient_descent import GradientDescent
from kernelbandits.regression.health import Health
from kernelbandits.regression.iterative import Convergence, IterativePredictor
from kernelbandits.regression.nystrom import Nystrom, NystromHealth, NystromPredictor
from kernelbandits.regression.preconditioners import NoPreconditioner, PartialCholesky, Preconditioner
from kernelbandits.regression.solver import Solver, solver_for
from kernelbandits.regression.stopping import FixedSteps, HeldOut, Stopping

__all__ = [
    "Centers",
    "ConjugateGradient",
    "Convergence",
    "Cost",
    "DualPredictor",
    "Estimator",
    "FixedSteps",
    "GaussianProcess",
    "GradientDescent",
    "GreedyCenters",
    "Health",
    "HeldOut",
    "IterativePredictor",
    "KMeansCenters",
    "KernelRidge",
    "LeverageCenters",
    "MinNormInterpolator",
    "NoPreconditioner",
    "Nystrom",
    "NystromHealth",
    "NystromPredictor",
    "PartialCholesky",
    "PivotedCenters",
    "Posterior",
    "Preconditioner",
    "Predictor",
    "Solver",
    "Stopping",
    "UniformCenters",
    "estimate",
    "solver_for",
]
