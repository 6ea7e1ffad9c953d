"""One or more examples of every exported spec: what the contract tests run over. A new export belongs in here."""

import inspect
from pathlib import Path

import kernelbandits as kb

KERNELS = [
    kb.Linear(),
    kb.Polynomial(degree=3, offset=0.5),
    kb.Polynomial(degree=1, offset=0.0),
    kb.Exponential(gamma=0.7),
    kb.Schoenberg(coefficients=(0.5, 0.2, 0.01, 0.0, 0.001), dim=40),
    kb.Gaussian(gamma=4.0),
    kb.Laplace(gamma=0.8),
    kb.RationalQuadratic(alpha=0.7, length=1.3),
    kb.Matern(nu=0.5),
    kb.Matern(nu=1.5, length=0.6),
    kb.Matern(nu=2.5),
    kb.Matern(nu=0.8, length=1.4),
    kb.Matern(nu=7.3),
    kb.Matern(nu=150.0),
    kb.Sum(kb.Linear(), kb.Gaussian(gamma=2.0)),
    kb.Sum(kb.Gaussian(gamma=2.0), kb.Matern(nu=1.5)),
    kb.Product(kb.Exponential(), kb.Polynomial()),
    kb.Product(kb.Laplace(), kb.Linear()),
    kb.Scaled(kb.RationalQuadratic(), 2.5),
    kb.Shifted(kb.Laplace(), 0.7),
    kb.Periodic(period=2.5, gamma=3.0),
]

ESTIMATORS = [
    kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)),
    kb.MinNormInterpolator(kb.Linear()),
    kb.KernelRidge(kb.Laplace(), ridge=0.3),
    kb.KernelRidge(kb.Linear(), ridge=0.0),
    kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1),
    kb.Nystrom(kb.Gaussian(gamma=4.0), ridge=0.1, n_centers=8),
    kb.Nystrom(kb.Linear(), ridge=0.0, n_centers=100, centers=kb.LeverageCenters(pilot=20), seed=3),
    kb.ConjugateGradient(kb.Gaussian(gamma=4.0)),
    kb.ConjugateGradient(kb.Matern(nu=1.5), 0.1, kb.NoPreconditioner(), tolerance=1e-6, memory=0),
    kb.GradientDescent(kb.Gaussian(gamma=4.0), kb.FixedSteps(30)),
    kb.GradientDescent(kb.Laplace(), kb.HeldOut(patience=3), ridge=0.1, seed=2),
]

PRECONDITIONERS = [kb.NoPreconditioner(), kb.PartialCholesky(rank=10), kb.PartialCholesky(5, kb.GreedyCenters())]

STOPPINGS = [kb.FixedSteps(10), kb.HeldOut(fraction=0.3)]

CENTERS = [
    kb.UniformCenters(),
    kb.LeverageCenters(pilot=30),
    kb.KMeansCenters(iterations=3, sample=4),
    kb.PivotedCenters(candidates=200),
    kb.GreedyCenters(candidates=200),
]

WIDTHS = [kb.TheoreticalWidth(delta=0.05, scale=0.1), kb.SubGaussianWidth(), kb.ConstantWidth(1.5)]

ARM_COVARIANCES = [
    kb.CommonFunction(),
    kb.Exchangeable(weight=0.3),
    kb.GivenSimilarity(((2.0, 0.5), (0.5, 1.0))),
    kb.ArmFeatures(((0.0, 1.0), (1.0, 0.5), (2.0, 2.0)), kb.Matern(nu=1.5)),
]

REWARD_UNITS = [kb.Standardized(), kb.AsGiven()]

BELIEFS = [
    kb.IndependentArms(kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1)),
    kb.BudgetedArms(kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge=0.1), budget=12, oversampling=2.0),
    kb.EmpiricalBayes(),
    kb.EmpiricalBayes(window=20, clip=3.0),
    kb.LinearArms(ridge=2.0, intercept=False),
    kb.LinearArms(rewards=kb.AsGiven()),
    *(kb.JointArms(kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1), sharing) for sharing in ARM_COVARIANCES[:2]),
    kb.HierarchicalBayes((2.0, 0.5), covariances=(kb.Exchangeable(0.0), kb.CommonFunction()), offset=0.5),
]

POLICIES = [
    *(kb.ThompsonSampling(belief) for belief in BELIEFS),
    kb.ThompsonSampling(n_initial=0, scale=1.0),
    *(kb.CalibratedUCB(belief) for belief in BELIEFS),
    kb.AdaptiveExploreThenCommit(kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=1e-8), cap=30),
    kb.AdaptiveExploreThenCommit(kb.GaussianProcess(kb.Linear() + 1.0, ridge=1e-6)),
    kb.AdaptiveExploreThenCommit(cap=30, rewards=kb.AsGiven()),
    kb.SuccessiveElimination(cap=30),
    kb.SuccessiveElimination(kb.GaussianProcess(kb.Gaussian(gamma=2.0) + 1.0, ridge=1e-8), share=0.5),
    kb.GreedyInterpolation(n_initial=2),
    kb.GreedyInterpolation(kb.GaussianProcess(kb.Laplace() + 1.0, ridge=1e-8), n_initial=1),
    *(kb.ExploreThenCommit(estimator, n_explore=20) for estimator in ESTIMATORS),
    kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)), 20, kb.AsGiven()),
    *(kb.GPUCB(kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=1.0), width) for width in WIDTHS),
    kb.GPUCB(kb.GaussianProcess(kb.Linear(), ridge=1e-8), kb.ConstantWidth(0.0)),
    kb.LinearUCB(alpha=0.7, ridge=2.0),
    kb.LinearUCB(alpha=0.0, intercept=False),
    kb.LinearThompsonSampling(scale=0.3),
    kb.LinearThompsonSampling(scale=0.0, ridge=0.5, intercept=False),
    kb.SupKernelUCB(BELIEFS[0], width=0.5, reward_range=2.0),
    kb.SupKernelUCB(),
    kb.Uniform(),
    kb.Oracle(),
    kb.ExplorationFloor(kb.ThompsonSampling(), epsilon=0.05),
    kb.ExplorationFloor(kb.CalibratedUCB(), epsilon=0.25),
    kb.ExplorationFloor(kb.ExploreThenCommit(kb.KernelRidge(kb.Laplace(), ridge=0.3), n_explore=20), epsilon=0.1),
    kb.ExplorationFloor(kb.ExplorationFloor(kb.Uniform(), epsilon=0.1), epsilon=0.1),
]

