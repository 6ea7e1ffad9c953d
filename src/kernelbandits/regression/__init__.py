"""Regression with kernels: an estimator is fitted to data and returns a predictor."""

from kernelbandits.regression.base import Estimator, Predictor
from kernelbandits.regression.basis import Basis, rows_of_block
from kernelbandits.regression.centers import (
    Centers,
    GreedyCenters,
    KMeansCenters,
    LeverageCenters,
    PivotedCenters,
    UniformCenters,
)
from kernelbandits.regression.conjugate_gradient import ConjugateGradient
from kernelbandits.regression.cost import Cost
from kernelbandits.regression.dual import DualPredictor, KernelRidge, MinNormInterpolator
from kernelbandits.regression.gaussian_process import GaussianProcess, Outlook, Posterior
from kernelbandits.regression.gradient_descent import GradientDescent
from kernelbandits.regression.leave_one_out import leave_one_out
from kernelbandits.regression.normal_equations import NormalEquations, Sums
from kernelbandits.regression.nystrom import Nystrom, NystromPredictor
from kernelbandits.regression.preconditioners import NoPreconditioner, PartialCholesky, Preconditioner
from kernelbandits.regression.report import FitReport
from kernelbandits.regression.solver import Solver, estimate, solver_for
from kernelbandits.regression.stopping import FixedSteps, HeldOut, Stopping

__all__ = [
    "Basis",
    "Centers",
    "ConjugateGradient",
    "Cost",
    "DualPredictor",
    "Estimator",
    "FitReport",
    "FixedSteps",
    "GaussianProcess",
    "GradientDescent",
    "GreedyCenters",
    "HeldOut",
    "KMeansCenters",
    "KernelRidge",
    "LeverageCenters",
    "MinNormInterpolator",
    "NoPreconditioner",
    "NormalEquations",
    "Nystrom",
    "NystromPredictor",
    "Outlook",
    "PartialCholesky",
    "PivotedCenters",
    "Posterior",
    "Preconditioner",
    "Predictor",
    "Solver",
    "Stopping",
    "Sums",
    "UniformCenters",
    "estimate",
    "leave_one_out",
    "rows_of_block",
    "solver_for",
]
