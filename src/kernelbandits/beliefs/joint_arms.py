"""One Gaussian process over all pairs of context and arm, with known kernel, arm covariance and noise level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_covariances import ArmCovariance, CommonFunction
from kernelbandits.beliefs.base import AffineTracker, Belief, Prefetched, Tracker, restated
from kernelbandits.beliefs.prefetched_posteriors import PrefetchedPosteriors
from kernelbandits.beliefs.reward_units import RewardUnits, Standardized
from kernelbandits.kernels import Combination, Geometry, Kernel, MappedGeometry
from kernelbandits.linalg import Segments
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess, Posterior
from kernelbandits.types import Array, IntArray

_ROUNDING = 1e-10


@final
@dataclass(frozen=True, slots=True)
class JointArms(Belief):
    """Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = B_ij K(x, z), noise of variance `model.ridge`: a reward informs about all related arms.

    `covariance` says what B is: `CommonFunction()`, `Exchangeable(weight)`, `GivenSimilarity(entries)` or
    `ArmFeatures(features, kernel)`. With `Exchangeable(0.0)` arms are independent, as in `IndependentArms`; there see
    `rewards`. Arms with one reward function, whose correlation is 1, have one level.

    Cost with N observations of all arms together: O(N² + N d) per reward, O(K (N² + N d)) per round; both as
    matrix–matrix work with prefetched contexts. That is about K times the cost of independent arms.

    Reference: Krause & Ong 2011; with a common function Valko et al. 2013.

    Attributes:
        model: kernel of contexts and noise variance, in the units that `rewards` says.
        covariance: B, how the arms are related; by default all have one reward function.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> belief = JointArms(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), Exchangeable(0.5), AsGiven())
    >>> tracker = belief.start(Problem(n_arms=2, dim=1))
    >>> tracker.observe(np.ones(1), arm=0, reward=4.0)
    >>> tracker.mean_and_std(np.ones((2, 1)))[0].round(3)  # arm 1 learns half as much from it
    array([2., 1.])

    See also `ArmCovariance`, `CommonFunction`, `Belief`, `BudgetedArms`.
    """

    model: GaussianProcess
    covariance: ArmCovariance = CommonFunction()
    rewards: RewardUnits = Standardized()

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        kernel = PairKernel(self.model.kernel, self.covariance.matrix(problem.n_arms))
        prior = GaussianProcess(kernel, self.model.ridge).without_data(problem.dim + 1)
        return self.rewards.start(JointTracker(kernel, prior, self.covariance), problem.n_arms)


@final
class JointTracker(AffineTracker):
    """Follows one posterior over pairs of context and arm.

    For `PrefetchedPosteriors`, a block of B rounds is one arm with B·K rounds.

    Attributes:
        posteriors: the posterior after all rewards so far, alone.
        covariance: how arms are related.

    """

    __slots__ = ("_kernel", "_n_arms", "_prefetched", "covariance", "posteriors")
    posteriors: list[Posterior]
    covariance: ArmCovariance
    _kernel: PairKernel
    _n_arms: int
    _prefetched: PrefetchedPosteriors | None

    def __init__(self, kernel: PairKernel, posterior: Posterior, covariance: ArmCovariance) -> None:
        """A posterior over this kernel, which was made with the matrix of `covariance`."""
        self.posteriors = [posterior]
        self.covariance = covariance
        self._kernel = kernel
        self._n_arms = len(kernel.covariance)
        self._prefetched = None

    def _validate(self) -> None:
        one, n_arms = len(self.posteriors) == 1, self._n_arms
        arms = self.posteriors[0].X[:, -1] if one else np.zeros(0)
        fit = bool(((arms >= 0.0) & (arms < n_arms) & (arms == np.floor(arms))).all())
        checks.refuse_inconsistent(self, one, n_arms == len(self._kernel.covariance), fit)

    @property
    def functions(self) -> IntArray:
        return same_functions(self._kernel.covariance)

    def _size(self) -> tuple[int, int]:
        return self._n_arms, self.posteriors[0].dim - 1

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        prefetched = self._prefetched
        if prefetched is None or contexts is not prefetched.block.shown:
            return self.posteriors[0].mean_and_std(pairs(contexts))
        prefetched.start = prefetched.block.row * self._n_arms
        columns = slice(prefetched.start, prefetched.start + self._n_arms)
        return prefetched.mean[0, columns].copy(), np.sqrt(np.maximum(prefetched.variance[0, columns], 0.0))

    def observe(self, context: Array, arm: int, reward: float) -> None:
        posterior, prefetched, pair = self.posteriors[0], self._prefetched, np.append(context, float(arm))
        if prefetched is None or (row := prefetched.block.row_with(context, arm)) is None:
            outlook = posterior.at(pair)
        else:
            outlook = prefetched.outlook(0, row * self._n_arms + arm)
        self.posteriors[0] = posterior = posterior._extend(pair, reward, outlook)
        if prefetched is not None:
            # Not `within`: covariances within the block would be computed for all K arms, and one of them is used.
            prefetched.observe(posterior, 0, prefetched.outside(posterior, 0))

    def restate(self, shifts: Array, factor: float) -> None:
        posterior = self.posteriors[0]
        if posterior.n:
            arms = posterior.X[:, -1].astype(np.int64)
            self.posteriors = [restated(posterior, shifts[arms], factor)]
        if self._prefetched is not None:
            self._prefetched.restate(self.posteriors)

    def prefetch(self, block: Prefetched | None) -> None:
        last, self._prefetched = self._prefetched, None
        if block is not None:
            rounds = pairs(block.contexts)
            rounds = rounds.reshape(-1, 1, rounds.shape[-1])
            self._prefetched = PrefetchedPosteriors(self.posteriors, block, rounds, last)

    def add_arm(self, problem: Problem) -> None:
        """The posterior stays, and its kernel covers one more arm."""
        self._kernel = PairKernel(self._kernel.kernel, self.covariance.matrix(problem.n_arms))
        self.posteriors = [replace(self.posteriors[0], kernel=self._kernel)]
        self._n_arms = problem.n_arms
        self.prefetch(None)


def same_functions(B: Array) -> IntArray:
    """The first arm with the reward function of each arm, shape (K,): Var(f⁽ⁱ⁾ − f⁽ʲ⁾) ∝ B_ii + B_jj − 2 B_ij = 0."""
    variances = B.diagonal()
    sums = variances[:, np.newaxis] + variances
    first: IntArray = (sums - 2.0 * B <= _ROUNDING * sums).argmax(axis=1)
    return first


def pairs(contexts: Array) -> Array:
    """Append the number of the arm to the context of each arm: from shape (…, K, d) to (…, K, d + 1)."""
    *before, n_arms, dim = contexts.shape
    rows = np.empty((*before, n_arms, dim + 1))
    rows[..., :dim] = contexts
    rows[..., dim] = np.arange(n_arms)
    return rows


def pairs_of(arms: list[int], contexts: list[Array]) -> Array:
    """Contexts given arm by arm, arrays of shape (n, d), each with its arm's number, as one array (N, d + 1)."""
    numbers = np.repeat(np.array(arms, dtype=np.float64), [len(X) for X in contexts])
    return np.column_stack([np.concatenate(contexts), numbers])


