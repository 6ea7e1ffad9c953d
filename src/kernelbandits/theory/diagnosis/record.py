"""Reports as plain tables for JSON; what is not a finite number becomes null."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from kernelbandits.specs import to_table
from kernelbandits.theory.diagnosis.planning import Plan
from kernelbandits.theory.diagnosis.report import Diagnosis, FitError
from kernelbandits.theory.recommendation import Recommendation


def diagnosis_record(report: Diagnosis) -> dict[str, Any]:
    """Everything that a diagnosis says."""
    spectrum, classification, gram = report.spectrum, report.classification, {"rows": report.gram_rows}
    record = {
        "n": spectrum.n,
        "dim": spectrum.dim,
        "kernel": to_table(report.kernel),
        "spectrum": {
            "eigenvalues": spectrum.eigenvalues,
            "rank": spectrum.rank,
            "effective_rank": spectrum.effective_rank,
            "trace_per_dim": spectrum.level,
        },
        "case": {
            **asdict(classification),
            "case": None if classification.case is None else classification.case.value,
        },
        "assumptions": {
            "rows": report.assumption_rows,
            "lines": [
                {"name": line.name, "verdict": line.verdict.value, "reason": line.reason}
                for line in report.assumptions.lines
            ],
        },
        "linearisation": None if report.linearity is None else gram | asdict(report.linearity),
        "effective_variance": report.variance,
        "effective_bias": report.bias,
        "information_gain": report.information_gain,
        "gram_rows": report.gram_rows,
        "curve": asdict(report.curve),
        "leave_one_out": None
        if report.rewards is None
        else {"pooled": _fit(report.rewards.pooled), "arms": [_fit(fit) for fit in report.rewards.arms]},
        "paper_budget": {
            "reason": report.plan_reason,
            "plan": None if report.plan is None else plan_record(report.plan),
        },
        "recommendation": None if report.recommendation is None else _recommendation(report.recommendation),
        "horizon": report.horizon,
        "n_arms": report.n_arms,
        "noise_std": report.noise_std,
        "norm": report.norm,
        "sources": report.sources,
        "notes": report.notes,
    }
    plain: dict[str, Any] = _plain(record)
    return plain


def plan_record(plan: Plan) -> dict[str, Any]:
    """Everything that a plan says."""
    record = {
        "kernel": to_table(plan.kernel),
        "case": plan.case.value,
        "given": asdict(plan.given),
        "as_printed": plan.as_printed,
        "feasible": plan.budget.feasible,
        **asdict(plan.budget),
        "admissible_epsilon": plan.epsilon_limit,
        "formulas": [asdict(step) for step in plan.steps],
    }
    plain: dict[str, Any] = _plain(record)
    return plain


def _fit(fit: FitError) -> dict[str, Any]:
    return asdict(fit) | {"explained": fit.explained}


def _recommendation(found: Recommendation) -> dict[str, Any]:
    names = ("n_explore", "n_per_arm", "low", "high", "explore_regret", "commit_regret", "regret", "reason")
    return {name: getattr(found, name) for name in names} | {"curve": asdict(found.curve)}


def _plain(value: Any) -> Any:
    """Arrays as lists, numbers of NumPy as Python's, NaN and ±∞ as None."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value
