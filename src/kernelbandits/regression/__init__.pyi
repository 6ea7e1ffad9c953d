from .base import Cost as Cost, Estimator as Estimator, FitReport as FitReport, Predictor as Predictor
from .centers import (
    Centers as Centers,
    GreedyCenters as GreedyCenters,
    KMeansCenters as KMeansCenters,
    LeverageCenters as LeverageCenters,
    PivotedCenters as PivotedCenters,
    UniformCenters as UniformCenters,
)
from .conjugate_gradient import (
    ConjugateGradient as ConjugateGradient,
    NoPreconditioner as NoPreconditioner,
    PartialCholesky as PartialCholesky,
    Preconditioner as Preconditioner,
)
from .dual import (
    DualPredictor as DualPredictor,
    KernelRidge as KernelRidge,
    MinNormInterpolator as MinNormInterpolator,
    leave_one_out as leave_one_out,
)
from .gaussian_process import (
    RESOLVED as RESOLVED,
    GaussianProcess as GaussianProcess,
    Outlook as Outlook,
    Posterior as Posterior,
)
from .gradient_descent import (
    FixedSteps as FixedSteps,
    GradientDescent as GradientDescent,
    HeldOut as HeldOut,
    Stopping as Stopping,
)
from .normal_equations import (
    Basis as Basis,
    NormalEquations as NormalEquations,
    Sums as Sums,
    rows_of_block as rows_of_block,
)
from .nystrom import Nystrom as Nystrom, NystromPredictor as NystromPredictor
from .solver import Solver as Solver, estimate as estimate, solver_for as solver_for
