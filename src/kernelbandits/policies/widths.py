"""Confidence widths β for upper confidence bounds: score = mean + β · std."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log, sqrt
from typing import final

from kernelbandits.errors import MissingKnowledge
from kernelbandits.problem import Problem
from kernelbandits.regression import Posterior
from kernelbandits.specs import NonNegative, Positive, Probability, Spec


class Width(Spec, ABC):
    """How many standard deviations are added to an arm's mean."""

    __slots__ = ()

    @abstractmethod
    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        """β for this arm now."""


def _confidence(
    width: Width, arm: int, posterior: Posterior, problem: Problem, delta: float
) -> tuple[float, float, float]:
    """‖f⁽ⁱ⁾‖, σ/λ and √(2 ln det(I + λ⁻²K) + 2 ln(K/δ))."""
    if problem.reward_norms is None or problem.noise_std is None:
        missing = [name for name in ("noise_std", "reward_norms") if getattr(problem, name) is None]
        raise MissingKnowledge(
            f"{type(width).__name__} needs problem.{' and problem.'.join(missing)}; "
            "state it in Problem(…), or use ConstantWidth(…) which needs neither"
        )
    radius = sqrt(4.0 * posterior.information_gain + 2.0 * log(problem.n_arms / delta))
    return float(problem.reward_norms[arm]), problem.noise_std / sqrt(posterior.ridge), radius


@final
@dataclass(frozen=True, slots=True)
class TheoreticalWidth(Width):
    """β = scale · (‖f⁽ⁱ⁾‖ + σ² λ⁻¹ √(2 ln det(I + λ⁻²K) + 2 ln(K/δ))), as the paper prints it for CGP-UCB.

    `scale` = 0.1 is the paper's "Scaled". λ² is the posterior's ridge.
    """

    delta: Probability = 0.1
    scale: Positive = 1.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        norm, noise, radius = _confidence(self, arm, posterior, problem, self.delta)
        return self.scale * (norm + noise**2 * sqrt(posterior.ridge) * radius)  # (σ/λ)² λ = σ²/λ


@final
@dataclass(frozen=True, slots=True)
class SubGaussianWidth(Width):
    """`TheoreticalWidth` with σ λ⁻¹ in place of σ² λ⁻¹: as in Abbasi-Yadkori (2013), Chowdhury & Gopalan (2017)."""

    delta: Probability = 0.1
    scale: Positive = 1.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        norm, noise, radius = _confidence(self, arm, posterior, problem, self.delta)
        return self.scale * (norm + noise * radius)


@final
@dataclass(frozen=True, slots=True)
class ConstantWidth(Width):
    """β = value, whatever the problem."""

    value: NonNegative = 2.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        return self.value
