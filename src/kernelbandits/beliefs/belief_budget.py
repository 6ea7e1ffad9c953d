"""How much a belief may hold and do, from the size of the problem and the memory at hand."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.linalg import available_memory
from kernelbandits.problem import Problem
from kernelbandits.types import IntArray

_BYTES = 256 * 2**20
_SHARE = 8  # at most an eighth of the memory at hand
_EXACT = 512  # rewards of one arm, beyond which a round would take too long
_SHORT = 2048  # rounds, which do not take long even if all of them are exact
_LEAST = 64
_FEATURES = 256
_KEPT = 30_000
_EVIDENCE = 128  # rewards of an arm that are used for an estimate, if arms are few
_EVIDENCE_ARMS = 8


class BeliefBudget(NamedTuple):
    """Limits of what a belief holds.

    Attributes:
        n_exact: rewards per arm in an exact posterior; beyond, a sketch takes its place.
        n_features: features of a sketch.
        n_kept: rewards of all arms that are kept to choose another kernel; beyond, only sums over them are kept.

    """

    n_exact: int
    n_features: int
    n_kept: int

    @classmethod
    def of(cls, problem: Problem) -> BeliefBudget:
        """A quarter for posteriors, a half for sketches (two matrices per arm), a quarter for rewards.

        If few rounds are to be played, all of them are exact.
        """
        size = min(_BYTES, available_memory() // _SHARE) // 8
        per_arm = isqrt(size // (4 * problem.n_arms))
        horizon = problem.horizon
        return cls(
            horizon if horizon is not None and horizon <= _SHORT else max(_LEAST, min(_EXACT, per_arm)),
            max(_LEAST, min(max(_FEATURES, 3 * problem.dim // 2), per_arm)),
            max(4 * _LEAST, min(_KEPT, size // (4 * problem.dim))),
        )

    def sketches(self, counts: IntArray) -> bool:
        """Whether an arm has more rewards than an exact posterior may have."""
        return int(counts.max()) > self.n_exact

    def forgets(self, data: ArmData) -> bool:
        """Whether the rewards themselves are too many to be kept."""
        return len(data) > self.n_kept

    def evidence(self, counts: IntArray) -> int:
        """How many rewards of every arm to use for an estimate, so that its work does not grow with their number."""
        most = _EVIDENCE
        while float((counts.clip(max=most).astype(float) ** 3).sum()) > _EVIDENCE_ARMS * _EVIDENCE**3:
            most = most * 9 // 10
        return most
