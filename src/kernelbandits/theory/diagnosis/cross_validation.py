"""How well interpolation, ridge, a linear model and the mean predict rewards that they were not fitted to."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import one_thread
from kernelbandits.theory.diagnosis.budgets import ArmRows
from kernelbandits.theory.diagnosis.permutation import linear_share, permutation_p_value
from kernelbandits.theory.spectrum import evenly_spaced
from kernelbandits.types import Array, IntArray

INTERPOLATION, RIDGE, LINEAR = METHODS = ("interpolation", "ridge", "linear")
N_FOLDS = 5
FEWEST_ROWS = 10  # rows that an arm needs, two per fold
MOST_ARMS = 50
_RIDGES = np.geomspace(1e-6, 1e4, 21)  # ridges to choose from, in units of the average eigenvalue of a Gram matrix
_BOTH_WAYS = np.sqrt(2.0)
"""Each pair of rows enters the errors twice, once with either as the one that is predicted. Standard errors that take
rows as independent are too small by this factor where predictions are by chance."""


class HeldOutScore(NamedTuple):
    """How well a method predicts rewards that it was not fitted to, each number with its standard error.

    `r_squared` is 1 − (sum of squared errors) / (the same for the mean of the arm), so 0 is as good as the mean.
    `correlation` is that of predictions and rewards around the mean of their arm; 0 for constant predictions. It is
    what counts for choosing: a factor common to all predictions does not change which arm is best.
    """

    r_squared: float
    r_squared_error: float
    correlation: float
    correlation_error: float


class ArmScores(NamedTuple):
    """The scores of n rows by method, of one arm, or (`arm` is None) of all arms, each in units of its own spread."""

    arm: str | None
    n: int
    scores: Mapping[str, HeldOutScore]


class HeldOutScores(NamedTuple):
    """Held-out scores of all arms together and of each arm."""

    pooled: ArmScores
    arms: tuple[ArmScores, ...]  # empty if no arms are given
    signal: float  # p-value of the permutation test: small if contexts tell something about rewards
    advantage: Mapping[str, float]  # by how many standard errors a method's correlation exceeds interpolation's
    gain: Mapping[str, float]  # the same for R²
    linear_share: float  # of the variance of rewards that is linear in the contexts, even if too few rows to fit it
    linear_share_error: float  # its standard error, if there is no effect


def held_out_scores(
    kernel: Kernel, X: Array, y: Array, groups: ArmRows, most: int
) -> tuple[HeldOutScores | None, list[str]]:
    """Cross-validate on at most `most` evenly spaced rows of each arm; `groups` are the rows of each arm.

    Returns None if no arm has ten rows with rewards that differ, and notes on what was left out.
    """
    usable = [name for name, rows in groups.items() if len(rows) >= FEWEST_ROWS and np.ptp(y[rows]) > 0.0]
    if not usable:
        return None, [f"held-out errors need an arm with at least {FEWEST_ROWS} rows and rewards that differ"]
    names = [usable[i] for i in evenly_spaced(len(usable), MOST_ARMS)]
    judged = [groups[name] for name in names]
    rng = np.random.default_rng(0)
    predicted, tested = [], []
    with one_thread():  # many small problems, for which more threads would mostly wait
        for group in judged:
            rows = group[evenly_spaced(len(group), most)]
            predicted.append(_predict(kernel, X[rows], y[rows], rng))
            tested.append((predicted[-1].grams, y[rows]))
        signal = permutation_p_value(tested, rng)
    parts = _tuned(predicted)
    pooled = np.concatenate([part / part[0].std() for part in parts], axis=1)
    each = [] if None in groups else [_scores(name, part) for name, part in zip(names, parts, strict=True)]
    share = linear_share([(inner, rewards) for (_, inner), rewards in tested])
    found = HeldOutScores(_scores(None, pooled), tuple(each), signal, _advantages(pooled), _gains(pooled), *share)
    return found, _notes(len(groups), len(usable), judged, most)


def _notes(n_groups: int, n_usable: int, judged: Sequence[IntArray], most: int) -> list[str]:
    notes = []
    if n_usable < n_groups:
        notes.append(
            f"held-out errors: {n_groups - n_usable} of {n_groups} arms have fewer than {FEWEST_ROWS} rows, or rewards "
            "that do not differ, and are left out"
        )
    if len(judged) < n_usable:
        notes.append(f"held-out errors: {len(judged)} of {n_usable} arms are used")
    long = sum(len(rows) > most for rows in judged)
    if long:
        notes.append(f"held-out errors: {most} evenly spaced rows are used of {long} of {len(judged)} arms")
    return notes


class _Predictions(NamedTuple):
    """Held-out rewards of an arm and predictions of them, around the mean of the rows fitted, each of shape (n,).

    Those of ridge and of the linear model are for every strength, shape (2, ridges + 1, n), the last of them the mean;
    `tuning` are their leave-one-out errors on the rows fitted in each fold, shape (2, folds, ridges + 1).
    """

    rewards: Array
    interpolation: Array
    paths: Array
    tuning: Array
    fold: IntArray
    grams: tuple[Array, Array]


def _predict(kernel: Kernel, X: Array, y: Array, rng: np.random.Generator) -> _Predictions:
    from kernelbandits.regression import MinNormInterpolator  # only a sample with rewards needs it

    n, n_paths = len(y), len(_RIDGES) + 1
    centred = X - X.mean(axis=0)
    gram, inner = kernel.gram(X), centred @ centred.T
    fold = rng.permutation(n) % N_FOLDS
    rewards, interpolation = np.empty(n), np.empty(n)
    paths, tuning = np.zeros((2, n_paths, n)), np.empty((2, N_FOLDS, n_paths))
    for k in range(N_FOLDS):
        fitted, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        mean = y[fitted].mean()
        target = y[fitted] - mean
        rewards[held] = y[held] - mean
        interpolation[held] = MinNormInterpolator(kernel).fit(X[fitted], target).mean(X[held])
        across, within = inner[np.ix_(held, fitted)], inner[np.ix_(fitted, fitted)]
        shift = within.mean(axis=0)  # of the linear model, around the mean of the rows fitted
        linear = across - shift - across.mean(axis=1)[:, np.newaxis] + shift.mean()
        within = within - shift - shift[:, np.newaxis] + shift.mean()
        within += np.trace(within) / len(fitted)  # an intercept: without it a row left out would still be in the mean
        for m, (new, own) in enumerate(((gram[np.ix_(held, fitted)], gram[np.ix_(fitted, fitted)]), (linear, within))):
            weights, errors = ridge_path(own, target)
            paths[m, :-1, held] = new @ weights
            tuning[m, k] = np.append(errors, target @ target) / max(float(target.var()), np.finfo(float).tiny)
    return _Predictions(rewards, interpolation, paths, tuning, fold, (gram, inner))


def _tuned(parts: Sequence[_Predictions]) -> list[Array]:
    """Rewards and predictions of every arm, shape (1 + methods, n), with one ridge per fold for all arms.

    Few rows of one arm say little about the best ridge; all arms together say more.
    """
    best = np.argmin(np.sum([part.tuning for part in parts], axis=0), axis=2)  # (2, folds)
    found = []
    for part in parts:
        chosen = [part.paths[m, best[m, part.fold], np.arange(len(part.fold))] for m in range(2)]
        found.append(np.array([part.rewards, part.interpolation, *chosen]))
    return found


def ridge_path(gram: Array, y: Array) -> tuple[Array, Array]:
    """Dual weights for every ridge, shape (n, ridges), and their leave-one-out sums of squares, shape (ridges,).

    With K = U diag(v) Uᵀ the error of a row left out is a_i / ((K + ridge·I)⁻¹)_ii for the weights a, so one eigenvalue
    problem serves all ridges. They are in units of the average eigenvalue.
    """
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    unit = float(values.mean()) or 1.0
    inverses = 1.0 / (values[:, np.newaxis] + unit * _RIDGES)
    weights = vectors @ (inverses * (vectors.T @ y)[:, np.newaxis])
    return weights, np.sum((weights / (vectors**2 @ inverses)) ** 2, axis=0)


def _scores(arm: str | None, part: Array) -> ArmScores:
    target = part[0]
    return ArmScores(arm, len(target), {name: _score(target, row) for name, row in zip(METHODS, part[1:], strict=True)})


def _score(target: Array, predicted: Array) -> HeldOutScore:
    errors, chance = (target - predicted) ** 2, target**2
    left = float(errors.sum() / chance.sum())
    doubt = (errors - left * chance) / chance.mean()  # of a ratio, to first order
    rho, influence = _correlation(target, predicted)
    return HeldOutScore(1.0 - left, _standard_error(doubt), rho, _standard_error(influence))


def _advantages(pooled: Array) -> dict[str, float]:
    first, influence = _correlation(pooled[0], pooled[1])
    others = {name: _correlation(pooled[0], row) for name, row in zip(METHODS[1:], pooled[2:], strict=True)}
    return {name: _in_errors(rho - first, own - influence) for name, (rho, own) in others.items()}


def _gains(pooled: Array) -> dict[str, float]:
    errors = (pooled[0] - pooled[1:]) ** 2
    saved = dict(zip(METHODS[1:], errors[0] - errors[1:], strict=True))
    return {name: _in_errors(float(each.mean()), each) for name, each in saved.items()}


def _in_errors(difference: float, influence: Array) -> float:
    """A difference in units of its standard error, given what each row adds to it."""
    error = _standard_error(influence)
    return difference / error if error > 0.0 else 0.0


def _correlation(target: Array, predicted: Array) -> tuple[float, Array]:
    """Correlation, and what each row adds to it to first order, shape (n,)."""
    spread = float(predicted.std())
    if spread == 0.0:
        return 0.0, np.zeros(len(target))
    u, v = (target - target.mean()) / target.std(), (predicted - predicted.mean()) / spread
    rho = float(np.mean(u * v))
    return rho, np.asarray(u * v - 0.5 * rho * (u * u + v * v))


def _standard_error(values: Array) -> float:
    return float(_BOTH_WAYS * values.std(ddof=1) / np.sqrt(len(values)))
