"""Regression with kernels: an estimator is fitted to data and returns a predictor."""

from kernelbandits.regression.base import Cost, Estimator, FitReport, Predictor
from kernelbandits.regression.centers import (
    Centers,
    GreedyCenters,
    KMeansCenters,
    LeverageCenters,
    PivotedCenters,
    UniformCenters,
)
from kernelbandits.regression.conjugate_gradient import (
    ConjugateGradient,
    NoPreconditioner,
    PartialCholesky,
    Preconditioner,
)
from kernelbandits.regression.dual import DualPredictor, KernelRidge, MinNormInterpolator, leave_one_out
from kernelbandits.regression.gaussian_process import RESOLVED, GaussianProcess, Outlook, Posterior
from kernelbandits.regression.gradient_descent import FixedSteps, GradientDescent, HeldOut, Stopping
from kernelbandits.regression.normal_equations import Basis, NormalEquations, Sums, rows_of_block
from kernelbandits.regression.nystrom import Nystrom, NystromPredictor
from kernelbandits.regression.solver import Solver, estimate, solver_for
