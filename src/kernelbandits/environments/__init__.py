"""Environments: families of bandit problems to draw from."""

from kernelbandits.environments.avazu import Avazu, AvazuDesign, AvazuStandIn
from kernelbandits.environments.base import Environment, Instance, Rounds
from kernelbandits.environments.classification import Classification, ClassificationInstance
from kernelbandits.environments.contexts import Contexts, OwnContexts, SharedContexts
from kernelbandits.environments.covariances import ApproximateLowRank, Covariance, LowRank, SpectralDecay
from kernelbandits.environments.labelled_points import LabelledPoints, reward_points
from kernelbandits.environments.metrics import lenient_regret, mean_and_standard_error, ratio_and_standard_error
from kernelbandits.environments.noise import NoiseLaw, NormalNoise, StudentNoise
from kernelbandits.environments.play import Trace, play, replay
from kernelbandits.environments.surrogate import Surrogate, SurrogateInstance
from kernelbandits.environments.synthetic import Synthetic, SyntheticInstance

__all__ = [
    "ApproximateLowRank",
    "Avazu",
    "AvazuDesign",
    "AvazuStandIn",
    "Classification",
    "ClassificationInstance",
    "Contexts",
    "Covariance",
    "Environment",
    "Instance",
    "LabelledPoints",
    "LowRank",
    "NoiseLaw",
    "NormalNoise",
    "OwnContexts",
    "Rounds",
    "SharedContexts",
    "SpectralDecay",
    "StudentNoise",
    "Surrogate",
    "SurrogateInstance",
    "Synthetic",
    "SyntheticInstance",
    "Trace",
    "lenient_regret",
    "mean_and_standard_error",
    "play",
    "ratio_and_standard_error",
    "replay",
    "reward_points",
]
