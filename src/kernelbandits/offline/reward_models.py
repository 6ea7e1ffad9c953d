"""Models of the reward of every arm, for estimators that predict what was not played."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.log import BLOCK, Log
from kernelbandits.offline.split import Split
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import NonNegative, Positive, Spec
from kernelbandits.types import Array, IntArray


class FittedRewards(Protocol):
    """A reward model of every part of a split."""

    def predict(self, contexts: Array, part: int) -> Array:
        """Rewards of all arms, shape (m, K), at contexts (m, d) or (m, K, d) of rows of that part."""


class RewardModel(Spec, ABC):
    """How to predict rewards. A model that values a row never learned from it.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> evaluation = evaluate(log, {"old": AlwaysArm("old")}, model=None)  # without one, by weights alone
    >>> evaluation["old"].estimates[0].estimator
    'SelfNormalized'

    See also `evaluate`, `LinearRewards`, `RewardsByEstimator`.
    """

    __slots__ = ()

    @abstractmethod
    def fit(self, log: Log, split: Split) -> FittedRewards:
        """Fit one model per part of the split, to the rows that it may learn from."""


@final
@dataclass(frozen=True, slots=True)
class LinearRewards(RewardModel):
    """Ridge regression per arm on the features and a constant, around the mean reward of all arms.

    It reads the log once, whatever its size: the sums of each part and arm are added up. With no features it is a
    shrunk mean per arm.

    Attributes:
        ridge: added to the diagonal of XᵀX of each arm. Without features it counts as so many rows with the mean
            reward of all arms, so an arm with few rows is drawn to that mean.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> model = LinearRewards(ridge=1000.0)  # draws the prediction for "old", 0.5, to the mean of all rows
    >>> round(evaluate(log, {"old": AlwaysArm("old")}, estimator=DirectMethod(), model=model)["old"].value, 2)
    0.38

    See also `evaluate`, `RewardModel`, `RewardsByEstimator`, `RewardsByRegressor`.
    """

    ridge: Positive = 1.0

    def fit(self, log: Log, split: Split) -> FittedRewards:
        P, K, d = split.n_parts, log.n_arms, log.dim + 1
        gram, moment = np.zeros((P, K, d, d)), np.zeros((P, K, d))
        for start in range(0, len(log), BLOCK):
            rows = slice(start, min(start + BLOCK, len(log)))
            arms, parts = log.arms[rows], split.part[rows]
            X = with_constant(played(log.contexts[rows], arms))
            order = np.argsort(parts * K + arms, kind="stable")
            edges = np.searchsorted((parts * K + arms)[order], np.arange(P * K + 1))
            X, y = X[order], log.rewards[rows][order]
            for group in np.flatnonzero(np.diff(edges)).tolist():
                a, b = edges[group], edges[group + 1]
                p, k = divmod(group, K)
                gram[p, k] += X[a:b].T @ X[a:b]
                moment[p, k] += y[a:b] @ X[a:b]
        use = split.learns_from.astype(np.float64)
        gram = np.tensordot(use, gram, axes=1)
        moment = np.tensordot(use, moment, axes=1)
        counts = gram[..., 0, 0]
        base = moment[..., 0].sum(axis=1) / np.maximum(counts.sum(axis=1), 1.0)
        moment -= base[:, np.newaxis, np.newaxis] * gram[..., 0]
        coefficients = np.linalg.solve(gram + self.ridge * np.eye(d), moment[..., np.newaxis])[..., 0]
        coefficients[..., 0] += base[:, np.newaxis]
        return _Linear(np.asarray(coefficients, dtype=np.float64))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Linear:
    """Coefficients of every part and arm, shape (P, K, 1 + d)."""

    coefficients: Array

    def predict(self, contexts: Array, part: int) -> Array:
        constant, slopes = self.coefficients[part, :, 0], self.coefficients[part, :, 1:]
        if contexts.ndim == 3:
            return np.asarray(constant + np.einsum("nkd,kd->nk", contexts, slopes))
        return np.asarray(constant + contexts @ slopes.T)


@final
@dataclass(frozen=True, slots=True)
class RewardsByEstimator(RewardModel):
    """One fit per arm by an estimator of this library: `RewardsByEstimator(Nystrom(Gaussian(4.0), 1.0, 200))`.

    The log must fit into memory.

    Attributes:
        estimator: fitted to the contexts, shape (n, d), and rewards of each arm.
        prior_rows: the mean of all arms counts as so many rows in an arm's mean, around which rewards are fitted; an
            arm with fewer than two rows is predicted by that mean alone.

    >>> points = np.random.default_rng(0).standard_normal((100, 1))
    >>> log = Log(points, np.arange(100) % 2, np.tanh(points[:, 0]), np.full(100, 0.5), 2)
    >>> model = RewardsByEstimator(KernelRidge(Gaussian(), 0.1))
    >>> found = evaluate(log, {"first": AlwaysArm(0)}, estimator=DirectMethod(), model=model)["first"].value
    >>> bool(abs(found - log.rewards.mean()) < 0.05)  # arms do not differ here
    True

    See also `evaluate`, `LinearRewards`, `RewardsByRegressor`, `RewardModel`.
    """

    estimator: Estimator[Predictor]
    prior_rows: NonNegative = 1.0

    def fit(self, log: Log, split: Split) -> FittedRewards:
        def regress(X: Array, y: Array) -> Any:
            return self.estimator.fit(X, y).mean

        return _PerArm(log, split, regress, self.prior_rows)


@final
@dataclass(frozen=True, slots=True)
class RewardsByRegressor(RewardModel):
    """One fit per arm by a regressor with `fit` and `predict`, as scikit-learn has; each fit uses a copy.

    Attributes:
        regressor: anything with `fit(X, y)` and `predict(X)`, X of shape (n, d).
        prior_rows: as in `RewardsByEstimator`.

    >>> from sklearn.linear_model import Ridge
    >>> points = np.random.default_rng(0).standard_normal((100, 1))
    >>> log = Log(points, np.arange(100) % 2, points[:, 0] + np.arange(100) % 2, np.full(100, 0.5), 2)
    >>> model = RewardsByRegressor(Ridge())
    >>> found = evaluate(log, {"second": AlwaysArm(1)}, estimator=DirectMethod(), model=model)["second"].value
    >>> bool(abs(found - 1.0 - points.mean()) < 0.05)
    True

    See also `evaluate`, `RewardsByEstimator`, `LinearRewards`.
    """

    regressor: object
    prior_rows: NonNegative = 1.0

    def _validate(self) -> None:
        able = hasattr(self.regressor, "fit") and hasattr(self.regressor, "predict")
        if isinstance(self.regressor, type) or not able:
            raise InvalidArgument(
                f"RewardsByRegressor: regressor must have fit and predict, as Ridge() of scikit-learn; "
                f"got {self.regressor!r}"
            )

    def fit(self, log: Log, split: Split) -> FittedRewards:
        def regress(X: Array, y: Array) -> Any:
            regressor: Any = copy.deepcopy(self.regressor)
            return regressor.fit(X, y).predict

        return _PerArm(log, split, regress, self.prior_rows)


class _PerArm:
    """One function of the context per part and arm, and the levels around which they were fitted."""

    def __init__(self, log: Log, split: Split, regress: Any, prior_rows: float) -> None:
        X = played(log.contexts[0 : len(log)], log.arms)
        self._models: list[list[Any]] = []
        self._levels = np.zeros((split.n_parts, log.n_arms))
        for part in range(split.n_parts):
            allowed = split.learns_from[part][split.part]
            base = float(log.rewards[allowed].mean()) if allowed.any() else 0.0
            self._models.append([])
            for arm in range(log.n_arms):
                rows = np.flatnonzero(allowed & (log.arms == arm))
                level = (float(log.rewards[rows].sum()) + prior_rows * base) / max(len(rows) + prior_rows, 1e-9)
                self._levels[part, arm] = level
                enough = len(rows) >= 2 and X.shape[1] > 0
                self._models[part].append(regress(X[rows], log.rewards[rows] - level) if enough else None)

    def predict(self, contexts: Array, part: int) -> Array:
        predictions = np.tile(self._levels[part], (len(contexts), 1))
        for arm, model in enumerate(self._models[part]):
            if model is not None and len(contexts):
                answer = model(contexts if contexts.ndim == 2 else contexts[:, arm])
                predictions[:, arm] += checks.finite_array(
                    "what the reward model predicts", answer, (len(contexts),), "one number per row"
                )
        return predictions


def played(contexts: Array, arms: IntArray) -> Array:
    """Return the contexts of the arms that were played, shape (m, d)."""
    return contexts if contexts.ndim == 2 else contexts[np.arange(len(arms)), arms]


def with_constant(X: Array) -> Array:
    """Return the points with a first feature that is 1, shape (m, 1 + d)."""
    return np.concatenate([np.ones((len(X), 1)), X], axis=1)