@final
class PairKernel(Combination):
    """K((x, i), (z, j)) = B_ij K(x, z) for points made by `pairs`; `covariance` is B, shape (K, K).

    It holds an array, so it is not a spec: beliefs make it from specs.
    """

    __slots__ = ("_geometries", "covariance", "kernel")
    kernel: Kernel
    covariance: Array
    _geometries: tuple[Geometry, ...]

    def __init__(self, kernel: Kernel, covariance: Array) -> None:
        self.kernel = kernel
        self.covariance = covariance
        self._geometries = (*map(_Contexts, kernel.geometries), _Arms(covariance))

    def _validate(self) -> None:
        n_arms, (*_, last) = len(self.covariance), (None, *self._geometries)
        checks.refuse_misshapen(self, covariance=(n_arms, n_arms))
        fit = isinstance(last, _Arms) and last.n_arms == n_arms
        checks.refuse_inconsistent(self, fit, len(self._geometries) == len(self.kernel.geometries) + 1)

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self.kernel._values(t[:-1], order)
        values *= t[-1]
        return values


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Contexts(MappedGeometry):
    """A geometry of the contexts in pairs."""

    mapped: Geometry

    def _map(self, X: Array) -> Array:
        return X[:, :-1]

    def diagonal(self, X: Array) -> Array:
        return self.mapped.diagonal(X[:, :-1])


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Arms(Geometry):
    """t = B_ij for the arms i and j in pairs. The features are the numbers of the arms, shape (n, 1)."""

    stationary = False
    _covariance: Array

    def _validate(self) -> None:
        checks.refuse_misshapen(self, _covariance=(self.n_arms, self.n_arms))

    @property
    def n_arms(self) -> int:
        """Number of arms, K."""
        return len(self._covariance)

    def left(self, X: Array, out: Array | None = None) -> Array:
        if out is None:
            return X[:, -1:]
        out[:] = X[:, -1:]
        return out

    def right(self, Z: Array) -> Array:
        return Z[:, -1:]

    def evaluate(self, left: Array, right: Array) -> Array:
        return self._covariance[_numbers(left)][:, _numbers(right)]

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        rows = np.concatenate([left.ravel() for left in lefts]).astype(np.int64)
        out.values[:] = self._covariance[rows, _numbers(right).repeat(out.sizes)]

    def diagonal(self, X: Array) -> Array:
        return self._covariance.diagonal()[_numbers(X[:, -1:])]


def _numbers(features: Array) -> IntArray:
    return features[:, 0].astype(np.int64)
