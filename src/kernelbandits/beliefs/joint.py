"""One Gaussian process over all pairs of context and arm, with a kernel, arm covariance and noise that are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits.beliefs.arm_covariances import ArmCovariance, CommonFunction
from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.lookahead import Lookahead
from kernelbandits.beliefs.pairs import PairKernel, pair, pairs
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess, Posterior
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class JointArms(Belief):
    """Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = B_ij K(x, z), noise of variance `model.ridge`: a reward tells about every arm alike.

    `covariance` says what B is: `CommonFunction()`, `Exchangeable(weight)`, `GivenSimilarity(entries)` or
    `ArmFeatures(features, kernel)`. With `Exchangeable(0.0)` arms are independent, as in `IndependentArms`.

    Cost with N observations of all arms together: O(N² + N d) a reward, O(K (N² + N d)) a question; both as
    matrix–matrix work with prefetched contexts. So it costs about K times what independent arms do.

    Reference: Krause & Ong 2011; with a common function Valko et al. 2013.

    >>> belief = JointArms(GaussianProcess(Gaussian(gamma=4.0), ridge=0.01), CommonFunction())
    >>> agent = CalibratedUCB(belief).start(Problem(n_arms=3, dim=50), rng=0)
    """

    model: GaussianProcess
    covariance: ArmCovariance = CommonFunction()

    def start(self, problem: Problem) -> JointTracker:
        kernel = PairKernel(self.model.kernel, self.covariance.matrix(problem.n_arms))
        return JointTracker(
            kernel, GaussianProcess(kernel, self.model.ridge).without_data(problem.dim + 1), self.covariance
        )


@final
class JointTracker(Tracker):
    """Follows one posterior over pairs of context and arm.

    A block of contexts that are ahead is to `Lookahead` one arm with K times as many rounds.

    Attributes:
        posterior: what is known now, over a `PairKernel`.

    """

    __slots__ = ("_ahead", "_covariance", "_kernel", "_n_arms", "_next_row", "posterior")

    def __init__(self, kernel: PairKernel, posterior: Posterior, covariance: ArmCovariance) -> None:
        """A posterior over this kernel, which was made with the matrix of `covariance`."""
        self.posterior = posterior
        self._kernel = kernel
        self._covariance = covariance
        self._n_arms = len(kernel.covariance)
        self._ahead: Lookahead | None = None
        self._next_row = 0

    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        if row is None or self._ahead is None:
            return self.posterior._mean_and_std(pairs(contexts))
        self._next_row = row + 1
        places = slice(row * self._n_arms, (row + 1) * self._n_arms)
        variance = self._ahead.variance[0, places]
        return self._ahead.mean[0, places].copy(), np.sqrt(np.maximum(variance, 0.0))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        if row is None or self._ahead is None:
            x = pair(context, arm)
            self.posterior = self.posterior._extend(x, reward, self.posterior.at(x))
        else:
            self.posterior = self._ahead.absorb(self.posterior, 0, row * self._n_arms + arm, reward)
        if self._ahead is not None:
            # The round just decided is kept current too: its reward may come after other rewards, or twice. Its row is
            # not told: covariances within the block would then be made for all K arms, and one of them is used.
            self._ahead.update(self.posterior, 0, None, start=self._n_arms * max(self._next_row - 1, 0))

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = None if contexts is None else Lookahead([self.posterior], _one_arm(pairs(contexts)), self._ahead)
        self._next_row = 0

    def add_arm(self) -> None:
        """Of the new arm is known what the others tell: the process over pairs stays, its kernel covers one more."""
        self._kernel = PairKernel(self._kernel.kernel, self._covariance.matrix(self._n_arms + 1))
        self.posterior = replace(self.posterior, kernel=self._kernel)
        self._n_arms += 1
        self.look_ahead(None)


def _one_arm(block: Array) -> Array:
    """Pairs of shape (B, K, d + 1) one after the other, as the rounds of a single arm: (B K, 1, d + 1)."""
    return block.reshape(-1, 1, block.shape[-1])
