"""Products K v with a kernel matrix that is not held: panel by panel, each for both of its places in K."""

from __future__ import annotations

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import pieces
from kernelbandits.types import Array

PANEL = 512


class KernelProduct:
    """v ↦ K(X, X) v + ridge · v for one set of points, in O(N² d) time and O(N d) memory beside the kept panels.

    K is symmetric, so a panel below the diagonal is made once and used twice. The first panels, as many as fit into
    `memory` bytes, are kept and not made again in the next product.
    """

    def __init__(self, kernel: Kernel, X: Array, ridge: float, memory: float) -> None:
        self._kernel, self._ridge = kernel, ridge
        self._left, self._right = kernel.left(X), kernel.right(X)
        self._diagonal = kernel.diagonal(X)
        self._slices = list(pieces(len(X), PANEL))
        self._room = memory
        self._kept: dict[tuple[int, int], Array] = {}

    def __call__(self, v: Array) -> Array:
        """The product, shape (N,)."""
        total: Array = self._ridge * v
        for i, rows in enumerate(self._slices):
            for j in range(i):
                columns = self._slices[j]
                K = self._panel(i, j)
                total[rows] += K @ v[columns]
                total[columns] += v[rows] @ K
            total[rows] += self._panel(i, i) @ v[rows]
        return total

    def _panel(self, i: int, j: int) -> Array:
        kept = self._kept.get((i, j))
        if kept is not None:
            return kept
        rows, columns = self._slices[i], self._slices[j]
        K = self._kernel.evaluate(tuple(f[rows] for f in self._left), tuple(f[columns] for f in self._right))
        if i == j:
            np.fill_diagonal(K, self._diagonal[rows])
        if K.nbytes <= self._room:
            self._room -= K.nbytes
            self._kept[i, j] = K
        return K


POWER_ITERATIONS = 20


def largest_eigenvalue(product: KernelProduct, n: int, rng: np.random.Generator) -> float:
    """An estimate of the largest eigenvalue of K by the power iteration; it is below it by a few per cent at most."""
    v = rng.random(n) + 0.5  # a kernel matrix has a top eigenvector without sign changes as a rule
    value = 0.0
    for _ in range(POWER_ITERATIONS):
        v /= np.linalg.norm(v)
        image = product(v)
        value, v = float(v @ image), image
        if not value:
            break
    return value
