"""The paper's synthetic bandit: covariance designs (its section "Reward Setup"), noise, rewards in an RKHS."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.base import Environment, Instance, Rounds, require_rounds
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel, KernelExpansion, values_by_arm
from kernelbandits.linalg import pieces, require_memory
from kernelbandits.problem import Problem
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Count, NonNegative, Positive, Range, Share, Spec, conform
from kernelbandits.types import Array


class Covariance(Spec, ABC):
    """A design of the covariance Σ⁽ⁱ⁾ of the contexts of each arm: diagonal, with a level c̃⁽ⁱ⁾ ~ U[0.5, 1].

    >>> designs = (LowRank(), ApproximateLowRank(), SpectralDecay())
    >>> [bool(each.variances(20, 100, np.random.default_rng(0)).min() > 0) for each in designs]
    [False, True, True]

    See also `LowRank`, `ApproximateLowRank`.
    """

    __slots__ = ()

    @abstractmethod
    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        """Return the diagonal of Σ⁽ⁱ⁾ for every arm, shape (K, d)."""


@final
@dataclass(frozen=True, slots=True)
class LowRank(Covariance):
    """`n_active` random coordinates of each arm have variance c̃⁽ⁱ⁾, the others 0.

    Attributes:
        n_active: number of coordinates with variance, at most d; None means d/2, rounded down, and at least 1.

    >>> variances = LowRank(n_active=3).variances(2, 10, np.random.default_rng(0))
    >>> (variances > 0).sum(axis=1)
    array([3, 3])

    See also `Covariance`, `ApproximateLowRank`, `SpectralDecay`.
    """

    n_active: Count | None = None

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        n_active = max(1, dim // 2) if self.n_active is None else self.n_active
        if n_active > dim:
            raise InvalidArgument(f"LowRank: n_active must be at most the dimension {dim}; got {n_active}")
        level = rng.uniform(0.5, 1.0, size=(n_arms, 1))
        active = np.argsort(rng.random((n_arms, dim)), axis=1)[:, :n_active]
        variances = np.zeros((n_arms, dim))
        np.put_along_axis(variances, active, level, axis=1)
        return variances


@final
@dataclass(frozen=True, slots=True)
class ApproximateLowRank(Covariance):
    """Σ⁽ⁱ⁾ = c̃⁽ⁱ⁾ diag(1, ½, …, ½).

    >>> variances = ApproximateLowRank().variances(1, 4, np.random.default_rng(0))[0]
    >>> variances / variances[0]
    array([1. , 0.5, 0.5, 0.5])

    See also `Covariance`, `LowRank`, `SpectralDecay`.
    """

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        spectrum = np.full(dim, 0.5)
        spectrum[0] = 1.0
        return np.asarray(rng.uniform(0.5, 1.0, size=(n_arms, 1)) * spectrum)


@final
@dataclass(frozen=True, slots=True)
class SpectralDecay(Covariance):
    """Σ⁽ⁱ⁾ = c̃⁽ⁱ⁾ diag(10/1, 10/2, …, 10/j̃, c, …, c): a decaying head, then a flat tail.

    j̃ is the largest j with Σ_{l≤j} 10/l ≤ d/4, and c makes the trace d/2 before the level. Below d = 40 there is no
    head: all variances of an arm are equal.

    >>> variances = SpectralDecay().variances(1, 100, np.random.default_rng(0))[0]
    >>> (variances / variances[0])[:8].round(3)
    array([1.   , 0.5  , 0.333, 0.25 , 0.2  , 0.167, 0.027, 0.027])

    See also `Covariance`, `ApproximateLowRank`, `LowRank`.
    """

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        spectrum = 10.0 / np.arange(1, dim + 1)
        head = int((np.cumsum(spectrum) <= dim / 4.0).sum())
        if head < dim:
            spectrum[head:] = (0.5 * dim - spectrum[:head].sum()) / (dim - head)
        return np.asarray(rng.uniform(0.5, 1.0, size=(n_arms, 1)) * spectrum)


class NoiseLaw(Spec, ABC):
    """A distribution with mean 0 and variance 1.

    >>> draws = [law.draw(100_000, np.random.default_rng(0)) for law in (NormalNoise(), StudentNoise(df=5.0))]
    >>> [round(float(each.std()), 1) for each in draws], [bool(np.abs(each).max() > 6) for each in draws]
    ([1.0, 1.0], [False, True])

    See also `NormalNoise`, `StudentNoise`.
    """

    __slots__ = ()

    @abstractmethod
    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """Return independent draws, shape (size,)."""


@final
@dataclass(frozen=True, slots=True)
class NormalNoise(NoiseLaw):
    """N(0, 1), as in the paper.

    >>> noisy = Synthetic(LowRank(), noise_std=0.1, noise=NormalNoise()).draw(rng=0)
    >>> round(float(noisy.rounds(1000, np.random.default_rng(1)).noise.std()), 1)
    0.1

    See also `NoiseLaw`, `StudentNoise`.
    """

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        return rng.standard_normal(size)


@final
@dataclass(frozen=True, slots=True)
class StudentNoise(NoiseLaw):
    """Student's t, scaled to variance 1: heavy tails, so that some rewards lie far from their mean.

    Attributes:
        df: degrees of freedom, above 2; few mean heavy tails, many come close to `NormalNoise`.

    >>> draws = StudentNoise(df=3.0).draw(100_000, np.random.default_rng(0))
    >>> bool(np.abs(draws).max() > 10)
    True

    See also `NoiseLaw`, `NormalNoise`.
    """

    df: Annotated[float, Range("a number above 2, so that the variance is finite", lambda v: v > 2)] = 2.5

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        return np.asarray(rng.standard_t(self.df, size) * np.sqrt((self.df - 2.0) / self.df))


@final
@dataclass(frozen=True, slots=True, eq=False)
class SyntheticInstance(Instance):
    """Reward functions f⁽ⁱ⁾, and standard deviations of the coordinates of the contexts, shape (K, d).

    Attributes:
        rewards: the K reward functions.
        context_std: standard deviations of the contexts, shape (K, d).
        noise_std, clip, noise, density: as in `Synthetic`.

    >>> instance = Synthetic(LowRank(), n_arms=3, dim=10).draw(np.random.default_rng(0))
    >>> (instance.context_std > 0).sum(axis=1)
    array([5, 5, 5])
    >>> instance.means(np.zeros((3, 10))).shape
    (3,)

    See also `Environment`, `Synthetic`, `Classification`, `ClassificationInstance`.
    """

    rewards: tuple[KernelExpansion, ...]
    context_std: Array
    noise_std: float
    clip: float
    noise: NoiseLaw = NormalNoise()
    density: float = 1.0

    __repr__ = short_repr
    _repr_html_ = short_html

    def problem(self, horizon: int | None = None) -> Problem:
        n_arms, dim = self.context_std.shape
        norms = np.array([reward.norm for reward in self.rewards])
        return Problem(n_arms, dim, horizon, self.noise_std, norms, self.means)

    def means(self, contexts: Array) -> Array:
        """Return the mean rewards f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d)."""
        return values_by_arm(self.rewards, contexts)

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        require_rounds(conform(horizon, Count, "horizon"), *self.context_std.shape)
        contexts = np.empty((horizon, *self.context_std.shape))
        for rows in pieces(horizon, width=self.context_std.size):  # scale and clip while in the cache
            block = contexts[rows]
            rng.standard_normal(out=block)
            block *= self.context_std
            np.clip(block, -self.clip, self.clip, out=block)
            if self.density < 1.0:
                block *= rng.random(block.shape) < self.density
        noise = self.noise_std * self.noise.draw(horizon, rng)
        return Rounds(contexts, values_by_arm(self.rewards, contexts), noise)


@final
@dataclass(frozen=True, slots=True)
class Synthetic(Environment):
    """f⁽ⁱ⁾ = Σ_m c_m K(·, x_m) with 500 bumps; x ~ N(0, Σ⁽ⁱ⁾) clipped to [−10, 10]; noise N(0, 10⁻⁴).

    c_m ~ U[−1, 1] and x_m ~ N(0, I). The defaults are the paper's.

    Attributes:
        covariance: design of the contexts.
        n_arms: K.
        dim: d, the number of features.
        kernel: kernel of the reward functions.
        n_bumps: M, the number of centres of a reward function.
        noise_std: σ, the standard deviation of the noise.
        clip: features are cut at ± this.
        noise: the law of the noise before it is multiplied by σ.
        density: probability with which a feature of a context is kept rather than set to 0.

    >>> instance = Synthetic(LowRank(), n_arms=3, dim=10).draw(np.random.default_rng(0))
    >>> instance.rounds(5, np.random.default_rng(1)).contexts.shape
    (5, 3, 10)

    See also `Environment`, `Rounds`, `SyntheticInstance`, `Classification`.
    """

    covariance: Covariance
    n_arms: Count = 20
    dim: Count = 100
    kernel: Kernel = Gaussian(gamma=4.0)
    n_bumps: Count = 500
    noise_std: NonNegative = 0.01
    clip: Positive = 10.0
    noise: NoiseLaw = NormalNoise()
    density: Share = 1.0

    def draw(self, rng: np.random.Generator | int) -> SyntheticInstance:
        rng = checks.generator(rng)
        self._require_memory()
        context_std = np.sqrt(self.covariance.variances(self.n_arms, self.dim, rng))
        rewards = []
        for _ in range(self.n_arms):
            coefficients = rng.uniform(-1.0, 1.0, size=self.n_bumps)
            rewards.append(KernelExpansion(self.kernel, rng.standard_normal((self.n_bumps, self.dim)), coefficients))
        return SyntheticInstance(tuple(rewards), context_std, self.noise_std, self.clip, self.noise, self.density)

    def notes(self, horizon: int) -> tuple[str, ...]:
        self._require_memory()
        require_rounds(horizon, self.n_arms, self.dim)
        return ()

    def _require_memory(self) -> None:
        """Raise `TooLarge` if the reward functions and covariances do not fit into memory."""
        what = f"Synthetic with n_arms = {self.n_arms:,}, dim = {self.dim:,} and n_bumps = {self.n_bumps:,}"
        # Centres and their features for the kernel, and four arrays for the variances; the Gram matrix of a norm.
        numbers = self.n_arms * self.dim * (2 * self.n_bumps + 4) + self.n_bumps**2
        require_memory(8 * numbers, what, "lower them")
