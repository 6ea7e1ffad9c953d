"""Beliefs about the rewards of all arms: policies such as Thompson sampling act on them."""

from kernelbandits.beliefs.arm_covariances import (
    ArmCovariance,
    ArmFeatures,
    CommonFunction,
    Exchangeable,
    GivenSimilarity,
)
from kernelbandits.beliefs.base import AffineTracker, Belief, LearningTracker, Prefetched, Tracker
from kernelbandits.beliefs.budgeted_arms import BudgetedArms
from kernelbandits.beliefs.empirical_bayes import EmpiricalBayes
from kernelbandits.beliefs.hierarchical_bayes import HierarchicalBayes
from kernelbandits.beliefs.independent_arms import ArmsTracker, IndependentArms
from kernelbandits.beliefs.joint_arms import JointArms
from kernelbandits.beliefs.levels import ArmLevels, arm_levels
from kernelbandits.beliefs.linear_arms import LinearArms
from kernelbandits.beliefs.reward_units import AsGiven, RewardUnits, Standardized
