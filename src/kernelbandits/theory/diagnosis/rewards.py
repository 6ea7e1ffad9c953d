"""Leave-one-out errors of each arm of a log, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.kernels import Kernel
from kernelbandits.types import Array, IntArray


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


def reward_errors(
    kernel: Kernel, X: Array, arms: NDArray[Any] | None, y: Array, max_rows: int
) -> tuple[RewardErrors | None, list[str]]:
    """Errors per arm and of all arms together, and notes on the rows left out.

    At most max_rows / K^⅓ evenly spaced rows of each arm are used: K solves then cost as much as one of `max_rows`
    rows. Without arms all rows are one arm.
    """
    from kernelbandits.regression import (
        MinNormInterpolator,  # only a sample with rewards needs regression
        leave_one_out,
    )

    names, groups = _groups(arms, len(y))
    most = max(2, int(max_rows / len(groups) ** (1.0 / 3.0)))
    chosen = [(name, evenly_spaced(rows, most)) for name, rows in zip(names, groups, strict=True) if len(rows) > 1]
    if not chosen:
        return None, ["leave-one-out errors need an arm with at least 2 rows; none has"]
    per_arm, predictions = [], []
    for name, rows in chosen:
        predictions.append(leave_one_out(kernel, X[rows], y[rows]))
        norm = MinNormInterpolator(kernel).fit(X[rows], y[rows]).norm
        per_arm.append(_summary(name, predictions[-1], y[rows], norm))
    rewards = np.concatenate([y[rows] for _, rows in chosen])
    pooled = _summary(None, np.concatenate(predictions), rewards, max(fit.norm for fit in per_arm))
    return RewardErrors(pooled, tuple(per_arm) if arms is not None else ()), _left_out(groups, most)


def evenly_spaced(rows: IntArray, most: int) -> IntArray:
    """`rows`, or `most` evenly spaced ones of them."""
    if len(rows) <= most:
        return rows
    picked: IntArray = rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]
    return picked


def _groups(arms: NDArray[Any] | None, n: int) -> tuple[list[str], list[IntArray]]:
    if arms is None:
        return ["all"], [np.arange(n)]
    labels, index = np.unique(arms, return_inverse=True)
    order = np.argsort(index, kind="stable")
    return [str(label) for label in labels], np.split(order, np.cumsum(np.bincount(index))[:-1])


def _summary(arm: str | None, predictions: Array, y: Array, norm: float) -> FitError:
    varies = min(float(np.ptp(predictions)), float(np.ptp(y))) > 0
    return FitError(
        arm=arm,
        n=len(y),
        rmse=float(np.sqrt(np.mean((y - predictions) ** 2))),
        reward_std=float(y.std()),
        correlation=float(np.corrcoef(predictions, y)[0, 1]) if varies else float("nan"),
        norm=norm,
    )


def _left_out(groups: list[IntArray], most: int) -> list[str]:
    short, long = sum(len(rows) < 2 for rows in groups), sum(len(rows) > most for rows in groups)
    words = [f"{short} of {len(groups)} arms have fewer than 2 rows and are left out"] if short else []
    words += [f"{most} evenly spaced rows are used of {long} of {len(groups)} arms"] if long else []
    return ["leave-one-out: " + "; ".join(words)] if words else []
