"""What a kernel is: a profile h after a geometry, K(x, z) = h(t(x, z))."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kernelbandits import checks
from kernelbandits.kernels.geometry import Geometry, InnerProduct, Radial
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.kernels.algebra import Product, Scaled, Sum


class Kernel(Spec, ABC):
    """A positive definite function on R^d. `kernel(X, Z)` is the Gram block; `+`, `*` combine kernels.

    The scaling by the dimension belongs to the kernel: no caller divides by d.
    """

    __slots__ = ()

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Array:
        """The Gram block K(X, Z), shape (n, m); with one argument K(X, X), symmetric, exact on the diagonal."""
        left = checks.points("X", X)
        if Z is None or Z is X:
            return self.gram(left)
        return self.block(left, checks.points("Z", Z, dim=left.shape[1]))

    @abstractmethod
    def block(self, X: Array, Z: Array) -> Array:
        """K(X, Z) for arrays that were checked already, shape (n, m)."""

    @abstractmethod
    def gram(self, X: Array) -> Array:
        """K(X, X) for an array that was checked already, shape (n, n)."""

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """K(x, x) for every row, shape (n,), without the rest of the Gram matrix."""

    @property
    @abstractmethod
    def geometry(self) -> Geometry | None:
        """What the profile is applied to; None where no single one exists (a radial plus an inner-product kernel)."""

    @abstractmethod
    def profile(self, t: Array, order: int = 0) -> Array:
        """h(t), or its derivative of the given order (0, 1, 2), elementwise."""

    def __add__(self, other: Kernel) -> Sum:
        """The kernel K₁ + K₂."""
        from kernelbandits.kernels.algebra import Sum

        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        """The kernel K₁ K₂, or a positive multiple of a kernel."""
        from kernelbandits.kernels.algebra import Product, Scaled

        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    __rmul__ = __mul__


class ProfileKernel(Kernel):
    """A kernel that writes only its profile; Gram blocks follow from the geometry."""

    __slots__ = ()

    def block(self, X: Array, Z: Array) -> Array:
        return self.profile(self._geometry().block(X, Z))

    def gram(self, X: Array) -> Array:
        return self.profile(self._geometry().symmetric(X))

    def diagonal(self, X: Array) -> Array:
        return self.profile(self._geometry().diagonal(X))

    @property
    def geometry(self) -> Geometry:
        return self._geometry()

    @abstractmethod
    def _geometry(self) -> Geometry: ...


class RadialKernel(ProfileKernel):
    """K(x, z) = h(‖x − z‖² / d): the paper's RBF class."""

    __slots__ = ()

    def _geometry(self) -> Geometry:
        return Radial()


class InnerProductKernel(ProfileKernel):
    """K(x, z) = h(⟨x, z⟩ / d): the paper's inner-product class."""

    __slots__ = ()

    def _geometry(self) -> Geometry:
        return InnerProduct()
