"""Estimators: data in, predictor out."""

from kernelbandits.estimators.arms import fit_each
from kernelbandits.estimators.base import Estimator, Predictor
from kernelbandits.estimators.centers import (
    Centers,
    GreedyCenters,
    KMeansCenters,
    LeverageCenters,
    PivotedCenters,
    UniformCenters,
)
from kernelbandits.estimators.conjugate_gradient import ConjugateGradient
from kernelbandits.estimators.cost import Cost, estimate
from kernelbandits.estimators.dual import DualPredictor, KernelRidge, MinNormInterpolator
from kernelbandits.estimators.gaussian_process import GaussianProcess, Posterior
from kernelbandits.estimators.gradient_descent import GradientDescent
from kernelbandits.estimators.health import Health
from kernelbandits.estimators.iterative import Convergence, IterativePredictor
from kernelbandits.estimators.nystrom import Nystrom, NystromHealth, NystromPredictor
from kernelbandits.estimators.preconditioners import NoPreconditioner, PartialCholesky, Preconditioner
from kernelbandits.estimators.solver import Solver, solver_for
from kernelbandits.estimators.stopping import FixedSteps, HeldOut, Stopping

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
    "fit_each",
    "solver_for",
]
