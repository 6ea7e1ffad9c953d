"""Functions in an RKHS, f(x) = Σ_m c_m K(x, x_m): reward functions, and the fits of kernel estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import sqrt
from operator import attrgetter
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels.base import Features, Kernel
from kernelbandits.linalg import Segments, pieces, segment_sums
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class KernelExpansion:
    """f(x) = Σ_m c_m K(x, x_m), with centres of shape (M, d) and coefficients of shape (M,).

    Attributes:
        kernel: the kernel K(x, z).
        centers: x_m, shape (M, d).
        coefficients: c_m, shape (M,).

    >>> f = KernelExpansion(Gaussian(), np.zeros((1, 2)), np.array([3.0]))
    >>> f(np.array([[0.0, 0.0], [1.0, 1.0]])).round(3), f.norm
    (array([3.   , 1.104]), 3.0)

    See also `Kernel`, `InnerProductKernel`, `RadialKernel`.
    """

    kernel: Kernel
    centers: Array
    coefficients: Array

    __repr__ = short_repr
    _repr_html_ = short_html
    _left: Features = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Kept, because f is evaluated often; copied if they are the caller's array, which may change.
        features = self.kernel.left(self.centers)
        own = tuple(part.copy() if np.may_share_memory(part, self.centers) else part for part in features)
        object.__setattr__(self, "_left", own)

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, centres and coefficients that do not fit each other."""
        m = len(self.coefficients)
        checks.refuse_misshapen(self, coefficients=(m,), centers=(m, None))
        wanted = [part.shape for part in self.kernel.left(self.centers)]
        checks.refuse_inconsistent(self, [part.shape for part in self._left] == wanted)

    def __call__(self, X: Array) -> Array:
        """The values f(x) for the rows of X, shape (n,). The block K(X, centres) is never held as a whole."""
        values = np.empty(len(X))
        for rows in pieces(len(X), width=max(self.centers.shape)):
            np.dot(self.coefficients, self.kernel.evaluate(self._left, self.kernel.right(X[rows])), out=values[rows])
        return values

    @property
    def norm(self) -> float:
        """‖f‖ in the RKHS, √(cᵀ K c)."""
        squared = float(self.coefficients @ self.kernel.gram(self.centers) @ self.coefficients)
        return sqrt(max(squared, 0.0))


def values_by_arm(functions: Sequence[Callable[[Array], Array]], contexts: Array) -> Array:
    """f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d), shape (K,) or (T, K); a function takes points (n, d)."""
    rounds = contexts.reshape(-1, *contexts.shape[-2:])
    values = np.empty(rounds.shape[:2])
    for arm, function in enumerate(functions):
        values[:, arm] = function(rounds[:, arm])
    return values.reshape(contexts.shape[:-1])


@final
class StackedExpansions:
    """One expansion per arm, all over one kernel, evaluated together at one context per arm.

    The features of all centres are kept. Arms may have different numbers of centres.
    """

    __slots__ = ("_coefficients", "_kernel", "_lefts", "_sizes", "_starts")
    _kernel: Kernel
    _sizes: list[int]
    _starts: list[int]
    _coefficients: Array
    _lefts: list[tuple[Array, ...] | list[Array]]

    def __init__(self, expansions: Sequence[KernelExpansion]) -> None:
        [self._kernel] = set(map(attrgetter("kernel"), expansions))
        features = (self._kernel.left(expansion.centers) for expansion in expansions)
        self._lefts = [*zip(*features, strict=True)]
        self._sizes = [len(expansion.coefficients) for expansion in expansions]
        if len({*self._sizes}) == 1:
            self._lefts = [[np.stack(left)] for left in self._lefts]
        self._coefficients = np.concatenate([expansion.coefficients for expansion in expansions])
        self._starts = [0, *accumulate(self._sizes[:-1])]

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, centres and coefficients that do not fit each other."""
        checks.refuse_misshapen(self, _coefficients=(sum(self._sizes),))
        checks.refuse_inconsistent(self, self._starts == [0, *accumulate(self._sizes[:-1])], min(self._sizes) >= 0)
        alike, n_arms = len({*self._sizes}) == 1, len(self._sizes)
        wanted = [(n_arms, self._sizes[0])] if alike else [(n,) for n in self._sizes]
        for left in self._lefts:
            checks.refuse_inconsistent(self, [part.shape[:-1] for part in left] == wanted)

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self._sizes)

    def __call__(self, contexts: Array) -> Array:
        """f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d), shape (K,)."""
        out = Segments(self._sizes)  # a new one for each call: several threads may call at once
        self._kernel.evaluate_each(self._lefts, self._kernel.right(contexts), out)
        out.values *= self._coefficients
        return segment_sums(out.values, self._starts)
