# What `kernelbandits` exports and where it is: read by type checkers, and by the package itself to load on first use.

from . import (
    errors as errors,
    experiments as experiments,
    paper as paper,
    testing as testing,
    theory as theory,
)
from .bandit import (
    ArmSummary as ArmSummary,
    Awaiting as Awaiting,
    Bandit as Bandit,
    BanditDecision as BanditDecision,
    BanditSummary as BanditSummary,
    Calibration as Calibration,
    Ledger as Ledger,
)
from .beliefs import (
    ArmCovariance as ArmCovariance,
    ArmFeatures as ArmFeatures,
    AsGiven as AsGiven,
    Belief as Belief,
    BudgetedArms as BudgetedArms,
    CommonFunction as CommonFunction,
    EmpiricalBayes as EmpiricalBayes,
    Exchangeable as Exchangeable,
    GivenSimilarity as GivenSimilarity,
    HierarchicalBayes as HierarchicalBayes,
    IndependentArms as IndependentArms,
    JointArms as JointArms,
    LinearArms as LinearArms,
    Prefetched as Prefetched,
    RewardUnits as RewardUnits,
    Standardized as Standardized,
    Tracker as Tracker,
)
from .environments import (
    ApproximateLowRank as ApproximateLowRank,
    Avazu as Avazu,
    AvazuDesign as AvazuDesign,
    AvazuStandIn as AvazuStandIn,
    Classification as Classification,
    ClassificationInstance as ClassificationInstance,
    Contexts as Contexts,
    Covariance as Covariance,
    Environment as Environment,
    Instance as Instance,
    LowRank as LowRank,
    NoiseLaw as NoiseLaw,
    NormalNoise as NormalNoise,
    OwnContexts as OwnContexts,
    Rounds as Rounds,
    SharedContexts as SharedContexts,
    SpectralDecay as SpectralDecay,
    StudentNoise as StudentNoise,
    Surrogate as Surrogate,
    SurrogateInstance as SurrogateInstance,
    Synthetic as Synthetic,
    SyntheticInstance as SyntheticInstance,
)
from .environments.play import (
    Trace as Trace,
    lenient_regret as lenient_regret,
    mean_and_standard_error as mean_and_standard_error,
    play as play,
    ratio_and_standard_error as ratio_and_standard_error,
    replay as replay,
)
from .experiments import (
    Experiment as Experiment,
    Panel as Panel,
    Results as Results,
    load_experiment as load_experiment,
    run as run,
)
from .experiments.fits import (
    fit_arms as fit_arms,
    fit_each as fit_each,
    fit_parquet as fit_parquet,
    fit_table as fit_table,
)
from .kernels import (
    Exponential as Exponential,
    Gaussian as Gaussian,
    InnerProductKernel as InnerProductKernel,
    Kernel as Kernel,
    KernelExpansion as KernelExpansion,
    Laplace as Laplace,
    Linear as Linear,
    Matern as Matern,
    Periodic as Periodic,
    Polynomial as Polynomial,
    Product as Product,
    RadialKernel as RadialKernel,
    RationalQuadratic as RationalQuadratic,
    Scaled as Scaled,
    Schoenberg as Schoenberg,
    Shifted as Shifted,
    Sum as Sum,
)
from .offline.candidate import (
    AlwaysArm as AlwaysArm,
    ByFunction as ByFunction,
    Candidate as Candidate,
    GivenChances as GivenChances,
    SavedBandit as SavedBandit,
    UniformArms as UniformArms,
)
from .offline.candidate_overlap import ArmOverlap as ArmOverlap, Overlap as Overlap
from .offline.confidence_sequence import (
    ConfidenceSequence as ConfidenceSequence,
    RunningInterval as RunningInterval,
)
from .offline.evaluating import evaluate as evaluate
from .offline.evaluation import (
    CandidateValue as CandidateValue,
    Estimate as Estimate,
    Evaluation as Evaluation,
    PairDifference as PairDifference,
    ReplayedValue as ReplayedValue,
)
from .offline.interval import Interval as Interval
from .offline.intervals import (
    EmpiricalLikelihood as EmpiricalLikelihood,
    GammaInterval as GammaInterval,
    IntervalMethod as IntervalMethod,
    NormalInterval as NormalInterval,
    StudentizedBootstrap as StudentizedBootstrap,
)
from .offline.learned_policy import LearnedPolicy as LearnedPolicy
from .offline.log import Log as Log
from .offline.log_columns import LogColumns as LogColumns
from .offline.log_file import LogFile as LogFile
from .offline.log_tables import open_log as open_log, read_log as read_log
from .offline.replay import ReplayedLog as ReplayedLog, replay_log as replay_log
from .offline.reward_models import (
    LinearRewards as LinearRewards,
    RewardModel as RewardModel,
    RewardsByEstimator as RewardsByEstimator,
    RewardsByRegressor as RewardsByRegressor,
)
from .offline.value_estimators import (
    ClippedWeights as ClippedWeights,
    DirectMethod as DirectMethod,
    DoublyRobust as DoublyRobust,
    InversePropensity as InversePropensity,
    Replay as Replay,
    SelfNormalized as SelfNormalized,
    SelfNormalizedDoublyRobust as SelfNormalizedDoublyRobust,
    ShrunkDoublyRobust as ShrunkDoublyRobust,
    SubGaussianDoublyRobust as SubGaussianDoublyRobust,
    SubGaussianWeights as SubGaussianWeights,
    SwitchDoublyRobust as SwitchDoublyRobust,
    ValueEstimator as ValueEstimator,
)
from .offline.verdicts import Verdict as Verdict
from .offline.weighted_rows import WeightedRows as WeightedRows
from .policies import (
    GPUCB as GPUCB,
    AdaptiveExploreThenCommit as AdaptiveExploreThenCommit,
    Agent as Agent,
    CalibratedUCB as CalibratedUCB,
    Choice as Choice,
    ConstantWidth as ConstantWidth,
    Decision as Decision,
    Decisions as Decisions,
    ExplorationFloor as ExplorationFloor,
    ExploreThenCommit as ExploreThenCommit,
    GreedyInterpolation as GreedyInterpolation,
    Learner as Learner,
    LinearThompsonSampling as LinearThompsonSampling,
    LinearUCB as LinearUCB,
    Oracle as Oracle,
    Policy as Policy,
    PolicyAdvice as PolicyAdvice,
    Scores as Scores,
    SubGaussianWidth as SubGaussianWidth,
    SuccessiveElimination as SuccessiveElimination,
    SupKernelUCB as SupKernelUCB,
    TheoreticalWidth as TheoreticalWidth,
    ThompsonSampling as ThompsonSampling,
    Uniform as Uniform,
    Width as Width,
    default_policy as default_policy,
    largest_probabilities as largest_probabilities,
    recommend as recommend,
)
from .problem import Problem as Problem
from .regression import (
    Centers as Centers,
    ConjugateGradient as ConjugateGradient,
    Cost as Cost,
    DualPredictor as DualPredictor,
    Estimator as Estimator,
    FitReport as FitReport,
    FixedSteps as FixedSteps,
    GaussianProcess as GaussianProcess,
    GradientDescent as GradientDescent,
    GreedyCenters as GreedyCenters,
    HeldOut as HeldOut,
    KernelRidge as KernelRidge,
    KMeansCenters as KMeansCenters,
    LeverageCenters as LeverageCenters,
    MinNormInterpolator as MinNormInterpolator,
    NoPreconditioner as NoPreconditioner,
    Nystrom as Nystrom,
    NystromPredictor as NystromPredictor,
    PartialCholesky as PartialCholesky,
    PivotedCenters as PivotedCenters,
    Posterior as Posterior,
    Preconditioner as Preconditioner,
    Predictor as Predictor,
    Solver as Solver,
    Stopping as Stopping,
    UniformCenters as UniformCenters,
    estimate as estimate,
    solver_for as solver_for,
)
from .regression.scikit_learn import (
    KernelInterpolator as KernelInterpolator,
    KernelRidgeRegressor as KernelRidgeRegressor,
)
from .saving import Saveable as Saveable, load as load, save as save
from .tables import (
    CommonUnit as CommonUnit,
    Encoder as Encoder,
    Encoding as Encoding,
    Scaling as Scaling,
    SklearnEncoder as SklearnEncoder,
    SklearnEncoding as SklearnEncoding,
    TableEncoder as TableEncoder,
    TableEncoding as TableEncoding,
    UnitVariance as UnitVariance,
)

__version__: str
