"""Bandits from recorded rewards: an oracle fitted to some rows of each arm, the other rows served as contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.base import Instance, Rounds
from kernelbandits.environments.pools import Pool
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import KernelExpansion
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import NonNegative, conform
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class SurrogateInstance(Instance):
    """Mean rewards are those of a fitted function an arm, contexts come from a pool, noise is N(0, noise_std²)."""

    oracles: tuple[KernelExpansion, ...]
    pool: Pool
    noise_std: float

    def __post_init__(self) -> None:
        n_arms, dim = self.pool.shape
        if len(self.oracles) != n_arms:
            raise InvalidArgument(f"oracles must be one per arm of the pool, {n_arms}; got {len(self.oracles)}")
        for arm, oracle in enumerate(self.oracles):
            if oracle.centers.shape[1] != dim:
                raise InvalidArgument(f"oracles[{arm}] has {oracle.centers.shape[1]} features, the pool has {dim}")
        object.__setattr__(self, "noise_std", conform(self.noise_std, NonNegative, "noise_std"))

    def problem(self, horizon: int | None = None) -> Problem:
        n_arms, dim = self.pool.shape
        norms = np.array([oracle.norm for oracle in self.oracles])
        return Problem(n_arms, dim, horizon, self.noise_std, norms, self.true_means)

    def true_means(self, contexts: Array) -> Array:
        """Mean rewards f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d)."""
        rounds = contexts.reshape(-1, *self.pool.shape)
        means = np.empty(rounds.shape[:2])
        for arm, oracle in enumerate(self.oracles):
            means[:, arm] = oracle(rounds[:, arm])
        return means.reshape(contexts.shape[:-1])

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        checks.whole("horizon", horizon, at_least=1)
        contexts = self.pool.serve(horizon, rng)
        return Rounds(contexts, self.true_means(contexts), self.noise_std * rng.standard_normal(horizon))


def fit_oracles(estimator: Estimator[Predictor], samples: Sequence[tuple[Array, Array]]) -> tuple[KernelExpansion, ...]:
    """One function an arm, fitted to that arm's rows (X, y) of shapes (n_i, d) and (n_i,)."""
    fitted = tuple(estimator.fit(X, y).expansion for X, y in samples)
    expansions = tuple(expansion for expansion in fitted if expansion is not None)
    if len(expansions) < len(fitted):
        raise InvalidArgument(f"{estimator} fits no kernel expansion, so its RKHS norm is unknown; use KernelRidge")
    return expansions


def split_rows(n: int, n_fit: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Row numbers 0 … n − 1 in random order, cut in two: `n_fit` to fit an oracle to, the others to serve."""
    if not 0 < n_fit < n:
        raise InvalidArgument(f"cannot take {n_fit} of {n} rows for an oracle and leave rows to serve as contexts")
    order = rng.permutation(n)
    return order[:n_fit], order[n_fit:]
