"""Held-out scores as a table and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from kernelbandits.reporting import Column, Entry, Table
from kernelbandits.theory.diagnosis.cross_validation import METHODS, N_FOLDS, ArmScores, HeldOutScore, HeldOutScores

MOST_ARMS = 10
"""Arms that a table shows; the record has all of them."""


def scores_table(found: HeldOutScores) -> Table:
    """One row per arm, and one for all arms together: R² of every method with its standard error."""
    heads = ("arm", "rows", *METHODS, "mean", *(f"correlation, {name}" for name in METHODS))
    rows = [_row(str(scores.arm), scores) for scores in found.arms[:MOST_ARMS]]
    if len(found.arms) > MOST_ARMS:
        rows.append((f"… {len(found.arms) - MOST_ARMS} more, see --json", *[""] * (len(heads) - 1)))
    last = _row("all arms together" if found.arms else "all rows", found.pooled)
    entries = [*(tuple(map(Entry, row)) for row in rows), tuple(Entry(text, best=True) for text in last)]
    title = f"Held-out R² ± standard error ({N_FOLDS}-fold cross-validation; permutation test p = {found.signal:.2g})"
    return Table(title, tuple(Column(head, numeric=False) for head in heads), tuple(entries))


def scores_record(found: HeldOutScores) -> dict[str, Any]:
    """All numbers: of all arms together and of each arm, by method."""
    return {
        "folds": N_FOLDS,
        "p_value": found.signal,
        "advantage": dict(found.advantage),
        "gain": dict(found.gain),
        "linear_share": found.linear_share,
        "linear_share_error": found.linear_share_error,
        "pooled": _record(found.pooled),
        "arms": [_record(scores) for scores in found.arms],
    }


def _record(scores: ArmScores) -> dict[str, Any]:
    return {"arm": scores.arm, "n": scores.n} | {name: asdict(score) for name, score in scores.scores.items()}


def _row(name: str, scores: ArmScores) -> tuple[str, ...]:
    found = [scores.scores[method] for method in METHODS]
    return (name, f"{scores.n:,}", *map(_share, found), "0", *_correlations(found))


def _share(score: HeldOutScore) -> str:
    return f"{score.r_squared:.3g} ± {score.r_squared_error:.2g}"


def _correlations(scores: Iterable[HeldOutScore]) -> tuple[str, ...]:
    return tuple(f"{score.correlation:.2f}" for score in scores)
