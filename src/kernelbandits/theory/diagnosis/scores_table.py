"""Held-out scores as a table and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelbandits.reporting import Column, Entry, Table
from kernelbandits.theory.diagnosis.cross_validation import METHODS, N_FOLDS, ArmScores, HeldOutScores

MOST_ARMS = 10  # arms that a table shows; the record has all of them


def arms_table(title: str, heads: Sequence[str], arms: Sequence[Sequence[str]], pooled: Sequence[str]) -> Table:
    """One row per arm, its name first, at most ten of them, and one for all arms together."""
    rows = [*arms[:MOST_ARMS]]
    if len(arms) > MOST_ARMS:
        rows.append([f"… {len(arms) - MOST_ARMS} more, see --json", *[""] * (len(heads) - 1)])
    last = ("all arms together" if arms else "all rows", *pooled)
    entries = (*(tuple(map(Entry, row)) for row in rows), tuple(Entry(text, best=True) for text in last))
    return Table(title, tuple(Column(head, numeric=False) for head in heads), entries)


def scores_table(found: HeldOutScores) -> Table:
    """R² of every method with its standard error, and correlations, per arm and of all arms together."""
    heads = ("arm", "rows", *METHODS, "mean", *(f"correlation, {name}" for name in METHODS))
    title = f"Held-out R² ± standard error ({N_FOLDS}-fold cross-validation; permutation test p = {found.signal:.2g})"
    return arms_table(title, heads, [(str(each.arm), *_texts(each)) for each in found.arms], _texts(found.pooled))


def _texts(scores: ArmScores) -> tuple[str, ...]:
    found = [scores.scores[method] for method in METHODS]
    shares = (f"{score.r_squared:.3g} ± {score.r_squared_error:.2g}" for score in found)
    return (f"{scores.n:,}", *shares, "0", *(f"{score.correlation:.2f}" for score in found))


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
    return {"arm": scores.arm, "n": scores.n} | {name: score._asdict() for name, score in scores.scores.items()}
