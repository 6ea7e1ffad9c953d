"""A data-driven exploration budget from a pilot sample; not in the paper, and needs neither noise nor norm.

Suppose the rewards of the K arms are about normal with standard deviation s and have correlation ρ(N) with the
predictions. Then the arm with the best prediction has an expected reward of c_K s ρ(N) above the average, where c_K is
the expected maximum of K standard normals. Exploration gets the average. So the regret of Explore-then-Commit against
a perfect predictor is

    T₀ c_K s + (T − T₀) c_K s (1 − ρ(T₀/K)),

which is smallest where (T − T₀) ρ(T₀/K) is largest. That T₀ depends neither on s (which includes the noise) nor on c_K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.theory.learning_curve import LearningCurve, curve_sizes, fit_curve, pair_sums
from kernelbandits.types import Array, ArrayLike, IntArray

_RESAMPLES = 200


@final
@dataclass(frozen=True, slots=True, eq=False)
class ExplorationAdvice:
    """How long to explore, and the regret to expect.

    Attributes:
        n_explore: T₀, rounds in total, including the pilot.
        n_per_arm: N = T₀/K.
        low: 5 % quantile of T₀ when the pilot's arms are resampled.
        high: 95 % quantile of T₀.
        explore_regret: expected regret per round of exploration, c_K s; too large if there is noise.
        commit_regret: expected regret per round after the exploration, against a perfect predictor.
        horizon: T.
        curve: the learning curve behind it.
        reason: the formula with its numbers.

    """

    n_explore: int
    n_per_arm: int
    low: int
    high: int
    explore_regret: float
    commit_regret: float
    horizon: int
    curve: LearningCurve
    reason: str

    @property
    def regret(self) -> float:
        """Expected regret over the horizon."""
        return self.n_explore * self.explore_regret + (self.horizon - self.n_explore) * self.commit_regret


def recommend_exploration(
    contexts: ArrayLike,
    arms: ArrayLike,
    rewards: ArrayLike,
    *,
    horizon: int,
    kernel: Kernel,
    n_arms: int | None = None,
    ridge: float = 0.0,
) -> ExplorationAdvice:
    """Recommend T₀ from a pilot sample: contexts (n, d), the arm played (n,) and its reward (n,).

    At least one arm needs 3 rounds, so that the curve has a slope; four rounds per arm make a good pilot. `n_arms` is
    K, if the pilot does not include every arm. `ridge` is that of the estimator to be used, 0 for the interpolator.
    """
    X = checks.points("contexts", contexts)
    y = checks.targets("rewards", rewards, len(X))
    labels, index = np.unique(_arm_labels(arms, len(X)), return_inverse=True)
    K = checks.whole("n_arms", len(labels) if n_arms is None else n_arms, at_least=max(2, len(labels)))
    checks.whole("horizon", horizon, at_least=K)
    rows = [np.flatnonzero(index == i) for i in range(len(labels))]
    largest = max(len(row) for row in rows)
    if largest < 3:
        raise InvalidArgument(
            f"a learning curve needs an arm with at least 3 rounds; the pilot has {len(X)} rounds of {len(labels)} "
            f"arms, at most {largest} of one. Explore each arm 3 or 4 times first."
        )
    sizes = curve_sizes(largest)
    sums = np.array([pair_sums(kernel, X[row], y[row], sizes, ridge) for row in rows])
    curve = fit_curve(sizes, sums)
    n = _best_size(curve, K, horizon)
    low, high = _spread(sizes, sums, K, horizon)
    scale = expected_maximum(K) * float(y.std())
    rho = float(curve.correlation(np.array([n]))[0])
    return ExplorationAdvice(
        n * K, n, low * K, high * K, scale, scale * (1.0 - rho), horizon, curve, _words(curve, K, horizon, n, rho)
    )


def _arm_labels(arms: ArrayLike, n: int) -> IntArray:
    labels = np.asarray(arms)
    if labels.shape != (n,):
        raise InvalidArgument(f"arms must have one entry per row of contexts, shape ({n},); got shape {labels.shape}")
    return labels


def _best_size(curve: LearningCurve, n_arms: int, horizon: int) -> int:
    """The smallest N that maximises (T − KN) ρ(N)."""
    n = np.arange(1, horizon // n_arms + 1)
    return int(n[np.argmax((horizon - n_arms * n) * curve.correlation(n))])


def _spread(sizes: IntArray, sums: Array, n_arms: int, horizon: int) -> tuple[int, int]:
    """5 % and 95 % quantile of N when arms are resampled."""
    rng = np.random.default_rng(0)
    picks = rng.integers(len(sums), size=(_RESAMPLES, len(sums)))
    usable = [pick for pick in picks if (sums[pick, :, 0].sum(axis=0) > 0).sum() > 1]
    found = [_best_size(fit_curve(sizes, sums[pick]), n_arms, horizon) for pick in usable]
    low, high = np.quantile(found, [0.05, 0.95], method="nearest") if found else (0, 0)
    return int(low), int(high)


def expected_maximum(k: int) -> float:
    """E max of k independent standard normals, ∫ x dΦ(x)^k = ∫ x k φ(x) Φ(x)^{k−1} dx."""
    from scipy.special import ndtr

    x = np.linspace(-12.0, 12.0, 4001)
    density = k * np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi) * ndtr(x) ** (k - 1)
    return float(np.trapezoid(x * density, x))


def _words(curve: LearningCurve, n_arms: int, horizon: int, n: int, rho: float) -> str:
    formula = (
        f"(T − T₀) ρ(T₀/K) with ρ² = 1 − {curve.coefficient:.3g} N^−{curve.exponent:.3g}, K = {n_arms}, T = {horizon}"
    )
    if rho == 0.0:
        return f"{formula}: the pilot shows no signal that this kernel can learn, so exploration does not pay"
    return f"{formula}: largest at N = {n} draws per arm, where ρ = {rho:.2f}"
