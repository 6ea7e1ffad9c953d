"""Environments: families of bandit problems to draw from."""

from kernelbandits.environments.avazu import Avazu, AvazuDesign, AvazuStandIn
from kernelbandits.environments.base import (
    Environment,
    Instance,
    Rounds,
    lenient_regret,
    mean_and_standard_error,
    play,
    ratio_and_standard_error,
    replay,
)
from kernelbandits.environments.classification import Classification, ClassificationInstance
from kernelbandits.environments.contexts import Contexts, OwnContexts, SharedContexts
from kernelbandits.environments.labelled_points import LabelledPoints, reward_points
from kernelbandits.environments.surrogate import Surrogate, SurrogateInstance
from kernelbandits.environments.synthetic import (
    ApproximateLowRank,
    Covariance,
    LowRank,
    NoiseLaw,
    NormalNoise,
    SpectralDecay,
    StudentNoise,
    Synthetic,
    SyntheticInstance,
)
from kernelbandits.environments.trace import Trace
