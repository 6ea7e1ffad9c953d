"""Finitely many features of contexts that stand for a kernel: linear ones first, then those of some contexts."""

from __future__ import annotations

from math import sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.anchored_kernels import height
from kernelbandits.beliefs.evidence import Components
from kernelbandits.linalg import EPS, greedy_pivots
from kernelbandits.types import Array, IntArray

_LINEAR = 2.0 / 3.0  # the share of features that may be linear, unless contexts have more features
_LOST = 1e4 * EPS  # eigenvalues that rounding makes, relative to the size of the kernel


@final
class KernelFeatures:
    """φ(x) ∈ R^r with φ(x)ᵀφ(z) ≈ K(x, z), an `AnchoredKernel`: a Nyström approximation that begins linearly.

    Value and gradient of a function at the origin of the units are exact: their features are √(size · common) a and
    −√(size · 2γ/p) h′(s) u with a = h(s) and s = γ ‖u‖²/p, for a small γ all linear functions. If the coordinates u are
    too many, the gradient is so along their principal directions. For the rest K′ of the kernel, contexts Z are the
    centres, each the one that those before it explain least: with K′(Z, Z) = U Λ Uᵀ the features are Λ^(−1/2) Uᵀ K′(Z,
    x).

    In high dimension most of a kernel is linear (the paper's reason why interpolation works), and centres alone would
    need many times d of them for that part. References: Williams & Seeger 2001; derivatives among what a sketch is
    conditioned on, Lázaro-Gredilla & Figueiras-Vidal 2009.
    """

    _components: Components
    _centers: Array
    _squares: Array
    _center_base: Array
    _whitening: Array
    _directions: Array | None = None  # which earlier files lack
    n: int

    def __init__(self, components: Components, contexts: Array, most: int) -> None:
        """At most `most` features, but more than d + 1; centres are among the rows of `contexts`."""
        self._components = components
        U = components.units._map(contexts)
        n_linear = max(components.units.dim, int(_LINEAR * most))
        self._directions = _principal(U, n_linear) if U.shape[1] > n_linear else None
        base = self._base(U)
        squares = np.vecdot(U, U)

        def rows_of(rows: IntArray) -> Array:
            return self._values(U[rows], squares[rows], U, squares) - base[rows] @ base.T

        n_centers = max(1, most - base.shape[1])
        pivots = greedy_pivots(np.maximum(self._variances(U) - np.vecdot(base, base), 0.0), rows_of, n_centers)
        self._centers, self._squares, self._center_base = U[pivots], squares[pivots], base[pivots]
        values, vectors = np.linalg.eigh(rows_of(pivots)[:, pivots])
        kept = values > _LOST * components.size
        self._whitening = np.ascontiguousarray(vectors[:, kept] / np.sqrt(values[kept]))
        self.n = 1 + base.shape[1] + self._whitening.shape[1]

    def _validate(self) -> None:
        m, p = len(self._centers), len(self._components.units.origin)
        n_linear = p if self._directions is None else self._directions.shape[-1]
        checks.refuse_misshapen(
            self, _centers=(m, p), _squares=(m,), _center_base=(m, 1 + n_linear), _whitening=(m, None)
        )
        if self._directions is not None:
            checks.refuse_misshapen(self, _directions=(p, n_linear))
        checks.refuse_inconsistent(self, self.n == 2 + n_linear + self._whitening.shape[1])

    @property
    def dim(self) -> int:
        """Number of features of contexts, d."""
        return self._components.units.dim

    def variances(self, contexts: Array) -> Array:
        """K(x, x) at the rows of `contexts`, shape (m,)."""
        return self._variances(self._components.units._map(contexts))

    def _variances(self, U: Array) -> Array:
        components = self._components
        s = components.gamma / U.shape[1] * np.vecdot(U, U)
        own = -s * (2.0 + s) / (1.0 + s) ** 2 if components.rational else np.expm1(-2.0 * s)  # a² − 1
        variances: Array = components.size * (components.common - (1.0 - components.common) * own)
        return variances

    def _values(self, U: Array, u: Array, V: Array, v: Array) -> Array:
        """K between points with coordinates U and V, whose squared norms are u and v; shape (n, m)."""
        components, factor = self._components, self._components.gamma / U.shape[1]
        values = U @ V.T
        values *= 2.0
        values -= u[:, np.newaxis]
        values -= v
        np.minimum(values, 0.0, out=values)
        if components.rational:
            values *= -factor
            values += 1.0
            np.reciprocal(values, out=values)
        else:
            values *= factor
            np.exp(values, out=values)
        left, right = height(factor * u, rational=components.rational), height(factor * v, rational=components.rational)
        values -= (1.0 - components.common) * np.outer(left, right)
        values *= components.size
        return values

    def _base(self, U: Array) -> Array:
        """Features of value and gradient at the origin, shape (m, 1 + the number of directions)."""
        components, factor = self._components, self._components.gamma / U.shape[1]
        heights = height(factor * np.vecdot(U, U), rational=components.rational)
        slopes = heights * heights if components.rational else heights  # −h′
        linear = U if self._directions is None else U @ self._directions
        base = np.empty((len(U), 1 + linear.shape[1]))
        base[:, 0] = sqrt(components.common * components.size) * heights
        np.multiply(slopes[:, np.newaxis], sqrt(2.0 * factor * components.size) * linear, out=base[:, 1:])
        return base

    def of(self, contexts: Array) -> Array:
        """1 and φ at the rows of `contexts`, shape (m, n)."""
        U = self._components.units._map(contexts)
        base = self._base(U)
        stop = 1 + base.shape[1]
        psi = np.empty((len(U), self.n))
        psi[:, 0] = 1.0
        psi[:, 1:stop] = base
        rest = self._values(U, np.vecdot(U, U), self._centers, self._squares)
        rest -= base @ self._center_base.T
        np.matmul(rest, self._whitening, out=psi[:, stop:])
        return psi


def _principal(U: Array, most: int) -> Array:
    """The principal directions of some rows of U, shape (p, at most `most`): as columns, orthogonal and of length 1."""
    some = U[:: -(-len(U) // (2 * most))]
    values, vectors = np.linalg.eigh(some @ some.T)
    kept = np.flatnonzero(values > _LOST * values[-1])[-most:]
    directions: Array = np.ascontiguousarray(some.T @ (vectors[:, kept] / np.sqrt(values[kept])))
    return directions
