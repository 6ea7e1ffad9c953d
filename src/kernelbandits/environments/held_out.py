"""How well oracles predict rewards that they were not fitted to: what is left over is noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import digamma, polygamma

from kernelbandits.kernels import KernelExpansion
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class OracleQuality:
    """What oracles leave over of rewards that they have not seen.

    R² is 1 − (mean square of an oracle's residuals) / (the same for the mean of the rewards that it was fitted to), and
    0 for an arm whose rewards do not vary.
    """

    noise_std: Array  # standard deviation of the noise of each arm, shape (K,)
    r_squared: Array  # R² of each arm, shape (K,)
    average: float  # the mean of R², every held-out row counted once
    explains: bool  # whether `average` is above 0 by more than two standard errors


def oracle_quality(
    oracles: Sequence[KernelExpansion], levels: Sequence[float], held_out: Sequence[tuple[Array, Array]]
) -> OracleQuality:
    """Compare each arm's oracle, and its `level`, with held-out rows (X, y) of shapes (n_i, d) and (n_i,)."""
    squares, gains = [], []
    for oracle, level, (X, y) in zip(oracles, levels, held_out, strict=True):
        residuals, spread = (y - oracle(X)) ** 2, (y - level) ** 2
        size = spread.mean()
        squares.append(residuals)
        gains.append((spread - residuals) / size if size > 0.0 else np.zeros(len(y)))
    every = np.concatenate(gains)
    error = every.std() / np.sqrt(len(every))
    means = np.array([gain.mean() for gain in gains])
    return OracleQuality(noise_deviations(squares), means, float(every.mean()), bool(every.mean() > 2.0 * error))


def noise_deviations(squares: Sequence[Array]) -> Array:
    """Estimate the noise of each arm from squared residuals, of shape (n_i,) for arm i; shape (K,).

    The logarithm of the mean square s² of n residuals has bias ψ(n/2) − log(n/2) and variance ψ'(n/2) for normal noise,
    and about (κ − 1)/2 times that variance if the fourth moment of the residuals is κ s⁴. What the arms differ by
    beyond this is real. An arm is drawn to the average of all as far as its own variance exceeds that (empirical Bayes
    on log s², Smyth 2004): with many rows it keeps its own s², with few it borrows. An arm without residuals, such as
    one that was never clicked, may have been lucky: its s² is that of one average residual among n + 1.
    """
    sizes = np.array([len(values) for values in squares], dtype=float)
    found = np.array([values.mean() for values in squares])
    if not found.any():
        return np.zeros(len(found))
    some = found > 0.0
    found = np.where(some, found, np.exp(np.log(found[some]).mean()) / (sizes + 1.0))
    ratios = np.concatenate([values / mean for values, mean in zip(squares, found, strict=True)])
    tails = max(1.0, float(np.mean(ratios**2) - 1.0) / 2.0)
    logs = np.log(found) - digamma(sizes / 2.0) + np.log(sizes / 2.0)
    doubts = tails * polygamma(1, sizes / 2.0)
    between = max(0.0, float(np.var(logs, ddof=1) - doubts.mean())) if len(logs) > 1 else 0.0
    own = between / (between + doubts)
    return np.asarray(np.exp(0.5 * (own * logs + (1.0 - own) * logs.mean())))
