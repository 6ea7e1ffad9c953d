"""An evaluation as a record, a picture and a document."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from kernelbandits.offline.interval import BETTER, NOT_SUPPORTED, WORSE, Interval
from kernelbandits.reporting import Charts, Column, Document, Entry, Findings, Picture, Section, Table, dot_rows

if TYPE_CHECKING:
    from kernelbandits.offline.evaluation import CandidateValue, Evaluation

_TONES = {BETTER: "green", WORSE: "red", NOT_SUPPORTED: "yellow"}
_WORDS = ("candidate", "estimator", "first", "second", "policy", "least supported arm")
"""Heads of columns that hold texts."""


def record(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation as plain data."""
    return {
        "rows": evaluation.n,
        "level": evaluation.level,
        "method": evaluation.method,
        "logged": {"value": evaluation.logged, "interval": list(evaluation.logged_interval)},
        "candidates": [_candidate(each) for each in evaluation.candidates],
        "pairs": [each._asdict() | {"interval": list(each.interval)} for each in evaluation.pairs],
        "replays": [each._asdict() | {"interval": list(each.interval)} for each in evaluation.replays],
        "findings": list(evaluation.findings),
        "notes": list(evaluation.notes),
    }


def document(evaluation: Evaluation) -> Document:
    """The report: verdicts first, then values, overlap, and what other estimators say."""
    verdicts = tuple(f"{each.name}: {each.verdict.words}" for each in evaluation.candidates)
    looks = evaluation.findings or ("nothing looks wrong in the log",)
    sections: list[Section] = [Findings("Verdicts", verdicts), values_table(evaluation), picture(evaluation)]
    sections += [_pairs(evaluation)] if evaluation.pairs else []
    sections += [_replays(evaluation)] if evaluation.replays else []
    sections += [_overlap(evaluation), _estimators(evaluation)]
    sections += [Findings("Intervals", (evaluation.method,)), Findings("The log", (*looks, *evaluation.notes))]
    lead = (f"{evaluation.n:,} rows", f"{evaluation.level:.0%} intervals")
    return Document("What the candidates would have earned", tuple(sections), lead, record(evaluation))


def picture(evaluation: Evaluation) -> Picture:
    """Values with their intervals on the left, differences to the log on the right."""
    shown = [each for each in evaluation.candidates if each.verdict.kind != NOT_SUPPORTED]
    names = ["the log itself", *(each.name for each in shown)]
    values = [evaluation.logged, *(each.value for each in shown)]
    intervals = [evaluation.logged_interval, *(each.interval for each in shown)]
    gains, around = [each.gain for each in shown], [each.gain_interval for each in shown]
    charts = (
        dot_rows("reward per row", names, values, intervals, at=evaluation.logged),
        dot_rows("difference to the log, all intervals together", names[1:], gains, around, at=0.0),
    )
    described = "; ".join(f"{name}: {value:.4g}" for name, value in zip(names, values, strict=True))
    height = 1.2 + 0.42 * len(names)
    return Picture("Values", (Charts(charts if shown else charts[:1], 2 if shown else 1, height),), described)


def values_table(evaluation: Evaluation) -> Table:
    """Value and gain of every candidate with their intervals."""
    heads = ("candidate", "value", "low", "high", "gain", "low", "high")
    rows = [(Entry("the log itself"), *_numbers(evaluation.logged, evaluation.logged_interval), *[Entry("–")] * 3)]
    for each in evaluation.candidates:
        name = Entry(each.name, detail=each.verdict.kind, tone=_TONES.get(each.verdict.kind, ""))
        numbers = (*_numbers(each.value, each.interval), *_numbers(each.gain, each.gain_interval))
        rows.append((name, *([Entry("–")] * 6 if each.verdict.kind == NOT_SUPPORTED else numbers)))
    caption = f"{evaluation.level:.0%} intervals; those of gains hold for all differences together"
    return _table("Reward per row", heads, rows, caption)


def _pairs(evaluation: Evaluation) -> Table:
    rows = [(Entry(p.first), Entry(p.second), *_numbers(p.difference, p.interval)) for p in evaluation.pairs]
    return _table("Differences between candidates", ("first", "second", "first − second", "low", "high"), rows)


def _replays(evaluation: Evaluation) -> Table:
    heads = ("policy", "value", "low", "high", "rounds")
    rows = [(Entry(r.name), *_numbers(r.value, r.interval), Entry(f"{r.rounds:,}")) for r in evaluation.replays]
    return _table("Policies replayed as they would have learned live", heads, rows, "reward per live round")


def _overlap(evaluation: Evaluation) -> Table:
    heads = ("candidate", "effective rows", "largest weight", "mean weight", "without support", "least supported arm")
    rows = []
    for each in evaluation.candidates:
        overlap = each.overlap
        arm = min((a for a in overlap.per_arm if a.share > 0.0), key=lambda a: a.effective_size, default=None)
        least = "–" if arm is None else f"{arm.arm}: {arm.effective_size:,.0f} rows for {arm.share:.1%} of decisions"
        numbers = (f"{overlap.effective_size:,.1f}", f"{overlap.largest_weight:,.1f}", f"{overlap.mean_weight:.3f}")
        rows.append((Entry(each.name), *map(Entry, numbers), Entry(f"{overlap.unsupported:.1%}"), Entry(least)))
    return _table("Overlap", heads, rows, f"the log has {evaluation.n:,} rows")


def _estimators(evaluation: Evaluation) -> Table:
    rows = [
        (Entry(each.name), Entry(e.estimator + ("" if e.unbiased else " *")), *_numbers(e.value, e.interval))
        for each in evaluation.candidates
        for e in each.estimates
    ]
    heads = ("candidate", "estimator", "value", "low", "high")
    return _table("Estimators", heads, rows, "* its interval leaves the bias out")


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[Entry, ...]], caption: str = "") -> Table:
    return Table(title, tuple(Column(head, numeric=head not in _WORDS) for head in heads), tuple(rows), caption)


def _numbers(value: float, interval: Interval) -> tuple[Entry, ...]:
    return tuple(Entry(f"{number:.5g}" if isfinite(number) else "–") for number in (value, *interval))


def _candidate(each: CandidateValue) -> dict[str, Any]:
    overlap = each.overlap
    return {
        "name": each.name,
        "value": each.value,
        "interval": list(each.interval),
        "gain": each.gain,
        "gain_interval": list(each.gain_interval),
        "verdict": each.verdict.kind,
        "words": each.verdict.words,
        "more_rows": each.verdict.more_rows,
        "overlap": {
            "effective_size": overlap.effective_size,
            "largest_weight": overlap.largest_weight,
            "mean_weight": overlap.mean_weight,
            "unsupported": overlap.unsupported,
            "per_arm": [arm._asdict() for arm in overlap.per_arm],
        },
        "estimates": [e._asdict() | {"interval": list(e.interval)} for e in each.estimates],
    }
