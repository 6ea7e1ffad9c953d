"""From arrays to a diagnosis. Nothing here reads, prints or draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.theory.assumptions import assumptions
from kernelbandits.theory.classification import classify
from kernelbandits.theory.diagnosis.budgets import guesses, paper_plan, recommended
from kernelbandits.theory.diagnosis.report import Diagnosis, ErrorCurve, Linearity, RewardErrors
from kernelbandits.theory.diagnosis.rewards import reward_errors
from kernelbandits.theory.error import effective_bias, effective_variance
from kernelbandits.theory.information import information_gain
from kernelbandits.theory.linearization import linearize
from kernelbandits.theory.spectrum import spectrum, subsample
from kernelbandits.types import Array, ArrayLike

MAX_ROWS = 1000
"""Rows that stand for the sample where a Gram matrix is needed."""
_SIZES = 12
_UNEQUAL = 30.0


def diagnose(
    contexts: ArrayLike,
    arms: NDArray[Any] | None = None,
    rewards: ArrayLike | None = None,
    *,
    kernel: Kernel | None = None,
    horizon: int | None = None,
    n_arms: int | None = None,
    delta: float = 0.5,
    noise_std: float | None = None,
    norm: float | None = None,
    max_rows: int = MAX_ROWS,
) -> Diagnosis:
    """Look at a sample of contexts (n, d), and at the arms (n,) and rewards (n,) where they are known.

    K is `n_arms`, or the number of arms met, or 2. T is `horizon`, or 10,000. σ and B are what is given, or estimated
    from the rewards, or 0.1 and 1. `max_rows` rows at even distances are used where a Gram matrix is needed.
    """
    X = checks.points("contexts", contexts)
    y = None if rewards is None else checks.targets("rewards", rewards, len(X))
    if arms is not None and np.shape(arms) != (len(X),):
        raise InvalidArgument(f"arms must have shape ({len(X)},), one entry per row; got shape {np.shape(arms)}")
    _refuse_numbers(delta=delta, noise_std=noise_std, norm=norm)
    kernel = Gaussian(4.0) if kernel is None else kernel
    checks.whole("max_rows", max_rows, at_least=2)
    rows = subsample(X, max_rows)
    kernel(rows[:1])  # a kernel that cannot take these contexts is refused before any work
    judged = subsample(X, max(10 * X.shape[1], 4 * max_rows))
    notes = _scale_notes(X)
    linearity = _linearity(kernel, rows, notes)
    errors, left_out = (None, None) if y is None else reward_errors(kernel, X, arms, y, max_rows)
    notes += [left_out] if left_out else []
    notes += _signal_notes(errors)
    classification = classify(X)
    known = guesses(arms, errors, n_arms, horizon, noise_std, norm)
    recommendation = recommended(kernel, X, arms, y, known, notes)
    plan, plan_reason = paper_plan(kernel, classification, known, delta, X.shape[1])
    curve = _curve(kernel, rows)
    return Diagnosis(
        kernel=kernel,
        spectrum=spectrum(X),
        classification=classification,
        assumptions=assumptions(kernel, judged, n=len(rows)),
        assumption_rows=len(judged),
        gram_rows=len(rows),
        linearity=linearity,
        variance=float(curve.variance[-1]),
        bias=float(curve.bias[-1]),
        curve=curve,
        information_gain=information_gain(kernel, rows),
        rewards=errors,
        plan=plan,
        plan_reason=plan_reason,
        recommendation=recommendation,
        horizon=known.horizon,
        n_arms=known.n_arms,
        noise_std=known.noise_std,
        norm=known.norm,
        sources=known.sources,
        notes=tuple(notes),
    )


def _refuse_numbers(delta: float, **others: float | None) -> None:
    if not 0.0 < delta < np.inf:
        raise InvalidArgument(f"delta must be a finite number above 0; got {delta!r}")
    for name, value in others.items():
        if value is not None and not 0.0 <= value < np.inf:
            raise InvalidArgument(f"{name} must be a finite number of at least 0; got {value!r}")


def _scale_notes(X: Array) -> list[str]:
    sizes = np.sqrt(np.einsum("ij,ij->j", X, X) / len(X))
    notes = []
    silent, seen = int((sizes == 0).sum()), sizes[sizes > 0]
    constant = int((np.ptp(X, axis=0) == 0).sum()) - silent if len(X) > 1 else 0
    if silent:
        notes.append(f"{silent} of {len(sizes)} columns are 0 throughout")
    if constant:
        notes.append(f"{constant} of {len(sizes)} columns hold one value throughout; they carry no information")
    if len(seen) and seen.max() > _UNEQUAL * seen.min():
        notes.append(
            f"the columns' sizes (root mean squares) differ by a factor of {seen.max() / seen.min():.3g}, so the "
            "largest decide every distance; unless that is meant, standardise them"
        )
    return notes


def _signal_notes(errors: RewardErrors | None) -> list[str]:
    """Two standard errors of a correlation of unrelated numbers are 2/√n."""
    if errors is None:
        return []
    found, chance = errors.pooled.correlation, 2.0 / np.sqrt(errors.pooled.n)
    if found > chance:
        return []
    words = (
        "do not vary, so they cannot be compared"
        if np.isnan(found)
        else f"correlate by {found:.2g}, no more than chance (±{chance:.2g})"
    )
    return [
        f"leave-one-out predictions and rewards {words}: this kernel learns nothing from these rows, and a budget from "
        "them means little"
    ]


def _linearity(kernel: Kernel, rows: Array, notes: list[str]) -> Linearity | None:
    try:
        found = linearize(kernel, rows)
    except InvalidArgument as error:
        notes.append(f"no linear approximation: {error}")
        return None
    return Linearity(found.tau, found.alpha, found.beta, found.gamma, found.error, found.event)


def _curve(kernel: Kernel, rows: Array) -> ErrorCurve:
    """Effective variance and bias at up to twelve N, evenly spaced in log N, on rows at even distances."""
    n = len(rows)
    sizes = np.unique(np.geomspace(1, n, _SIZES).round().astype(np.int64))
    parts = [subsample(rows, int(size)) for size in sizes]
    # γ and β depend on Tr(Σ)/d alone, which all rows know better than a few: the diagonal of Σ̂ has the same trace.
    diagonal = np.einsum("ij,ij->j", rows, rows) / n
    variance = np.array([_variance(kernel, part, diagonal) for part in parts])
    return ErrorCurve(sizes, variance, np.array([effective_bias(kernel, part) for part in parts]))


def _variance(kernel: Kernel, part: Array, diagonal: Array) -> float:
    try:
        return effective_variance(kernel, part, diagonal)
    except InvalidArgument:  # no class, or a profile that is not convex: `linearity` and `assumptions` say so
        return float("nan")
