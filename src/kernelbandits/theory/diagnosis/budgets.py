"""The two budgets of a diagnosis, by the paper's formulas and from the data, and the leave-one-out errors of a log."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.theory import Budget, ExplorationAdvice, SpectrumCase, exploration_budget, recommend_exploration
from kernelbandits.theory.spectrum import evenly_spaced
from kernelbandits.types import Array, IntArray

PILOT_ROWS = 4000  # rows of a log used for the data-driven budget: more take time and hardly change the learning curve

ArmRows: TypeAlias = Mapping[str | None, IntArray]  # the rows of each arm by its name


class FitError(NamedTuple):
    """Leave-one-out error of the interpolator on n rows of one arm, or (`arm` is None) of all arms, each with its fit.

    `rmse` includes the noise of the rewards; `reward_std` is the error of predicting their mean. `correlation` is that
    of predictions and rewards, NaN if either is constant. `norm` is the RKHS norm of the fit, the largest of all arms.
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


class RewardErrors(NamedTuple):
    """Leave-one-out errors of all arms together, and of each arm with at least two rows."""

    pooled: FitError
    arms: tuple[FitError, ...]


def reward_errors(
    kernel: Kernel, X: Array, y: Array, groups: ArmRows, most: int
) -> tuple[RewardErrors | None, list[str]]:
    """Errors per arm and of all arms together, on at most `most` evenly spaced rows of each, and notes on the rest."""
    from kernelbandits.regression import MinNormInterpolator, leave_one_out  # only a sample with rewards needs them

    per_arm, predictions, rewards = [], [], []
    for name, group in groups.items():
        if len(group) < 2:
            continue
        rows = group[evenly_spaced(len(group), most)]
        predictions.append(leave_one_out(kernel, X[rows], y[rows]))
        rewards.append(y[rows])
        norm = MinNormInterpolator(kernel).fit(X[rows], y[rows]).norm
        per_arm.append(_summary(name, predictions[-1], y[rows], norm))
    if not per_arm:
        return None, ["leave-one-out errors need an arm with at least 2 rows; none has"]
    largest = max(fit.norm for fit in per_arm)
    pooled = _summary(None, np.concatenate(predictions), np.concatenate(rewards), largest)
    short, long = len(groups) - len(per_arm), sum(len(rows) > most for rows in groups.values())
    notes = [f"leave-one-out: {short} of {len(groups)} arms have fewer than 2 rows and are left out"] if short else []
    notes += [f"leave-one-out: {most} evenly spaced rows are used of {long} of {len(groups)} arms"] if long else []
    return RewardErrors(pooled, () if None in groups else tuple(per_arm)), notes


def rows_per_arm(max_rows: int, n_arms: int) -> int:
    """How many rows of each arm are used: K solves then cost as much as one of `max_rows` rows."""
    return max(2, int(max_rows / n_arms ** (1.0 / 3.0)))


def rows_by_arm(arms: NDArray[Any] | None, n: int) -> ArmRows:
    """The rows of each arm, in their order; without arms, all n rows under the name None."""
    if arms is None:
        return {None: np.arange(n)}
    labels, index = np.unique(arms, return_inverse=True)
    order = np.argsort(index, kind="stable")
    return dict(zip(map(str, labels), np.split(order, np.cumsum(np.bincount(index))[:-1]), strict=True))


def _summary(arm: str | None, predictions: Array, y: Array, norm: float) -> FitError:
    varies = min(float(np.ptp(predictions)), float(np.ptp(y))) > 0
    rmse = float(np.sqrt(np.mean((y - predictions) ** 2)))
    correlation = float(np.corrcoef(predictions, y)[0, 1]) if varies else float("nan")
    return FitError(arm, len(y), rmse, float(y.std()), correlation, norm)


class PlanningInputs(NamedTuple):
    """T, K, σ and B, and the source of each, such as "K = 3 (arms in the file)"."""

    horizon: int
    n_arms: int
    noise_std: float
    norm: float
    sources: tuple[str, ...]


def planning_inputs(
    groups: ArmRows,
    errors: RewardErrors | None,
    n_arms: int | None,
    horizon: int | None,
    noise_std: float | None,
    norm: float | None,
) -> PlanningInputs:
    """The numbers given, or else estimated from the log, or else defaults; with the source of each."""
    met = None if None in groups else len(groups)
    K = _first(("given", n_arms), ("arms in the file", met), ("assumed", 2))
    checks.whole("n_arms", K[1], at_least=1 if met is None or n_arms is None else met)
    T = _first(("given", horizon), ("assumed", 10_000))
    checks.whole("horizon", T[1], at_least=K[1])
    rmse, fit_norm = (None, None) if errors is None else (errors.pooled.rmse, errors.pooled.norm)
    sigma = _first(("given", noise_std), ("at most the leave-one-out error", rmse), ("assumed", 0.1))
    B = _first(("given", norm), ("norm of the largest fit", fit_norm), ("assumed", 1.0))
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
    kernel: Kernel, X: Array, arms: NDArray[Any] | None, y: Array | None, groups: ArmRows, inputs: PlanningInputs
) -> tuple[ExplorationAdvice | None, list[str]]:
    """The data-driven budget, None if the log does not allow one, and notes on it."""
    if arms is None or y is None:
        return None, ["no data-driven budget: it needs the arm played and its reward"]
    if inputs.n_arms < 2:
        return None, ["no data-driven budget: with one arm there is nothing to choose"]
    most = max(3, PILOT_ROWS // len(groups))
    rows = np.sort(np.concatenate([group[evenly_spaced(len(group), most)] for group in groups.values()]))
    part = f"the data-driven budget uses {len(rows)} of {len(y)} rows, at most {most} per arm"
    notes = [part] if len(rows) < len(y) else []
    try:
        found = recommend_exploration(
            X[rows], arms[rows], y[rows], kernel=kernel, horizon=inputs.horizon, n_arms=inputs.n_arms
        )
    except InvalidArgument as error:
        return None, [*notes, f"no data-driven budget: {error}"]
    return found, notes
