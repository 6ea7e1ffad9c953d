"""How much of a candidate a log can speak about."""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from kernelbandits.errors import counted
from kernelbandits.offline.log import Log
from kernelbandits.offline.weighted_rows import WeightedRows
from kernelbandits.types import Array

FEWEST = 20.0
"""Effective rows below which nothing is said."""

_NO_SUPPORT = 0.01
_TOO_LOW, _TOO_HIGH = 0.97, 1.05
_ERRORS = 3.0
_HEAVY_ROWS, _HEAVY_SHARE = 6, 0.05
_CONTRARY_SHARE, _CONTRARY_ROWS, _CONTRARY_ENOUGH = 0.05, 2.5, 20.0
_REMEDY = "Log with a floor (ExplorationFloor), or evaluate a candidate nearer to what was played"


class ArmOverlap(NamedTuple):
    """One arm: rows in which it was played, the candidate's share of it, and effective sample size of these rows.

    Attributes:
        arm: its name.
        rows: rows of the log in which it was played.
        share: the candidate's mean probability of it over all rows.
        effective_size: (Σw)²/Σw² of the rows in which it was played; 0 if the candidate plays it in none of them.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> evaluate(log, {"old": AlwaysArm("old")})["old"].overlap.per_arm[1]
    ArmOverlap(arm='new', rows=100, share=0.0, effective_size=0.0)

    See also `evaluate`, `Overlap`, `Verdict`, `Estimate`.
    """

    arm: str
    rows: int
    share: float
    effective_size: float


@final
@dataclass(frozen=True, slots=True)
class Overlap:
    """How the rows that a log has compare with those that a candidate needs.

    Attributes:
        n: rows of the log.
        effective_size: (Σw)²/Σw²: so many rows written by the candidate itself would tell about as much.
        largest_weight, largest_row: the largest weight w = π(a|x)/h(a|x), and the row that has it, counted from 0.
        mean_weight: 1 up to chance, if propensities are right and every arm that the candidate plays had a chance.
        mean_weight_error: its standard error.
        heavy_rows: rows with a weight of at least a tenth of Σw³/Σw², the weight of those that decide most.
        heavy_share: their share of all weight.
        contrary: share of the candidate's decisions against an arm that had a chance above one half, from the rows in
            which that arm was played.
        contrary_rows: how many rows a log of this size has on average for these decisions: their share times n, over
            the weight of such rows. What a log happens to have of them says less. Infinite where most decisions of
            the candidate for an arm with a chance of at most one half are of another kind.
        unsupported: share of the candidate's decisions that fall on arms without a chance: those never played, or, if
            the log has the chances of all arms, those with chance 0 in that row.
        per_arm: rows, share and effective size, arm by arm.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> overlap = evaluate(log, {"old": AlwaysArm("old")})["old"].overlap
    >>> overlap.n, overlap.effective_size, overlap.largest_weight, overlap.refusal()
    (200, 100.0, 2.0, None)

    See also `evaluate`, `CandidateValue`, `ArmOverlap`, `Verdict`.
    """

    n: int
    effective_size: float
    largest_weight: float
    largest_row: int
    mean_weight: float
    mean_weight_error: float
    heavy_rows: int
    heavy_share: float
    contrary: float
    contrary_rows: float
    unsupported: float
    per_arm: tuple[ArmOverlap, ...]

    @property
    def contrary_weight(self) -> float:
        """Weight of a row for a decision against a likely arm, where such rows are few but count; otherwise 0."""
        few = self.contrary >= _CONTRARY_SHARE and 0.0 < self.contrary_rows < _CONTRARY_ENOUGH
        return self.contrary * self.n / self.contrary_rows if few else 0.0

    def refusal(self) -> str | None:
        """Why the log cannot value the candidate, and what would help; None if it can."""
        lacking = sorted((each for each in self.per_arm if each.rows == 0), key=lambda each: -each.share)
        if self.unsupported > _NO_SUPPORT:
            which = f" ({lacking[0].arm!r} was never played)" if lacking and lacking[0].share > 0.0 else ""
            return (
                f"{self.unsupported:.0%} of its decisions fall on arms that had no chance in the log{which}. {_REMEDY}"
            )
        if self.mean_weight < _TOO_LOW and self.mean_weight + _ERRORS * self.mean_weight_error < 1.0:
            return (
                f"its weights average {self.mean_weight:.2f} instead of 1, so about {1.0 - self.mean_weight:.0%} of "
                f"its decisions had no chance in the log. {_REMEDY}"
            )
        if self.effective_size < FEWEST:
            return (
                f"the effective sample size is {self.effective_size:.1f} of {counted(self.n, 'row')}; the largest "
                f"weight, {_weight(self.largest_weight)} in row {self.largest_row} (the first is 0), "
                f"decides nearly alone. {_REMEDY}"
            )
        if self.heavy_rows < _HEAVY_ROWS and self.heavy_share >= _HEAVY_SHARE:
            return (
                f"{counted(self.heavy_rows, 'row')} of {self.n:,} with weights up to {self.largest_weight:,.0f} stand "
                f"for {self.heavy_share:.0%} of its decisions; they could as well have said the opposite. {_REMEDY}"
            )
        if self.contrary >= _CONTRARY_SHARE and self.contrary_rows < _CONTRARY_ROWS:
            return (
                f"{self.contrary:.0%} of its decisions go against an arm that had a chance above one half; a log of "
                f"{self.n:,} rows has only about {self.contrary_rows:.1f} rows on average that speak for these. "
                f"{_REMEDY}"
            )
        if self.mean_weight > _TOO_HIGH and self.mean_weight - _ERRORS * self.mean_weight_error > 1.0:
            return (
                f"its weights average {_weight(self.mean_weight)} instead of 1, so the propensities in the log are "
                "wrong: log the probability with which the arm was played, given the context"
            )
        return None


