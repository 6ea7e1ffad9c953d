"""Both budgets of a diagnosis: the paper's, from what is known or guessed, and the data-driven one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.classification import Classification
from kernelbandits.theory.diagnosis.planning import Numbers, Plan, plan_exploration
from kernelbandits.theory.diagnosis.report import RewardErrors
from kernelbandits.theory.diagnosis.rewards import thin
from kernelbandits.theory.recommendation import Recommendation, recommend_exploration
from kernelbandits.types import Array

HORIZON = 10_000
N_ARMS = 2
NOISE_STD = 0.1
NORM = 1.0
PILOT_ROWS = 4000
"""Rows of a log that the data-driven budget looks at: more do not move the learning curve, but take their time."""


@final
@dataclass(frozen=True, slots=True)
class Guesses:
    """T, K, σ and B, and where each comes from."""

    horizon: int
    n_arms: int
    noise_std: float
    norm: float
    sources: tuple[str, ...]


def guesses(
    arms: NDArray[Any] | None,
    errors: RewardErrors | None,
    n_arms: int | None,
    horizon: int | None,
    noise_std: float | None,
    norm: float | None,
) -> Guesses:
    """What was given, else what the log tells, else a plain default; always said."""
    met = None if arms is None else len(np.unique(arms))
    K = _first(("given", n_arms), ("arms in the file", met), ("assumed", N_ARMS))
    checks.whole("n_arms", K[1], at_least=1 if met is None or n_arms is None else met)
    T = _first(("given", horizon), ("assumed", HORIZON))
    checks.whole("horizon", T[1], at_least=K[1])
    pooled = None if errors is None else errors.pooled
    sigma = _first(
        ("given", noise_std),
        ("at most the leave-one-out error", None if pooled is None else pooled.rmse),
        ("assumed", NOISE_STD),
    )
    B = _first(("given", norm), ("norm of the largest fit", None if pooled is None else pooled.norm), ("assumed", NORM))
    named = (("T", T), ("K", K), ("σ", sigma), ("B", B))
    sources = tuple(f"{name} = {_shown(value)} ({source})" for name, (source, value) in named)
    return Guesses(T[1], K[1], sigma[1], B[1], sources)


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _first(*options: tuple[str, Any]) -> tuple[str, Any]:
    return next((source, value) for source, value in options if value is not None)


def paper_plan(
    kernel: Kernel, classification: Classification, known: Guesses, delta: float, dim: int
) -> tuple[Plan | None, str]:
    """The paper's budget for the case that the sample resembles, and its outcome in words."""
    if classification.case is None:
        return None, f"the paper's formulas need a case: {classification.reason}"
    if not 0.0 < classification.epsilon <= 1.0:
        return None, (
            f"the paper's formulas need 0 < ε ≤ 1, and ε = Tr(Σ)/d is {classification.epsilon:.4g} here: "
            "standardise the features"
        )
    given = Numbers(delta, known.n_arms, known.noise_std, known.norm, classification.epsilon, dim)
    try:
        plan = plan_exploration(kernel, classification.case, given)
    except InvalidArgument as error:
        return None, f"the paper's formulas do not apply: {error}"
    return plan, plan.budget.reason


def recommended(
    kernel: Kernel, X: Array, arms: NDArray[Any] | None, y: Array | None, known: Guesses, notes: list[str]
) -> Recommendation | None:
    """The data-driven budget, where the log has arms and rewards that allow one; a note says why not."""
    if arms is None or y is None:
        notes.append("no data-driven budget: it needs the arm played and its reward")
        return None
    if known.n_arms < 2:
        notes.append("no data-driven budget: with one arm there is nothing to choose")
        return None
    labels, index = np.unique(arms, return_inverse=True)
    most = max(3, PILOT_ROWS // len(labels))
    rows = np.sort(np.concatenate([thin(np.flatnonzero(index == i), most) for i in range(len(labels))]))
    if len(rows) < len(y):
        notes.append(f"the data-driven budget looks at {len(rows)} of {len(y)} rows, at most {most} of each arm")
    try:
        return recommend_exploration(
            X[rows], index[rows], y[rows], horizon=known.horizon, kernel=kernel, n_arms=known.n_arms
        )
    except InvalidArgument as error:
        notes.append(f"no data-driven budget: {error}")
        return None
