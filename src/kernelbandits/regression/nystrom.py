"""Nyström approximation: kernel ridge regression over the span of M centres, for data of any length."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import memory as room, pieces, rows_at_once, worthwhile_threads
from kernelbandits.regression.base import Estimator, ExpansionPredictor
from kernelbandits.regression.centers import Centers, UniformCenters
from kernelbandits.regression.normal_equations import Basis, NormalEquations, rows_of_block, sums
from kernelbandits.regression.whitened import Solution, solve_whitened
from kernelbandits.specs import Count, CountFromZero, NonNegative
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True)
class NystromHealth:
    """What happened in a Nyström fit.

    Attributes:
        n: rows of data.
        n_centers: centres that were selected.
        n_used: centres that the others do not span; the rest was left out, with the same span.
        cutoff: what the others had to leave of a centre (its squared distance in the RKHS) for it to be used.
        condition: condition number of K_MM at the centres used, an estimate.
        rank: directions that the solve used; less than n_used where the data say nothing about some and ridge is 0.
        residual: root mean square of y − f̂(x) over the data, relative to that of y.

    """

    n: int
    n_centers: int
    n_used: int
    cutoff: float
    condition: float
    rank: int
    residual: float

    def __str__(self) -> str:
        text = f"{self.n} rows, {self.n_used} centres, condition {self.condition:.1e}, residual {self.residual:.1e}"
        if self.n_used < self.n_centers:
            text += f", {self.n_centers - self.n_used} centres left out (spanned by the others up to {self.cutoff:.1e})"
        if self.rank < self.n_used:
            text += f", rank {self.rank}"
        return text


@final
@dataclass(frozen=True, slots=True, eq=False)
class NystromPredictor(ExpansionPredictor):
    """f̂ = Σ_j a_j K(·, c_j) over the centres, with the variance of the DTC approximation.

    var(z) = K(z, z) − ‖v‖² + ridge · vᵀ (G + ridge·I)⁻¹ v with v = R⁻ᵀ K(centres, z), G = Σ v(x) v(x)ᵀ over the data:
    what the centres do not see of z stays as uncertain as it was before.
    """

    function: KernelExpansion
    basis: Basis
    solution: Solution
    ridge: float
    health: NystromHealth

    @property
    def centers(self) -> Array:
        """The centres used, shape (r, d)."""
        return self.function.centers

    @property
    def norm(self) -> float:
        """RKHS norm of f̂."""
        return float(np.linalg.norm(self.solution.b))

    def std(self, Z: ArrayLike) -> Array:
        """Standard deviation of f at the rows of Z, shape (m,); the noise of a new reward is not in it."""
        return self.mean_and_std(checks.points("Z", Z, dim=self.dim))[1]

    def mean_and_std(self, Z: Array) -> tuple[Array, Array]:
        """Both at once for an array that was checked already."""
        kernel, variance = self.basis.kernel, self.basis.kernel.diagonal(Z)
        right = kernel.right(self.basis.centers)
        for rows in pieces(len(Z), rows_at_once(self.basis.size)):
            V = self.basis.whiten(kernel.evaluate(kernel.left(Z[rows]), right))
            variance[rows] += self.solution.variance(V) - np.einsum("ij,ij->j", V, V)
        return self._mean(Z), np.sqrt(np.maximum(variance, 0.0))


@final
@dataclass(frozen=True, slots=True)
class Nystrom(Estimator[NystromPredictor]):
    """argmin Σ (y_i − f(x_i))² + ridge ‖f‖² over f in the span of M centres: (K_MN K_NM + ridge K_MM) a = K_MN y.

    With all rows as centres it is `KernelRidge`; ridge = 0 is least squares, of minimum norm where that is not unique.
    O(N M (M + d)) time and O(M² + block) memory for N rows; only the centres are kept. `seed` is where the chance in
    choosing centres comes from, so that a fit can be repeated.

    >>> fit = Nystrom(Gaussian(), ridge=1e-3, n_centers=20).fit(np.linspace(0, 3, 500)[:, None], np.ones(500))
    >>> fit.mean([[1.5]]).round(3)
    array([1.])
    """

    kernel: Kernel
    ridge: NonNegative = 1.0
    n_centers: Count = 1000
    centers: Centers = UniformCenters()
    seed: CountFromZero = 0

    def _fit(self, X: Array, y: Array) -> NystromPredictor:
        n, d = X.shape
        room.require(self.memory(n, d), f"a Nyström fit with {min(self.n_centers, n)} centres", "use fewer centres")
        return self.solve(sums(self.basis(X), [(X, y)]))

    def memory(self, n: int, d: int) -> float:
        """Bytes that a fit to n rows with d features holds: two matrices of M², two blocks, features of the centres."""
        m = min(self.n_centers, n)
        return 8.0 * (2 * m**2 + 2 * m * min(n, rows_of_block(m)) + 3 * m * d)

    def basis(self, X: Array) -> Basis:
        """The centres chosen among the rows of X, which were checked already, and their factor."""
        centers = self.centers.select(self.kernel, X, self.n_centers, self._rng())
        with worthwhile_threads(len(centers)):
            return Basis.of(self.kernel, centers)

    def solve(self, equations: NormalEquations) -> NystromPredictor:
        """The fit from the sums over its data, which are used up."""
        basis = equations.basis
        with worthwhile_threads(basis.size):
            G, g = equations.whitened()
            solution = solve_whitened(G, g, self.ridge)
        health = NystromHealth(
            equations.n,
            basis.n_given,
            basis.size,
            basis.cutoff,
            basis.condition,
            solution.rank,
            _residual(equations.square, solution.b, g, self.ridge),
        )
        function = KernelExpansion(self.kernel, basis.centers, basis.coefficients(solution.b))
        return NystromPredictor(function, basis, solution, self.ridge, health)

    def without_data(self, dim: int) -> NystromPredictor:
        basis = Basis.of(self.kernel, np.eye(1, dim))  # a centre of weight 0; every kernel accepts a unit vector
        return self.solve(NormalEquations(basis))

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def _residual(square: float, b: Array, g: Array, ridge: float) -> float:
    """√(Σ (y − f̂)² / Σ y²): with (G + ridge·I) b = g the sum is Σ y² − bᵀ g − ridge ‖b‖²."""
    left = square - float(b @ g) - ridge * float(b @ b)
    return sqrt(max(left, 0.0) / square) if square else 0.0
