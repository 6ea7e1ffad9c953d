"""The two budgets of a diagnosis: by the paper's formulas, and from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.theory.budget import Budget, exploration_budget
from kernelbandits.theory.diagnosis.rewards import RewardErrors, evenly_spaced
from kernelbandits.theory.exploration_advice import ExplorationAdvice, recommend_exploration
from kernelbandits.theory.spectrum_case import SpectrumCase
from kernelbandits.types import Array

HORIZON = 10_000
N_ARMS = 2
NOISE_STD = 0.1
NORM = 1.0
PILOT_ROWS = 4000
"""Rows of a log used for the data-driven budget: more take time and hardly change the learning curve."""


@final
@dataclass(frozen=True, slots=True)
class PlanningInputs:
    """T, K, σ and B, and the source of each, such as "K = 3 (arms in the file)"."""

    horizon: int
    n_arms: int
    noise_std: float
    norm: float
    sources: tuple[str, ...]


def planning_inputs(
    arms: NDArray[Any] | None,
    errors: RewardErrors | None,
    n_arms: int | None,
    horizon: int | None,
    noise_std: float | None,
    norm: float | None,
) -> PlanningInputs:
    """The numbers given, or else estimated from the log, or else defaults; with the source of each."""
    met = None if arms is None else len(np.unique(arms))
    K = _first(("given", n_arms), ("arms in the file", met), ("assumed", N_ARMS))
    checks.whole("n_arms", K[1], at_least=1 if met is None or n_arms is None else met)
    T = _first(("given", horizon), ("assumed", HORIZON))
    checks.whole("horizon", T[1], at_least=K[1])
    rmse, fit_norm = (None, None) if errors is None else (errors.pooled.rmse, errors.pooled.norm)
    sigma = _first(("given", noise_std), ("at most the leave-one-out error", rmse), ("assumed", NOISE_STD))
    B = _first(("given", norm), ("norm of the largest fit", fit_norm), ("assumed", NORM))
    counts = [f"{name} = {value:,} ({source})" for name, (source, value) in (("T", T), ("K", K))]
    scales = [f"{name} = {value:.4g} ({source})" for name, (source, value) in (("σ", sigma), ("B", B))]
    return PlanningInputs(T[1], K[1], sigma[1], B[1], (*counts, *scales))


def _first(*options: tuple[str, Any]) -> tuple[str, Any]:
    return next((source, value) for source, value in options if value is not None)


def paper_budget(
    kernel: Kernel, found: SpectrumCase, inputs: PlanningInputs, delta: float, dim: int
) -> tuple[Budget | None, str]:
    """The paper's budget for the case that the sample resembles, and its outcome in words."""
    if found.case is None:
        return None, f"the paper's formulas need a case: {found.reason}"
    if not 0.0 < found.epsilon <= 1.0:
        level = f"{found.epsilon:.4g}"
        return None, f"the paper's formulas need 0 < ε ≤ 1, but ε = Tr(Σ)/d is {level} here: standardise the features"
    try:
        budget = exploration_budget(
            kernel,
            found.case,
            delta=delta,
            n_arms=inputs.n_arms,
            noise_std=inputs.noise_std,
            norm=inputs.norm,
            epsilon=found.epsilon,
            dim=dim,
        )
    except InvalidArgument as error:
        return None, f"the paper's formulas do not apply: {error}"
    return budget, budget.reason


def recommended(
    kernel: Kernel, X: Array, arms: NDArray[Any] | None, y: Array | None, inputs: PlanningInputs
) -> tuple[ExplorationAdvice | None, list[str]]:
    """The data-driven budget, None if the log does not allow one, and notes on it."""
    if arms is None or y is None:
        return None, ["no data-driven budget: it needs the arm played and its reward"]
    if inputs.n_arms < 2:
        return None, ["no data-driven budget: with one arm there is nothing to choose"]
    labels, index = np.unique(arms, return_inverse=True)
    most = max(3, PILOT_ROWS // len(labels))
    rows = np.sort(np.concatenate([evenly_spaced(np.flatnonzero(index == i), most) for i in range(len(labels))]))
    part = f"the data-driven budget uses {len(rows)} of {len(y)} rows, at most {most} per arm"
    notes = [part] if len(rows) < len(y) else []
    try:
        advice = recommend_exploration(
            X[rows], index[rows], y[rows], horizon=inputs.horizon, kernel=kernel, n_arms=inputs.n_arms
        )
    except InvalidArgument as error:
        return None, [*notes, f"no data-driven budget: {error}"]
    return advice, notes