def _weight(weight: float) -> str:
    """A weight for a sentence."""
    return f"{weight:.2f}" if weight < 10.0 else f"{weight:,.0f}" if weight < 1e12 else f"{weight:.1e}"


def overlap_of(log: Log, rows: WeightedRows, shares: Array, unsupported: float) -> Overlap:
    """Summarise the weights; `shares` are the candidate's mean probabilities of the arms, shape (K,)."""
    w, n = rows.weights, len(rows)
    counts = np.bincount(log.arms, minlength=log.n_arms)
    sums = np.bincount(log.arms, w, minlength=log.n_arms)
    squares = np.bincount(log.arms, w * w, minlength=log.n_arms)
    sizes = np.divide(sums**2, squares, out=np.zeros(log.n_arms), where=squares > 0.0)
    second = float(np.square(w).sum())
    heavy = w >= 0.1 * float((w**3).sum()) / second if second > 0.0 else np.zeros(n, dtype=np.bool_)
    arms = (
        ArmOverlap(log.name(arm), int(counts[arm]), float(shares[arm]), float(sizes[arm])) for arm in range(log.n_arms)
    )
    return Overlap(
        n,
        rows.effective_size,
        float(w.max()),
        int(w.argmax()),
        float(w.mean()),
        float(w.std() / np.sqrt(n)),
        int(heavy.sum()),
        float(w[heavy].sum() / max(w.sum(), np.finfo(float).tiny)),
        *_contrary(log, rows),
        unsupported,
        tuple(arms),
    )


def _contrary(log: Log, rows: WeightedRows) -> tuple[float, float]:
    """Share of decisions against an arm with a chance above one half, and how many rows speak for them on average."""
    sure, n = log.propensities > 0.5, len(rows)
    share = float(((1.0 - rows.chances[sure]) / log.propensities[sure]).sum()) / n
    along, others = float(rows.weights[sure].sum()) / n, rows.weights[~sure]
    if share < 0.5 * (1.0 - along):
        return share, float("inf")
    total, squares = float(others.sum()), float(np.square(others).sum())
    return share, share * n * total / squares if squares > 0.0 else 0.0
