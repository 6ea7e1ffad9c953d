"""Kernels: a profile applied to a geometry, and sums, products and multiples of kernels."""

from kernelbandits.kernels.algebra import Combination, Product, Scaled, Shifted, Sum
from kernelbandits.kernels.base import Features, InnerProductKernel, Kernel, RadialKernel
from kernelbandits.kernels.expansion import KernelExpansion, StackedExpansions
from kernelbandits.kernels.geometry import Geometry, InnerProduct, MappedGeometry, Radial, Spherical
from kernelbandits.kernels.inner_product import Exponential, Linear, Polynomial, Schoenberg
from kernelbandits.kernels.radial import Gaussian, Laplace, Matern, Periodic, RationalQuadratic
