"""Environments: families of bandit problems to draw from."""

from kernelbandits.environments.avazu import Avazu, AvazuDesign, AvazuStandIn
from kernelbandits.environments.base import Environment, Instance, Rounds
from kernelbandits.environments.classification import Classification, ClassificationInstance
from kernelbandits.environments.covariances import ApproximateLowRank, Covariance, LowRank, SpectralDecay
from kernelbandits.environments.fitted import Surrogate
from kernelbandits.environments.noise import NoiseLaw, NormalNoise, StudentNoise
from kernelbandits.environments.pools import ArmPools, CommonPool, Contexts, OwnContexts, Pool, SharedContexts
from kernelbandits.environments.rewards import random_bumps
from kernelbandits.environments.surrogate import SurrogateInstance, fit_oracles, split_rows
from kernelbandits.environments.synthetic import Synthetic, SyntheticInstance

__all__ = [
    "ApproximateLowRank",
    "ArmPools",
    "Avazu",
    "AvazuDesign",
    "AvazuStandIn",
    "Classification",
    "ClassificationInstance",
    "CommonPool",
    "Contexts",
    "Covariance",
    "Environment",
    "Instance",
    "LowRank",
    "NoiseLaw",
    "NormalNoise",
    "OwnContexts",
    "Pool",
    "Rounds",
    "SharedContexts",
    "SpectralDecay",
    "StudentNoise",
    "Surrogate",
    "SurrogateInstance",
    "Synthetic",
    "SyntheticInstance",
    "fit_oracles",
    "random_bumps",
    "split_rows",
]
