"""Kernels: a profile applied to a geometry, and sums, products and multiples of kernels."""

from kernelbandits.kernels.base import Combination, Features, Kernel, Product, Scaled, Shifted, Sum
from kernelbandits.kernels.expansion import KernelExpansion, StackedExpansions
from kernelbandits.kernels.geometry import Geometry, InnerProduct, MappedGeometry, Radial
from kernelbandits.kernels.profile_kernels import InnerProductKernel, RadialKernel, Schoenberg, Spherical
from kernelbandits.kernels.profiles import (
    Exponential,
    Gaussian,
    Laplace,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
)
