"""Policies: how to decide."""

from kernelbandits.policies.adaptive_explore_then_commit import AdaptiveExploreThenCommit, SuccessiveElimination
from kernelbandits.policies.advice import PolicyAdvice, default_policy, recommend
from kernelbandits.policies.agent import Agent, Policy
from kernelbandits.policies.baselines import Oracle, Uniform
from kernelbandits.policies.belief_policies import (
    CalibratedUCB,
    GreedyInterpolation,
    LinearThompsonSampling,
    LinearUCB,
    ThompsonSampling,
)
from kernelbandits.policies.exploration_floor import ExplorationFloor
from kernelbandits.policies.explore_then_commit import ExploreThenCommit
from kernelbandits.policies.gp_ucb import GPUCB, ConstantWidth, SubGaussianWidth, TheoreticalWidth, Width
from kernelbandits.policies.learner import Choice, Decision, Decisions, Learner, Scores
from kernelbandits.policies.propensities import largest_probabilities
from kernelbandits.policies.selection import distribution
from kernelbandits.policies.sup_kernel_ucb import SupKernelUCB
