"""The results of a diagnosis as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from kernelbandits.kernels import Kernel
from kernelbandits.theory.budget import Budget
from kernelbandits.theory.exploration_advice import ExplorationAdvice
from kernelbandits.theory.hypotheses import AssumptionReport
from kernelbandits.theory.linearization import Linearization
from kernelbandits.theory.spectrum import Spectrum
from kernelbandits.theory.spectrum_case import SpectrumCase
from kernelbandits.types import Array, IntArray


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
        arm: the arm, or None for all arms together, where each arm has its own fit.
        n: number of rows used.
        rmse: root mean squared error, including the noise of the rewards.
        reward_std: standard deviation of the rewards used, which is the error of predicting their mean.
        correlation: of predictions and rewards; NaN if either is constant.
        norm: RKHS norm of the fit, the largest over all arms if `arm` is None.

    """

    arm: str | None
    n: int
    rmse: float
    reward_std: float
    correlation: float
    norm: float

    @property
    def explained(self) -> float:
        """1 − MSE/variance, the share of the variance explained; negative if the mean predicts better."""
        return 1.0 - (self.rmse / self.reward_std) ** 2 if self.reward_std > 0 else float("nan")


@final
@dataclass(frozen=True, slots=True)
class RewardErrors:
    """Leave-one-out errors of all arms together, and of each arm with at least two rows."""

    pooled: FitError
    arms: tuple[FitError, ...]


@final
@dataclass(frozen=True, slots=True)
class PlanningInputs:
    """T, K, σ and B, and the source of each, such as "K = 3 (arms in the file)"."""

    horizon: int
    n_arms: int
    noise_std: float
    norm: float
    sources: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """What a sample says about a kernel and about how long to explore.

    Attributes:
        kernel: the kernel.
        spectrum: of all rows.
        classification: the case that the spectrum resembles.
        assumptions: the paper's hypotheses, checked on `assumption_rows` rows.
        assumption_rows: evenly spaced rows used for `assumptions`.
        gram_rows: evenly spaced rows used where a Gram matrix is needed; N there.
        linearization: None if the kernel has none; a note says why.
        curve: effective variance and bias against N, up to N = `gram_rows`.
        information_gain: ½ ln det(I + K) of those rows.
        rewards: leave-one-out errors; None without rewards.
        inputs: T, K, σ and B used for the budgets.
        paper_budget: None if the paper's formulas do not apply.
        paper_reason: the outcome of the paper's formulas in words.
        recommendation: the data-driven budget; None without arms and rewards, or if they do not allow one.
        notes: what could not be computed and why, and warnings.

    """

    kernel: Kernel
    spectrum: Spectrum
    classification: SpectrumCase
    assumptions: AssumptionReport
    assumption_rows: int
    gram_rows: int
    linearization: Linearization | None
    curve: ErrorCurve
    information_gain: float
    rewards: RewardErrors | None
    inputs: PlanningInputs
    paper_budget: Budget | None
    paper_reason: str
    recommendation: ExplorationAdvice | None
    notes: tuple[str, ...]

    @property
    def variance(self) -> float:
        """Effective variance at N = `gram_rows`, for σ = 1; NaN where undefined."""
        return float(self.curve.variance[-1])

    @property
    def bias(self) -> float:
        """Effective bias at N = `gram_rows`, for B = 1."""
        return float(self.curve.bias[-1])
