"""What happened inside a solve. Never silent: a rank cut or a floored pivot is written down here."""

from __future__ import annotations

from dataclasses import dataclass

from kernelbandits.types import Array


@dataclass(frozen=True, slots=True)
class Health:
    """A record of one solve of (K + ridge·I) a = y.

    Attributes:
        n: number of points.
        method: "cholesky", or "eigen" where the matrix was too close to singular.
        condition: estimate of the condition number, ∞ for a singular matrix.
        rank: rank used; less than n means that repeated rows were merged or eigenvalues cut as zero.
        cutoff: eigenvalues up to this were taken as zero (0 when none was cut).
        residual: largest |(K + ridge·I) a − y| relative to the largest |y|.
        duplicates: rows that repeat an earlier row exactly.

    """

    n: int
    method: str
    condition: float
    rank: int
    cutoff: float
    residual: float
    duplicates: int

    @property
    def exact(self) -> bool:
        """Whether the system had full rank, so that its unique solution was found."""
        return self.rank == self.n

    def __str__(self) -> str:
        text = f"{self.method}, condition {self.condition:.1e}, residual {self.residual:.1e}"
        if not self.exact:
            text += f", rank {self.rank} of {self.n}"
            if self.cutoff:
                text += f" (eigenvalues up to {self.cutoff:.1e} cut)"
        if self.duplicates:
            text += f", {self.duplicates} duplicate rows"
        return text


def count_duplicates(X: Array) -> int:
    """Rows that repeat an earlier row, bit for bit (with −0 taken as 0)."""
    positive_zero = X + 0.0
    return len(X) - len({row.tobytes() for row in positive_zero})
