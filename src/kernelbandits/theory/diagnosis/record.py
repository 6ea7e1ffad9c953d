"""Diagnoses and budgets as plain data for JSON; documents turn arrays into lists and NaN into null."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kernelbandits.specs import to_table
from kernelbandits.theory.budget import Budget
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis
from kernelbandits.theory.diagnosis.rewards import FitError


def diagnosis_record(report: Diagnosis) -> dict[str, Any]:
    """All numbers and texts of a diagnosis."""
    spectrum, case, budget = report.spectrum, report.classification.case, report.paper_budget
    linear = ("tau", "alpha", "beta", "gamma", "error", "event")
    advice = ("n_explore", "n_per_arm", "low", "high", "explore_regret", "commit_regret", "regret", "reason")
    return {
        "n": spectrum.n,
        "dim": spectrum.dim,
        "kernel": to_table(report.kernel),
        "spectrum": {**_pick(spectrum, "eigenvalues", "rank", "effective_rank"), "trace_per_dim": spectrum.level},
        "case": asdict(report.classification) | {"case": case and case.value},
        "assumptions": {
            "rows": report.assumption_rows,
            "lines": [asdict(line) | {"verdict": line.verdict.value} for line in report.assumptions.lines],
        },
        "linearisation": report.linearization and {"rows": report.gram_rows, **_pick(report.linearization, *linear)},
        "effective_variance": report.variance,
        "effective_bias": report.bias,
        "information_gain": report.information_gain,
        "gram_rows": report.gram_rows,
        "curve": asdict(report.curve),
        "leave_one_out": report.rewards
        and {"pooled": _fit(report.rewards.pooled), "arms": [_fit(fit) for fit in report.rewards.arms]},
        "paper_budget": {"reason": report.paper_reason, "plan": budget and budget_record(budget)},
        "recommendation": report.recommendation
        and {**_pick(report.recommendation, *advice), "curve": asdict(report.recommendation.curve)},
        **asdict(report.inputs),
        "notes": report.notes,
    }


def budget_record(budget: Budget) -> dict[str, Any]:
    """All numbers and texts of a budget by the paper's formulas."""
    results = ("as_printed", "feasible", "n_explore", "n_per_arm", "variance", "bias", "allowed", "reason")
    return {
        "kernel": to_table(budget.kernel),
        "case": budget.case.value,
        "given": asdict(budget.given),
        **_pick(budget, *results, "admissible_epsilon"),
        "formulas": [asdict(step) for step in budget.steps],
    }


def _pick(source: object, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _fit(fit: FitError) -> dict[str, Any]:
    return asdict(fit) | {"explained": fit.explained}
