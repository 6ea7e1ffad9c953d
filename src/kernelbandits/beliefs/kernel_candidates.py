"""The kernels that an estimated belief chooses from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel, Radial
from kernelbandits.types import Array

BANDWIDTHS = (4.0, 1.0, 0.25, 0.0625)
"""With m = 4 two typical contexts are nearly uncorrelated, with m = 1/16 functions are nearly linear."""

_ENOUGH = 300


def refuse_no_candidate(owner: str, bandwidths: Sequence[float], kernels: Sequence[Kernel]) -> None:
    """Raise if there is neither a bandwidth nor a kernel."""
    if not bandwidths and not kernels:
        raise InvalidArgument(f"{owner}: bandwidths or kernels must have at least one entry; both are empty")


def candidates(bandwidths: Sequence[float], kernels: Sequence[Kernel], contexts: Sequence[Array]) -> list[Kernel]:
    """exp(−m t/t̄) for each m in `bandwidths`, t = ‖x − z‖²/d with median t̄, then `kernels`.

    Contexts are given arm by arm, arrays of shape (n, d). Their unit does not matter.
    """
    typical = _typical_distance(contexts) if bandwidths else 1.0
    return [*(Gaussian(multiple / typical) for multiple in bandwidths), *kernels]


def _typical_distance(contexts: Sequence[Array]) -> float:
    """The median of t(x, z) over pairs of different contexts, of a sample if they are many; 1 if there are none."""
    X, geometry = np.concatenate(contexts), Radial()
    X = X[:: -(-len(X) // _ENOUGH)]
    t = geometry.evaluate(geometry.left(X), geometry.right(X))
    positive = t[t > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0
