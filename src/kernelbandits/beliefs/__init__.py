"""What is believed of the rewards of all arms: policies such as Thompson sampling act on it."""

from kernelbandits.beliefs.arm_covariances import (
    ArmCovariance,
    ArmFeatures,
    CommonFunction,
    Exchangeable,
    GivenSimilarity,
)
from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.budgeted import BudgetedArms
from kernelbandits.beliefs.empirical_bayes import EmpiricalBayes
from kernelbandits.beliefs.families import Bandwidths, KernelFamily, TheseKernels
from kernelbandits.beliefs.hierarchical import HierarchicalBayes
from kernelbandits.beliefs.independent import ArmsTracker, IndependentArms
from kernelbandits.beliefs.influence import ClippedInnovations, Influence, Unlimited
from kernelbandits.beliefs.joint import JointArms
from kernelbandits.beliefs.memory import Everything, Memory, Window
from kernelbandits.beliefs.pooling import PerArm, Pooled, Pooling

__all__ = [
    "ArmCovariance",
    "ArmFeatures",
    "ArmsTracker",
    "Bandwidths",
    "Belief",
    "BudgetedArms",
    "ClippedInnovations",
    "CommonFunction",
    "EmpiricalBayes",
    "Everything",
    "Exchangeable",
    "GivenSimilarity",
    "HierarchicalBayes",
    "IndependentArms",
    "Influence",
    "JointArms",
    "KernelFamily",
    "Memory",
    "PerArm",
    "Pooled",
    "Pooling",
    "TheseKernels",
    "Tracker",
    "Unlimited",
    "Window",
]
