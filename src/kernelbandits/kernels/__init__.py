"""Kernels: a profile applied to a geometry, and sums, products and multiples of kernels."""

from kernelbandits.kernels.base import Combination, Features, Kernel, Product, Scaled, Shifted, Sum
from kernelbandits.kernels.distance import Radial
from kernelbandits.kernels.expansion import KernelExpansion, StackedExpansions
from kernelbandits.kernels.geometry import Geometry, InnerProduct, MappedGeometry, Spherical
from kernelbandits.kernels.profile_kernels import InnerProductKernel, RadialKernel, Schoenberg
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
