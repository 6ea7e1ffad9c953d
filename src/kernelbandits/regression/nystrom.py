"""Nyström approximation: kernel ridge regression over the span of M centres, for data of any length."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import final

import numpy as np

from kernelbandits import linalg
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.regression.base import Cost, Estimator, FitReport, UncertainPredictor
from kernelbandits.regression.centers import Centers, UniformCenters
from kernelbandits.regression.dual import ExpansionPredictor
from kernelbandits.regression.normal_equations import Basis, NormalEquations, rows_of_block
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Count, CountFromZero, NonNegative
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class NystromPredictor(ExpansionPredictor, UncertainPredictor):
    """f̂ = Σ_j a_j K(·, c_j) over the centres, with the variance of the DTC approximation.

    var(z) = K(z, z) − ‖v‖² + ridge · vᵀ (G + ridge·I)⁻¹ v with v = R⁻ᵀ K(centres, z), G = Σ v(x) v(x)ᵀ over the data.
    The part of z outside the span of the centres keeps its prior variance.

    Attributes:
        expansion: f̂, with the r centres used, shape (r, d), and weights of shape (r,); r does not grow with the data.
        basis: orthonormal functions of the span of the centres.
        solution: the fit in that basis.
        report: how the fit went.

    >>> fit = Nystrom(Gaussian(), 0.1, n_centers=2).fit(np.zeros((3, 1)), np.ones(3))
    >>> fit.std([[0.0], [9.0]]).round(2)  # at the data, and far from all centres
    array([0.18, 1.  ])

    See also `Estimator`, `Posterior`, `FitReport`, `DualPredictor`.
    """

    expansion: KernelExpansion = field()  # without `field` the abstract property of the base class is the default
    basis: Basis
    solution: linalg.RidgeSolution
    report: FitReport = field()

    __repr__ = short_repr
    _repr_html_ = short_html

    @property
    def centers(self) -> Array:
        """The centres used, shape (r, d)."""
        return self.expansion.centers

    @property
    def norm(self) -> float:
        """RKHS norm of f̂."""
        return float(np.linalg.norm(self.solution.b))

    def _mean_and_std(self, Z: Array) -> tuple[Array, Array]:
        kernel, variance = self.basis.kernel, self.basis.kernel.diagonal(Z)
        right = kernel.right(self.basis.centers)
        for rows in linalg.pieces(len(Z), width=self.basis.size):
            V = self.basis.whiten(kernel.evaluate(kernel.left(Z[rows]), right))
            variance[rows] += self.solution.variance(V) - np.einsum("ij,ij->j", V, V)
        return self._mean(Z), np.sqrt(np.maximum(variance, 0.0))


@final
@dataclass(frozen=True, slots=True)
class Nystrom(Estimator[NystromPredictor]):
    """argmin Σ (y_i − f(x_i))² + ridge ‖f‖² over f in the span of M centres: (K_MN K_NM + ridge K_MM) a = K_MN y.

    With all rows as centres it is `KernelRidge`; ridge = 0 is least squares, of minimum norm if that is not unique.
    Takes O(N M (M + d)) time and O(M² + block) memory for N rows; only the centres are kept.

    Attributes:
        kernel: the kernel K(x, z).
        ridge: weight of ‖f‖² against the squared errors, the same as in `KernelRidge`; the paper's λ².
        n_centers: M, the largest number of centres; all rows if there are fewer, less any that the others span.
        centers: how centres are chosen.
        seed: seeds the choice of centres.

    >>> fit = Nystrom(Gaussian(), ridge=1e-3, n_centers=20).fit(np.linspace(0, 3, 500)[:, None], np.ones(500))
    >>> fit.mean([[1.5]]).round(3)
    array([1.])

    See also `Estimator`, `GaussianProcess`, `ConjugateGradient`, `GradientDescent`.
    """

    kernel: Kernel
    ridge: NonNegative = 1.0
    n_centers: Count = 1000
    centers: Centers = UniformCenters()
    seed: CountFromZero = 0

    def _fit(self, X: Array, y: Array) -> NystromPredictor:
        what = f"a Nyström fit with {min(self.n_centers, len(X))} centres"
        linalg.require_memory(self.cost(*X.shape).bytes, what, "use fewer centres")
        equations = NormalEquations(self.basis(X))
        equations.add(X, y)
        return self.solve(equations)

    def cost(self, n: int, d: int) -> Cost:
        m = min(self.n_centers, n)
        size = 8.0 * (2 * m**2 + 2 * m * min(n, rows_of_block(m)) + 3 * m * d)  # two M × M, two blocks, features
        return Cost(n * m * (2 * (d + 2) + m) + 5 * m**3 / 3, n * m, size)

    def basis(self, X: Array) -> Basis:
        """The basis of the centres chosen among the rows of X, without checks."""
        centers = self.centers.select(self.kernel, X, self.n_centers, np.random.default_rng(self.seed))
        with linalg.worthwhile_threads(len(centers)):
            return Basis.of(self.kernel, centers)

    def solve(self, equations: NormalEquations) -> NystromPredictor:
        """The fit from the sums over its data, which are overwritten."""
        basis, sums = equations.basis, equations.sums
        with linalg.worthwhile_threads(basis.size):
            G, g = equations.whitened()
            solution = linalg.solve_ridge_system(G, g, self.ridge)
        b, left_out = solution.b, basis.n_given - basis.size
        # Σ (y − f̂)² = Σ y² − bᵀ g − ridge ‖b‖², because (G + ridge·I) b = g.
        left = sums.square - float(b @ g) - self.ridge * float(b @ b)
        report = FitReport(
            n=sums.n,
            method=f"Nyström with {basis.size} centres",
            size=basis.size,
            rank=solution.rank,
            residual=sqrt(max(left, 0.0) / sums.square) if sums.square else 0.0,
            condition=basis.condition,
            cutoff=basis.cutoff if left_out else 0.0,
            left_out=left_out,
        )
        function = KernelExpansion(self.kernel, basis.centers, basis.coefficients(b))
        return NystromPredictor(function, basis, solution, report)

    def without_data(self, dim: int) -> NystromPredictor:
        center = np.eye(1, dim)  # of weight 0; every kernel accepts a unit vector
        return self.solve(NormalEquations(Basis.of(self.kernel, center)))
