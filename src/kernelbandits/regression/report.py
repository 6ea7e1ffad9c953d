"""`FitReport`: what happened in a fit. A rank cut, a floored pivot or an early end is recorded here, never silent."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import final

import numpy as np

from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class FitReport:
    """A record of one fit. A number that a method does not compute is NaN.

    Attributes:
        n: rows of data.
        method: how the system was solved: "cholesky", or "eigen" where the matrix was too close to singular, …
        size: number of unknowns: n, or the number of centres used.
        rank: rank used; less than `size` if repeated rows were merged or eigenvalues taken as zero.
        residual: (K + ridge·I) a − y relative to y: largest entries for an exact fit, norms for an iterative one; for
            Nyström the root mean square of y − f̂(x) relative to that of y.
        condition: estimate of the condition number, ∞ for a singular matrix; for Nyström that of K_MM.
        cutoff: eigenvalues up to this were taken as zero, or centres left out because the others leave at most this
            squared RKHS distance to them; 0 if there were none.
        duplicates: rows that repeat an earlier row exactly; Nyström and Gaussian-process fits do not count them.
        left_out: selected centres that the others span; leaving them out does not change the span.
        floored: pivots of a Gaussian process that were lost in rounding and set to their rounding error.
        iterations: number of iterations.
        seconds: time of an iterative fit.
        converged: whether an iterative fit ended as its stopping rule wants; True for a direct fit.
        reason: why an iterative fit ended, in words.

    """

    n: int
    method: str
    size: int
    rank: int
    residual: float = nan
    condition: float = nan
    cutoff: float = 0.0
    duplicates: int = 0
    left_out: int = 0
    floored: int = 0
    iterations: int = 0
    seconds: float = 0.0
    converged: bool = True
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the system had full rank, so that its solution is unique."""
        return self.rank == self.size

    def __str__(self) -> str:
        ending = "converged" if self.converged else "did not converge"
        cut = f" (eigenvalues up to {self.cutoff:.1e} cut)" if self.cutoff else ""
        parts = [
            (f"{self.iterations} iterations, {self.seconds:.1f} s", self.reason),
            (f"{self.n} rows", True),
            (f"condition {self.condition:.1e}", not isnan(self.condition)),
            (f"residual {self.residual:.1e}", not isnan(self.residual)),
            (f"rank {self.rank} of {self.size}{'' if self.left_out else cut}", not self.exact),
            (f"{self.duplicates} duplicate rows", self.duplicates),
            (f"{self.left_out} centres left out (spanned by the others up to {self.cutoff:.1e})", self.left_out),
            (f"{self.floored} floored pivots", self.floored),
        ]
        text = ", ".join(part for part, said in parts if said)
        return f"{self.method} {ending} ({self.reason}): {text}" if self.reason else f"{self.method}: {text}"


def count_duplicates(X: Array) -> int:
    """Number of rows that repeat an earlier row bit for bit (with −0 taken as 0)."""
    positive_zero = X + 0.0
    return len(X) - len({row.tobytes() for row in positive_zero})


def distinct_rows(X: Array) -> tuple[Array, IntArray, IntArray]:
    """The distinct rows of X, the number of the distinct row at each row of X, and how often each occurs."""
    return np.unique(X + 0.0, axis=0, return_inverse=True, return_counts=True)