COVARIANCES = [kb.LowRank(), kb.LowRank(n_active=2), kb.ApproximateLowRank(), kb.SpectralDecay()]

SCALINGS = [kb.UnitVariance(), kb.CommonUnit()]

ENCODINGS = [
    kb.Encoding(),
    kb.Encoding(drop=("id",), categorical=("zone",), rare=3, scaling=kb.CommonUnit(), dim=2, level=1.0),
]

TABLE = Path(__file__).with_name("data") / "visits.csv"

CONTEXTS = [kb.OwnContexts(), kb.SharedContexts()]

LOGS = [
    kb.LogColumns("offer", "spent", "age", default_reward=0.0),
    kb.LogFile(TABLE, arm="offer", reward="spent", propensity="age"),
]

IMPRESSIONS = Path(__file__).with_name("data") / "impressions.csv"
"""Rows of the synthetic stand-in in the Avazu schema."""

DESIGNS = [
    kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30, contexts=contexts, drop=("device_ip", "hour"))
    for contexts in CONTEXTS
] + [kb.AvazuDesign("C14", dim=4, level=1.0, n_oracle=8, oracle=kb.KernelRidge(kb.Laplace(), ridge=0.5), noise_std=0.0)]

ENVIRONMENTS = [
    *(kb.Avazu(IMPRESSIONS, design) for design in DESIGNS),
    kb.AvazuStandIn(n_rows=2000, seed=3, design=DESIGNS[0]),
    *(kb.Surrogate(TABLE, "offer", "spent", contexts=contexts) for contexts in CONTEXTS),
    kb.Surrogate(TABLE, "offer", "spent", kb.Encoding(drop=("id",)), n_fit=20, max_rows=120, noise_std=0.0),
    *(kb.Classification(TABLE, "offer", encoding=encoding) for encoding in ENCODINGS),
    kb.Classification(TABLE, "age", cuts=(30.0, 45.0), max_rows=100, min_rows=5, reward_norm=2.0),
    *(kb.Synthetic(covariance, n_arms=3, dim=50, n_bumps=20) for covariance in COVARIANCES),
    kb.Synthetic(kb.SpectralDecay(), n_arms=3, dim=20, n_bumps=20, noise=kb.StudentNoise(), density=0.2),
    kb.Synthetic(kb.LowRank(), n_arms=1, dim=4, kernel=kb.Linear(), n_bumps=3, noise_std=0.0, clip=0.5),
]

REWARD_UNITS = [kb.AsGiven(), kb.Standardized()]

NOISES = [kb.NormalNoise(), kb.StudentNoise(df=3.0)]

INTERVALS = [
    kb.ConfidenceSequence(level=0.9, low=-1.0, high=2.0, largest_weight=20.0),
    kb.EmpiricalLikelihood(),
    kb.GammaInterval(),
    kb.NormalInterval(),
    kb.StudentizedBootstrap(n_resamples=200, seed=1),
]

VALUE_ESTIMATORS = [
    kb.ClippedWeights(10.0),
    kb.ClippedWeights(),
    kb.DirectMethod(),
    kb.DoublyRobust(),
    kb.InversePropensity(),
    kb.Replay(),
    kb.SelfNormalized(),
    kb.SelfNormalizedDoublyRobust(),
    kb.ShrunkDoublyRobust(10.0),
    kb.SubGaussianDoublyRobust(0.01),
    kb.SubGaussianWeights(0.01),
    kb.SwitchDoublyRobust(10.0),
]

REWARD_MODELS = [kb.LinearRewards(2.0), kb.RewardsByEstimator(kb.KernelRidge(kb.Gaussian(2.0), 0.5))]

ALL = [
    *INTERVALS,
    *VALUE_ESTIMATORS,
    *REWARD_MODELS,
    *NOISES,
    *REWARD_UNITS,
    *KERNELS,
    *ESTIMATORS,
    *CENTERS,
    *PRECONDITIONERS,
    *STOPPINGS,
    *WIDTHS,
    *ARM_COVARIANCES,
    *REWARD_UNITS,
    *BELIEFS,
    *POLICIES,
    *COVARIANCES,
    *SCALINGS,
    *ENCODINGS,
    *CONTEXTS,
    *LOGS,
    *DESIGNS,
    *ENVIRONMENTS,
]


def in_reward_units(spec):
    """Whether a spec states a quantity in units of the rewards, so that these may not be restated."""
    if isinstance(spec, kb.AsGiven) or hasattr(spec, "reward_range"):
        return True
    values = [getattr(spec, name) for name in getattr(spec, "__dataclass_fields__", ())]
    return any(in_reward_units(value) for value in values)


def exported(base):
    """The concrete classes below `base` that the library exports."""
    found = [getattr(kb, name) for name in kb.__all__]
    return {c for c in found if isinstance(c, type) and issubclass(c, base) and not inspect.isabstract(c)}


def types_of(examples):
    return {type(example) for example in examples}
