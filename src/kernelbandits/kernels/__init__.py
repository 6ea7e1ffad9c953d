"""Kernels: a profile applied to a geometry, and sums, products and multiples of kernels."""

from kernelbandits.kernels.algebra import Combination, Product, Scaled, Shifted, Sum
from kernelbandits.kernels.base import Features, InnerProductKernel, Kernel, RadialKernel
from kernelbandits.kernels.expansion import KernelExpansion, StackedExpansions, values_by_arm
from kernelbandits.kernels.geometry import Geometry, InnerProduct, MappedGeometry, Radial
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
from kernelbandits.kernels.schoenberg import Schoenberg, Spherical
