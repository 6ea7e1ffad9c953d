"""Environments: families of bandit problems to draw from."""

from kernelbandits.environments.base import Environment, Instance, Rounds
from kernelbandits.environments.classification import Classification, ClassificationInstance
from kernelbandits.environments.covariances import ApproximateLowRank, Covariance, LowRank, SpectralDecay
from kernelbandits.environments.rewards import random_bumps
from kernelbandits.environments.synthetic import Synthetic, SyntheticInstance

__all__ = [
    "ApproximateLowRank",
    "Classification",
    "ClassificationInstance",
    "Covariance",
    "Environment",
    "Instance",
    "LowRank",
    "Rounds",
    "SpectralDecay",
    "Synthetic",
    "SyntheticInstance",
    "random_bumps",
]
