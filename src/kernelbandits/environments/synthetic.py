"""The paper's synthetic bandit: clipped normal contexts, rewards in an RKHS, normal noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.base import Environment, Instance, Rounds, means_by_arm
from kernelbandits.environments.covariances import Covariance
from kernelbandits.environments.noise import NoiseLaw, NormalNoise
from kernelbandits.kernels import Gaussian, Kernel, KernelExpansion
from kernelbandits.linalg import pieces, rows_at_once
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Positive, Share
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class SyntheticInstance(Instance):
    """Reward functions f⁽ⁱ⁾, and standard deviations of the coordinates of the contexts, shape (K, d)."""

    rewards: tuple[KernelExpansion, ...]
    context_std: Array
    noise_std: float
    clip: float
    noise: NoiseLaw = NormalNoise()
    density: float = 1.0

    def problem(self, horizon: int | None = None) -> Problem:
        n_arms, dim = self.context_std.shape
        norms = np.array([reward.norm for reward in self.rewards])
        return Problem(n_arms, dim, horizon, self.noise_std, norms, self.means)

    def means(self, contexts: Array) -> Array:
        """Return the mean rewards f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d)."""
        return means_by_arm(self.rewards, contexts)

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        checks.whole("horizon", horizon, at_least=1)
        contexts = np.empty((horizon, *self.context_std.shape))
        for rows in pieces(horizon, rows_at_once(self.context_std.size)):  # scale and clip while in the cache
            block = contexts[rows]
            rng.standard_normal(out=block)
            block *= self.context_std
            np.clip(block, -self.clip, self.clip, out=block)
            if self.density < 1.0:
                block *= rng.random(block.shape) < self.density
        noise = self.noise_std * self.noise.draw(horizon, rng)
        return Rounds(contexts, self.means(contexts), noise)


def random_bumps(kernel: Kernel, n_bumps: int, dim: int, rng: np.random.Generator) -> KernelExpansion:
    """Draw F = Σ_m c_m K(·, x_m) with c_m ~ U[−1, 1] and x_m ~ N(0, I), as in the paper."""
    coefficients = rng.uniform(-1.0, 1.0, size=n_bumps)
    return KernelExpansion(kernel, rng.standard_normal((n_bumps, dim)), coefficients)


@final
@dataclass(frozen=True, slots=True)
class Synthetic(Environment):
    """f⁽ⁱ⁾ = Σ_m c_m K(·, x_m) with 500 bumps; x ~ N(0, Σ⁽ⁱ⁾) clipped to [−10, 10]; noise N(0, 10⁻⁴).

    The defaults are the paper's. `kernel` is that of the reward functions, and `noise` the distribution of the noise.
    With a `density` below 1, every feature of a context is set to 0 with probability 1 − density.
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
        variances = self.covariance.variances(self.n_arms, self.dim, rng)
        rewards = tuple(random_bumps(self.kernel, self.n_bumps, self.dim, rng) for _ in range(self.n_arms))
        return SyntheticInstance(rewards, np.sqrt(variances), self.noise_std, self.clip, self.noise, self.density)
