"""Kernels by profile: two classes, and their sums, products and multiples."""

from kernelbandits.kernels.algebra import Product, Scaled, Shifted, Sum
from kernelbandits.kernels.base import InnerProductKernel, Kernel, RadialKernel
from kernelbandits.kernels.expansion import KernelExpansion, StackedExpansions
from kernelbandits.kernels.inner_product import Exponential, Linear, Polynomial, Schoenberg
from kernelbandits.kernels.periodic import Periodic
from kernelbandits.kernels.radial import Gaussian, Laplace, Matern, RationalQuadratic

__all__ = [
    "Exponential",
    "Gaussian",
    "InnerProductKernel",
    "Kernel",
    "KernelExpansion",
    "Laplace",
    "Linear",
    "Matern",
    "Periodic",
    "Polynomial",
    "Product",
    "RadialKernel",
    "RationalQuadratic",
    "Scaled",
    "Schoenberg",
    "Shifted",
    "StackedExpansions",
    "Sum",
]
