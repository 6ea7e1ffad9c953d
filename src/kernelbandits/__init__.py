"""Contextual bandits for hundreds of features and non-linear rewards.

Every layer is a frozen spec with one verb: `kernel(X, Z)`, `estimator.fit(X, y)`, `environment.draw(rng)`,
`policy.start(problem, rng)`, `play(policy, instance, horizon, rng)`, `run(experiment, …)`. Only an agent changes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kernelbandits import errors
from kernelbandits.environments import (
    ApproximateLowRank,
    Covariance,
    Environment,
    Instance,
    LowRank,
    Rounds,
    SpectralDecay,
    Synthetic,
    SyntheticInstance,
)
from kernelbandits.estimators import (
    Centers,
    ConjugateGradient,
    Convergence,
    Cost,
    DualPredictor,
    Estimator,
    FixedSteps,
    GaussianProcess,
    GradientDescent,
    GreedyCenters,
    Health,
    HeldOut,
    IterativePredictor,
    KernelRidge,
    KMeansCenters,
    LeverageCenters,
    MinNormInterpolator,
    NoPreconditioner,
    Nystrom,
    NystromHealth,
    NystromPredictor,
    PartialCholesky,
    PivotedCenters,
    Posterior,
    Preconditioner,
    Predictor,
    Solver,
    Stopping,
    UniformCenters,
    estimate,
    solver_for,
)
from kernelbandits.kernels import (
    Exponential,
    Gaussian,
    InnerProductKernel,
    Kernel,
    KernelExpansion,
    Laplace,
    Linear,
    Matern,
    Polynomial,
    Product,
    RadialKernel,
    RationalQuadratic,
    Scaled,
    Schoenberg,
    Sum,
)
from kernelbandits.metrics import lenient_regret, mean_and_standard_error
from kernelbandits.policies import (
    GPUCB,
    Agent,
    Choice,
    ConstantWidth,
    Decision,
    Decisions,
    ExploreThenCommit,
    Learner,
    Oracle,
    Policy,
    SubGaussianWidth,
    TheoreticalWidth,
    Uniform,
    Width,
)
from kernelbandits.problem import Problem
from kernelbandits.simulation import Trace, play, replay
from kernelbandits.version import __version__

if TYPE_CHECKING:
    from kernelbandits import adapters, diagnosis, experiments, paper, testing, theory
    from kernelbandits.adapters import KernelInterpolator, KernelRidgeRegressor
    from kernelbandits.experiments import Experiment, Panel, Results, load, run
    from kernelbandits.fitting import fit_arms, fit_table

_LAZY = {
    # What needs scikit-learn, polars or matplotlib is imported when first used.
    "KernelInterpolator": "adapters",
    "KernelRidgeRegressor": "adapters",
    "Experiment": "experiments",
    "Panel": "experiments",
    "Results": "experiments",
    "fit_arms": "fitting",
    "fit_table": "fitting",
    "load": "experiments",
    "run": "experiments",
}
_LAZY_MODULES = ("adapters", "diagnosis", "experiments", "paper", "testing", "theory")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    if name in _LAZY_MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; {errors.nearest(name, __all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "GPUCB",
    "Agent",
    "ApproximateLowRank",
    "Centers",
    "Choice",
    "ConjugateGradient",
    "ConstantWidth",
    "Convergence",
    "Cost",
    "Covariance",
    "Decision",
    "Decisions",
    "DualPredictor",
    "Environment",
    "Estimator",
    "Experiment",
    "ExploreThenCommit",
    "Exponential",
    "FixedSteps",
    "Gaussian",
    "GaussianProcess",
    "GradientDescent",
    "GreedyCenters",
    "Health",
    "HeldOut",
    "InnerProductKernel",
    "Instance",
    "IterativePredictor",
    "KMeansCenters",
    "Kernel",
    "KernelExpansion",
    "KernelInterpolator",
    "KernelRidge",
    "KernelRidgeRegressor",
    "Laplace",
    "Learner",
    "LeverageCenters",
    "Linear",
    "LowRank",
    "Matern",
    "MinNormInterpolator",
    "NoPreconditioner",
    "Nystrom",
    "NystromHealth",
    "NystromPredictor",
    "Oracle",
    "Panel",
    "PartialCholesky",
    "PivotedCenters",
    "Policy",
    "Polynomial",
    "Posterior",
    "Preconditioner",
    "Predictor",
    "Problem",
    "Product",
    "RadialKernel",
    "RationalQuadratic",
    "Results",
    "Rounds",
    "Scaled",
    "Schoenberg",
    "Solver",
    "SpectralDecay",
    "Stopping",
    "SubGaussianWidth",
    "Sum",
    "Synthetic",
    "SyntheticInstance",
    "TheoreticalWidth",
    "Trace",
    "Uniform",
    "UniformCenters",
    "Width",
    "__version__",
    "adapters",
    "diagnosis",
    "errors",
    "estimate",
    "experiments",
    "fit_arms",
    "fit_table",
    "lenient_regret",
    "load",
    "mean_and_standard_error",
    "paper",
    "play",
    "replay",
    "run",
    "solver_for",
    "testing",
    "theory",
]
