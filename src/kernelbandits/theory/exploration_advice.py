"""A data-driven exploration budget from the learning curve of a pilot sample; not in the paper.

Suppose the rewards of the K arms are about normal with standard deviation s and have correlation ρ(N) with the
predictions. Then the arm with the best prediction has an expected reward of c_K s ρ(N) above the average, where c_K is
the expected maximum of K standard normals. Exploration gets the average. So the regret of Explore-then-Commit against
a perfect predictor is

    T₀ c_K s + (T − T₀) c_K s (1 − ρ(T₀/K)),

which is smallest where (T − T₀) ρ(T₀/K) is largest. That T₀ depends neither on s (which includes the noise) nor on c_K.
"""

from typing import NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.types import Array, ArrayLike, IntArray

_MOST_POINTS = 200
_MOST_SIZES = 10
_MOST_WINDOWS = 8
_SMALLEST = 1e-6


class LearningCurve(NamedTuple):
    """1 − ρ²(N) ≈ a N^−b: the share of the variance of rewards that a fit to N draws per arm leaves unexplained.

    ρ is the correlation of leave-one-out predictions and rewards over all arms. It is used instead of the error because
    a factor common to all predictions does not change which arm is best (an interpolator shrinks towards 0 far from
    its data). `unexplained` is 1 − ρ² measured at the `sizes` N, each of shape (s,); a is the `coefficient` and
    b ≥ 0 the `exponent`.
    """

    sizes: IntArray
    unexplained: Array
    coefficient: float
    exponent: float

    def correlation(self, n: Array | IntArray) -> Array:
        """ρ(N) of the fitted curve for N ≥ 1, elementwise."""
        explained = 1.0 - self.coefficient * np.asarray(n, dtype=np.float64) ** -self.exponent
        return np.sqrt(np.clip(explained, 0.0, 1.0))


def pair_sums(kernel: Kernel, X: Array, y: Array, sizes: IntArray, ridge: float) -> Array:
    """Sums of (1, p, y, p², y², py) over the leave-one-out pairs (p, y) of one arm at each size, shape (s, 6).

    Each size N is tried on up to eight windows of N + 1 consecutive points; it gives 0 if the arm has fewer points.
    """
    from kernelbandits.regression import leave_one_out  # only a sample with rewards needs regression

    n = len(y)
    sums = np.zeros((len(sizes), 6))
    for row, size in enumerate(sizes):
        width = int(size) + 1
        if width > n:
            continue
        n_windows = 1 if width == n else min(n, _MOST_WINDOWS)
        for start in np.unique(np.linspace(0, n - width, n_windows).round().astype(np.int64)):
            window = slice(start, start + width)
            p, target = leave_one_out(kernel, X[window], y[window], ridge), y[window]
            sums[row] += [width, p.sum(), target.sum(), p @ p, target @ target, p @ target]
    return sums


def curve_sizes(largest_arm: int) -> IntArray:
    """At most ten sizes N from 1 to n − 1, evenly spaced in log N."""
    top = min(largest_arm, _MOST_POINTS) - 1
    return np.unique(np.geomspace(1, top, min(top, _MOST_SIZES)).round().astype(np.int64))


def fit_curve(sizes: IntArray, arms: Array) -> LearningCurve:
    """Fit the curve to the pooled correlations: least squares in logarithms, each size weighted by its pairs."""
    total = np.sum(arms, axis=0)
    seen = total[:, 0] > 0
    count, p, y, pp, yy, py = total[seen].T
    covariance = py / count - p * y / count**2
    spread = (pp / count - (p / count) ** 2) * (yy / count - (y / count) ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.where(spread > 0, covariance / np.sqrt(np.maximum(spread, 0.0)), 0.0)
    unexplained = np.clip(1.0 - np.maximum(correlation, 0.0) ** 2, _SMALLEST, 1.0)
    sizes = sizes[seen]
    x, target = np.log(sizes), np.log(unexplained)
    center, level = np.average(x, weights=count), np.average(target, weights=count)
    scatter = float(count @ (x - center) ** 2)
    slope = float(count @ ((x - center) * (target - level))) / scatter if scatter > 0 else 0.0
    exponent = max(-slope, 0.0)
    return LearningCurve(sizes, unexplained, float(np.exp(level + exponent * center)), exponent)


class ExplorationAdvice(NamedTuple):
    """How long to explore, and the regret to expect."""

    n_explore: int  # T₀, rounds in total, including the pilot
    n_per_arm: int  # N = T₀/K
    low: int  # 5 % and, next, 95 % quantile of T₀ when the pilot's arms are resampled
    high: int
    explore_regret: float  # expected regret per round of exploration, c_K s; too large if there is noise
    commit_regret: float  # expected regret per round after the exploration, against a perfect predictor
    horizon: int  # T
    curve: LearningCurve  # behind it
    reason: str  # the formula with its numbers

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
    if np.shape(arms) != y.shape:
        raise InvalidArgument(f"arms must have one entry per row of contexts, shape {y.shape}; got {np.shape(arms)}")
    labels, index = np.unique(arms, return_inverse=True)
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


def _best_size(curve: LearningCurve, n_arms: int, horizon: int) -> int:
    """The smallest N that maximises (T − KN) ρ(N)."""
    n = np.arange(1, horizon // n_arms + 1)
    return int(n[np.argmax((horizon - n_arms * n) * curve.correlation(n))])


def _spread(sizes: IntArray, sums: Array, n_arms: int, horizon: int) -> tuple[int, int]:
    """5 % and 95 % quantile of N when arms are resampled."""
    picks = np.random.default_rng(0).integers(len(sums), size=(200, len(sums)))
    usable = [pick for pick in picks if (sums[pick, :, 0].sum(axis=0) > 0).sum() > 1]
    found = [_best_size(fit_curve(sizes, sums[pick]), n_arms, horizon) for pick in usable]
    low, high = np.quantile(found, [0.05, 0.95], method="nearest") if found else (0, 0)
    return int(low), int(high)


def expected_maximum(k: int) -> float:
    """E max of k independent standard normals, ∫ x dΦ(x)^k = ∫ x k φ(x) Φ(x)^{k−1} dx."""
    from scipy.special import ndtr

    checks.whole("k", k, at_least=1)
    x = np.linspace(-12.0, 12.0, 4001)
    density = k * np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi) * ndtr(x) ** (k - 1)
    return float(np.trapezoid(x * density, x))


def _words(curve: LearningCurve, n_arms: int, horizon: int, n: int, rho: float) -> str:
    fitted = f"ρ² = 1 − {curve.coefficient:.3g} N^−{curve.exponent:.3g}"
    formula = f"(T − T₀) ρ(T₀/K) with {fitted}, K = {n_arms}, T = {horizon}"
    if rho == 0.0:
        return f"{formula}: the pilot shows no signal that this kernel can learn, so exploration does not pay"
    return f"{formula}: largest at N = {n} draws per arm, where ρ = {rho:.2f}"
