"""Policies: how to decide."""

from kernelbandits.policies.adaptive_explore_then_commit import AdaptiveExploreThenCommit
from kernelbandits.policies.advice import PolicyAdvice, default_policy, recommend
from kernelbandits.policies.agent import Agent
from kernelbandits.policies.base import Policy
from kernelbandits.policies.baselines import Oracle, Uniform
from kernelbandits.policies.calibrated_ucb import CalibratedUCB
from kernelbandits.policies.decisions import Choice, Decision, Decisions
from kernelbandits.policies.exploration_floor import ExplorationFloor
from kernelbandits.policies.explore_then_commit import ExploreThenCommit
from kernelbandits.policies.gp_ucb import GPUCB
from kernelbandits.policies.greedy_interpolation import GreedyInterpolation
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.linear_thompson_sampling import LinearThompsonSampling
from kernelbandits.policies.linear_ucb import LinearUCB
from kernelbandits.policies.propensities import largest_probabilities
from kernelbandits.policies.successive_elimination import SuccessiveElimination
from kernelbandits.policies.sup_kernel_ucb import SupKernelUCB
from kernelbandits.policies.thompson_sampling import ThompsonSampling
from kernelbandits.policies.widths import ConstantWidth, SubGaussianWidth, TheoreticalWidth, Width

__all__ = [
    "GPUCB",
    "AdaptiveExploreThenCommit",
    "Agent",
    "CalibratedUCB",
    "Choice",
    "ConstantWidth",
    "Decision",
    "Decisions",
    "ExplorationFloor",
    "ExploreThenCommit",
    "GreedyInterpolation",
    "Learner",
    "LinearThompsonSampling",
    "LinearUCB",
    "Oracle",
    "Policy",
    "PolicyAdvice",
    "SubGaussianWidth",
    "SuccessiveElimination",
    "SupKernelUCB",
    "TheoreticalWidth",
    "ThompsonSampling",
    "Uniform",
    "Width",
    "default_policy",
    "largest_probabilities",
    "recommend",
]
