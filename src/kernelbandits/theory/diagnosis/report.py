"""What a diagnosis says: frozen values, for tables, pictures and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.classification import Classification
from kernelbandits.theory.diagnosis.planning import Plan
from kernelbandits.theory.recommendation import Recommendation
from kernelbandits.theory.report import AssumptionReport
from kernelbandits.theory.spectrum import Spectrum
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class Linearity:
    """How far the Gram matrix is from its linear approximation: τ, α, β, γ, ‖K − K_lin‖, and the event ‖·‖ ≤ γ/2."""

    tau: float
    alpha: float
    beta: float
    gamma: float
    error: float
    event: bool


@final
@dataclass(frozen=True, slots=True, eq=False)
class ErrorCurve:
    """Effective variance (for σ = 1) and bias (for B = 1) at several N, each of shape (s,); NaN where undefined."""

    sizes: IntArray
    variance: Array
    bias: Array


@final
@dataclass(frozen=True, slots=True)
class FitError:
    """Leave-one-out error of the minimum-norm interpolator.

    Attributes:
        arm: the arm, or None for all arms together, each with a fit of its own.
        n: rows used.
        rmse: root mean squared error, the noise of the rewards included.
        reward_std: standard deviation of the rewards used, the error of predicting their mean.
        correlation: of predictions and rewards; NaN where either does not vary.
        norm: RKHS norm of the fit, the largest of all arms where `arm` is None.

    """

    arm: str | None
    n: int
    rmse: float
    reward_std: float
    correlation: float
    norm: float

    @property
    def explained(self) -> float:
        """1 − MSE/variance: the share of the variance explained; negative where the mean predicts better."""
        return 1.0 - (self.rmse / self.reward_std) ** 2 if self.reward_std > 0 else float("nan")


@final
@dataclass(frozen=True, slots=True)
class RewardErrors:
    """Leave-one-out errors of all arms together and of each arm with at least two rows."""

    pooled: FitError
    arms: tuple[FitError, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """Everything that is said about a sample.

    Attributes:
        kernel: the kernel it was looked at with.
        spectrum: of all rows.
        classification: the case it resembles.
        assumptions: the paper's hypotheses, looked at on `assumption_rows` rows.
        assumption_rows: see there.
        gram_rows: rows at even distances that stand for the sample where a Gram matrix is needed; N there.
        linearity: None where the kernel has none; a note says why.
        variance: effective variance at N = `gram_rows`, for σ = 1; NaN where undefined.
        bias: effective bias at N = `gram_rows`, for B = 1.
        curve: the same against N.
        information_gain: ½ ln det(I + K) of those rows.
        rewards: leave-one-out errors; None without rewards.
        plan: the paper's budget; None where its formulas do not apply, and `plan_reason` says why.
        plan_reason: the outcome of the plan in words.
        recommendation: the data-driven budget; None without arms and rewards, or where they do not allow one.
        horizon: T.
        n_arms: K.
        noise_std: σ used in the plan.
        norm: B used in the plan.
        sources: where σ and B, K and T come from, in words.
        notes: what could not be had and why, and what a reader should know.

    """

    kernel: Kernel
    spectrum: Spectrum
    classification: Classification
    assumptions: AssumptionReport
    assumption_rows: int
    gram_rows: int
    linearity: Linearity | None
    variance: float
    bias: float
    curve: ErrorCurve
    information_gain: float
    rewards: RewardErrors | None
    plan: Plan | None
    plan_reason: str
    recommendation: Recommendation | None
    horizon: int
    n_arms: int
    noise_std: float
    norm: float
    sources: tuple[str, ...]
    notes: tuple[str, ...]
