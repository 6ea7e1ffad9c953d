"""The value of a commitment, from leave-one-out predictions: no distribution is assumed, nothing is fitted.

Every arm has its own context in a round, so any past draws, one of each arm, form a possible round: predictions p⁽ⁱ⁾ⱼ,
made without that draw, and rewards y⁽ⁱ⁾ⱼ. Averages over all n₁ ⋯ n_K such rounds have closed forms in the arms'
empirical distribution functions. They are unbiased for future rounds with predictions from n − 1 draws per arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import KernelExpansion
from kernelbandits.regression import Posterior
from kernelbandits.types import Array


@final
class GrowingLeaveOneOut:
    """An interpolator and the prediction of each of its points from the others, after every observation.

    With A = K + ridge·I = L Lᵀ, W = L⁻¹ and z = W y, both A⁻¹y = Σ_r z_r W_r and diag(A⁻¹) = Σ_r W_r² are sums over the
    rows of W, and an observation adds a row to W. So the errors e_i = (A⁻¹y)_i / (A⁻¹)_ii cost O(n) more than the
    posterior itself, which costs O(n² + n d). With A⁻¹1 kept too, any level can be taken away from y afterwards.
    """

    __slots__ = ("_diagonal", "_of_ones", "_posterior", "_weights", "rewards")
    _posterior: Posterior
    rewards: Array
    _weights: Array
    _of_ones: Array
    _diagonal: Array

    def __init__(self, posterior: Posterior) -> None:
        """`posterior` has no observations yet."""
        self._posterior = posterior
        self.rewards, self._weights, self._of_ones, self._diagonal = np.zeros((4, 0))

    def _validate(self) -> None:
        n = (self._posterior.n,)
        checks.refuse_misshapen(self, rewards=n, _weights=n, _of_ones=n, _diagonal=n)

    @property
    def dim(self) -> int:
        """Number of features."""
        return self._posterior.dim

    @property
    def n(self) -> int:
        """Number of observations."""
        return len(self.rewards)

    def observe(self, x: Array, y: float) -> None:
        """Take one observation into account."""
        self.rewards = np.append(self.rewards, y)
        # Measured from the first reward, so that a high level of all of them does not cost digits.
        self._posterior = self._posterior._extend(x, y - self.rewards.item(0), self._posterior.at(x))
        row = self._posterior.factor.last_row
        self._weights = np.append(self._weights, 0.0) + row * self._posterior.whitened_targets[self.n - 1]
        self._of_ones = np.append(self._of_ones, 0.0) + row * row.sum()
        self._diagonal = np.append(self._diagonal, 0.0) + row**2

    def predictions(self, levels: Array | float) -> Array:
        """Leave-one-out predictions level + f̂(x), shape (n,), with f̂ fitted to y − level; `levels` has shape (n,)."""
        return self.rewards - self._coefficients(levels) / self._diagonal

    def expansion(self, level: float) -> KernelExpansion:
        """The function f̂ fitted to y − level."""
        return KernelExpansion(self._posterior.kernel, self._posterior.X, self._coefficients(level))

    def _coefficients(self, level: Array | float) -> Array:
        """A⁻¹(y − level), row by row if there is one level per row."""
        return self._weights if not self.n else self._weights - (level - self.rewards[0]) * self._of_ones


class RegretEstimate(NamedTuple):
    """Regret per round after a commitment and during exploration, for predictions from `size` draws per arm."""

    commit_regret: float
    explore_regret: float
    size: float

    def another_turn_pays(self, n_turns: int, n_arms: int, remaining: int) -> bool:
        """Whether another turn of `n_arms` arms that have had `n_turns` each lowers the total regret.

        With r(N) ∝ N^(−½) a turn costs n (rₑ − r) and saves r/(2N) in each of the remaining rounds.
        """
        commit_regret = self.commit_regret * sqrt(self.size / n_turns)
        spent = 2.0 * n_arms * n_turns
        return commit_regret * (remaining + spent) > spent * self.explore_regret


def commitment_value(pairs: Sequence[tuple[Array, Array]]) -> tuple[float, float]:
    """Mean of the best reward, and of the reward with the best prediction, over all rounds that the draws can form.

    `pairs` are (predictions, rewards) of every arm, arrays of shape (nᵢ,). O(n K log n) for n draws in all.
    """
    samples = [rewards for _, rewards in pairs]
    # The largest of one draw from each sample: P(max ≤ v) = Πₖ Fₖ(v).
    values = np.unique(np.concatenate(samples))
    below = np.ones(len(values))
    for sample in samples:
        below *= np.searchsorted(np.sort(sample), values, side="right") / len(sample)
    weights = _chances_of_draws([predictions for predictions, _ in pairs])
    return float(values @ np.diff(below, prepend=0.0)), float(weights @ np.concatenate(samples))


def chances(samples: Sequence[Array]) -> Array:
    """Probability that a draw from each sample is the largest, shape (K,)."""
    edges = np.cumsum([0] + [len(sample) for sample in samples[:-1]])
    chance: Array = np.add.reduceat(_chances_of_draws(samples), edges)
    return chance


def _chances_of_draws(samples: Sequence[Array]) -> Array:
    """Probability of each draw to come up and be the largest, Πₖ≠ᵢ Fₖ(s⁽ⁱ⁾ⱼ)/nᵢ, one sample after the other.

    A tie counts as half below in F. That is exact for ties of two; all is scaled to sum to 1 for ties of more.
    """
    draws = np.concatenate(samples)
    weights = np.ones(len(draws))
    start = 0
    for sample in samples:
        stop, ordered = start + len(sample), np.sort(sample)
        below = np.searchsorted(ordered, draws, side="left") + np.searchsorted(ordered, draws, side="right")
        share = below / (2.0 * len(sample))
        share[start:stop] = 1.0 / len(sample)
        weights *= share
        start = stop
    scaled: Array = weights / weights.sum()
    return scaled
