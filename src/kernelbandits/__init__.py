"""Contextual bandits for hundreds of features and non-linear rewards.

Every layer is a frozen spec with one verb: `kernel(X, Z)`, `estimator.fit(X, y)`, `environment.draw(rng)`,
`policy.start(problem, rng)`, `play(policy, instance, horizon, rng)`, `run(experiment, …)`. Only an agent changes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kernelbandits import errors
from kernelbandits.beliefs import (
    ArmCovariance,
    ArmFeatures,
    Bandwidths,
    Belief,
    CommonFunction,
    EmpiricalBayes,
    Exchangeable,
    GivenSimilarity,
    HierarchicalBayes,
    IndependentArms,
    JointArms,
    KernelFamily,
    PerArm,
    Pooled,
    Pooling,
    TheseKernels,
    Tracker,
)
from kernelbandits.environments import (
    ApproximateLowRank,
    Avazu,
    AvazuDesign,
    AvazuStandIn,
    Classification,
    ClassificationInstance,
    Contexts,
    Covariance,
    Environment,
    Instance,
    LowRank,
    NoiseLaw,
    NormalNoise,
    OwnContexts,
    Rounds,
    SharedContexts,
    SpectralDecay,
    StudentNoise,
    Surrogate,
    SurrogateInstance,
    Synthetic,
    SyntheticInstance,
)
from kernelbandits.estimators import (
    DualPredictor,
    Estimator,
    GaussianProcess,
    Health,
    KernelRidge,
    MinNormInterpolator,
    Posterior,
    Predictor,
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
    Periodic,
    Polynomial,
    Product,
    RadialKernel,
    RationalQuadratic,
    Scaled,
    Schoenberg,
    Shifted,
    Sum,
)
from kernelbandits.logs import Log, LogFile
from kernelbandits.metrics import lenient_regret, mean_and_standard_error, ratio_and_standard_error
from kernelbandits.offline import ReplayedLog, replay_log
from kernelbandits.policies import (
    GPUCB,
    Agent,
    CalibratedUCB,
    Choice,
    ConstantWidth,
    Decision,
    Decisions,
    ExploreThenCommit,
    Learner,
    LinearThompsonSampling,
    LinearUCB,
    Oracle,
    Policy,
    Recommendation,
    SubGaussianWidth,
    SupKernelUCB,
    TheoreticalWidth,
    ThompsonSampling,
    Uniform,
    Width,
    default_policy,
    largest_probabilities,
    recommend,
)
from kernelbandits.problem import Problem
from kernelbandits.simulation import Trace, play, replay
from kernelbandits.tables import CommonUnit, Encoding, Scaling, UnitVariance
from kernelbandits.version import __version__

if TYPE_CHECKING:
    from kernelbandits import adapters, diagnosis, experiments, paper, testing, theory
    from kernelbandits.adapters import KernelInterpolator, KernelRidgeRegressor
    from kernelbandits.experiments import Experiment, Panel, Results, load, run

_LAZY = {
    # What needs scikit-learn, polars or matplotlib is imported when first used.
    "KernelInterpolator": "adapters",
    "KernelRidgeRegressor": "adapters",
    "Experiment": "experiments",
    "Panel": "experiments",
    "Results": "experiments",
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
    "ArmCovariance",
    "ArmFeatures",
    "Avazu",
    "AvazuDesign",
    "AvazuStandIn",
    "Bandwidths",
    "Belief",
    "CalibratedUCB",
    "Choice",
    "Classification",
    "ClassificationInstance",
    "CommonFunction",
    "CommonUnit",
    "ConstantWidth",
    "Contexts",
    "Covariance",
    "Decision",
    "Decisions",
    "DualPredictor",
    "EmpiricalBayes",
    "Encoding",
    "Environment",
    "Estimator",
    "Exchangeable",
    "Experiment",
    "ExploreThenCommit",
    "Exponential",
    "Gaussian",
    "GaussianProcess",
    "GivenSimilarity",
    "Health",
    "HierarchicalBayes",
    "IndependentArms",
    "InnerProductKernel",
    "Instance",
    "JointArms",
    "Kernel",
    "KernelExpansion",
    "KernelFamily",
    "KernelInterpolator",
    "KernelRidge",
    "KernelRidgeRegressor",
    "Laplace",
    "Learner",
    "Linear",
    "LinearThompsonSampling",
    "LinearUCB",
    "Log",
    "LogFile",
    "LowRank",
    "Matern",
    "MinNormInterpolator",
    "NoiseLaw",
    "NormalNoise",
    "Oracle",
    "OwnContexts",
    "Panel",
    "PerArm",
    "Periodic",
    "Policy",
    "Polynomial",
    "Pooled",
    "Pooling",
    "Posterior",
    "Predictor",
    "Problem",
    "Product",
    "RadialKernel",
    "RationalQuadratic",
    "Recommendation",
    "ReplayedLog",
    "Results",
    "Rounds",
    "Scaled",
    "Scaling",
    "Schoenberg",
    "SharedContexts",
    "Shifted",
    "SpectralDecay",
    "StudentNoise",
    "SubGaussianWidth",
    "Sum",
    "SupKernelUCB",
    "Surrogate",
    "SurrogateInstance",
    "Synthetic",
    "SyntheticInstance",
    "TheoreticalWidth",
    "TheseKernels",
    "ThompsonSampling",
    "Trace",
    "Tracker",
    "Uniform",
    "UnitVariance",
    "Width",
    "__version__",
    "adapters",
    "default_policy",
    "diagnosis",
    "errors",
    "experiments",
    "largest_probabilities",
    "lenient_regret",
    "load",
    "mean_and_standard_error",
    "paper",
    "play",
    "ratio_and_standard_error",
    "recommend",
    "replay",
    "replay_log",
    "run",
    "testing",
    "theory",
]
