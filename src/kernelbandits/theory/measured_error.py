"""The estimation error E‖f̂ − f‖² of an estimator on an instance, by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits import checks
from kernelbandits.types import Array

if TYPE_CHECKING:
    from kernelbandits.environments import Instance
    from kernelbandits.regression import Estimator, Predictor


@final
@dataclass(frozen=True, slots=True, eq=False)
class MeasuredError:
    """‖f̂⁽ⁱ⁾ − f⁽ⁱ⁾‖² in L²(P_x), averaged over fits and fresh contexts, per arm.

    Attributes:
        per_arm: shape (K,).
        standard_error: of `per_arm`, shape (K,); NaN for a single fit.

    """

    per_arm: Array
    standard_error: Array

    @property
    def mean(self) -> float:
        """Average over arms."""
        return float(self.per_arm.mean())


def measured_error(
    estimator: Estimator[Predictor],
    instance: Instance,
    n: int,
    rng: np.random.Generator | int,
    *,
    n_fits: int = 1,
    n_test: int = 1000,
) -> MeasuredError:
    """Fit each arm to `n` draws and compare with the truth on `n_test` fresh contexts, `n_fits` times."""
    checks.whole("n", n, at_least=1)
    checks.whole("n_fits", n_fits, at_least=1)
    checks.whole("n_test", n_test, at_least=1)
    streams = np.random.default_rng(rng).spawn(n_fits)
    errors = np.array([_one_fit(estimator, instance, n, n_test, stream) for stream in streams])
    if n_fits == 1:
        return MeasuredError(errors[0], np.full(errors.shape[1], np.nan))
    return MeasuredError(errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(n_fits))


def _one_fit(
    estimator: Estimator[Predictor], instance: Instance, n: int, n_test: int, rng: np.random.Generator
) -> Array:
    rounds = instance.rounds(n + n_test, rng)
    errors = np.empty(rounds.means.shape[1])
    for arm in range(len(errors)):
        X, f = np.ascontiguousarray(rounds.contexts[:, arm]), rounds.means[:, arm]
        fit = estimator._fit(X[:n], f[:n] + rounds.noise[:n])
        errors[arm] = np.mean((fit._mean(X[n:]) - f[n:]) ** 2)
    return errors
