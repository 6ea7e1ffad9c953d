"""Reports as tables for people: pure functions of a report."""

from __future__ import annotations

from math import isnan

from rich.box import SIMPLE_HEAD, Box
from rich.table import Table
from rich.text import Text

from kernelbandits.theory.diagnosis.planning import Plan
from kernelbandits.theory.diagnosis.report import Diagnosis, FitError
from kernelbandits.theory.report import Verdict

_TOP = 8
_MOST_ARMS = 10
_STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNKNOWN: "yellow"}
_BOX: Box = SIMPLE_HEAD


def diagnosis_tables(report: Diagnosis) -> list[Table]:
    """Spectrum, kernel, hypotheses, rewards where there are some, budgets: in the order of reading."""
    tables = [_spectrum(report), _kernel(report), _assumptions(report)]
    if report.rewards is not None:
        tables.append(_rewards(report))
    return [*tables, _budgets(report)]


def plan_table(plan: Plan) -> Table:
    """A plan by the paper's formulas: a row a formula, in symbols and in numbers."""
    g, budget = plan.given, plan.budget
    form = "the paper's table to the letter" if plan.as_printed else "the paper's formulas, corrected"
    table = _table(f"{plan.case}, {plan.kernel}: {form}", "", "formula", "with the numbers", "value")
    for name, value in (("Δ", g.delta), ("K", g.n_arms), ("σ", g.noise_std), ("B", g.norm), ("ε", g.epsilon)):
        table.add_row(f"given {name}", "", "", f"{value:g}")
    table.add_row("given d", "", "", f"{g.dim}")
    for step in plan.steps:
        table.add_row(step.name, step.symbols, step.numbers, number(step.value))
    table.add_row("largest admissible ε", "bias below what is allowed", "", number(plan.epsilon_limit))
    table.add_row("variance at N", "", "", "–" if budget.variance is None else number(budget.variance))
    table.add_row("draws per arm N", "", "", "none" if budget.n_per_arm is None else f"{budget.n_per_arm:,.6g}")
    table.add_row("exploration T₀", "K N", "", "none" if budget.n_explore is None else f"{budget.n_explore:,}")
    return table


def number(value: float) -> str:
    """Four digits; a dash for what is not defined."""
    return "–" if isnan(value) else f"{value:.4g}"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=_BOX, pad_edge=False)
    for column in columns:
        table.add_column(column)
    return table


def _spectrum(report: Diagnosis) -> Table:
    spectrum, found = report.spectrum, report.classification
    table = _table(f"Contexts: {spectrum.n:,} rows of {spectrum.dim:,} features (all rows)", "", "value", "meaning")
    top = ", ".join(f"{value:.3g}" for value in spectrum.eigenvalues[:_TOP])
    more = ", …" if len(spectrum.eigenvalues) > _TOP else ""
    table.add_row("largest eigenvalues", top + more, "of Σ̂ = XᵀX/n, not centred")
    table.add_row("rank", str(spectrum.rank), f"eigenvalues above rounding, of {len(spectrum.eigenvalues)}")
    table.add_row("effective rank", number(spectrum.effective_rank), "Tr(Σ̂)/‖Σ̂‖")
    table.add_row("Tr(Σ̂)/d", number(spectrum.level), "average of ‖x‖²/d; the paper's designs have ¼ to ½")
    case = "cannot tell" if found.case is None else f"{found.case}, confidence {found.confidence:.0%}"
    table.add_row("resembles", case, found.reason)
    return table


def _kernel(report: Diagnosis) -> Table:
    n, linear = report.gram_rows, report.linearity
    part = "all rows" if n == report.spectrum.n else f"{n:,} rows at even distances of {report.spectrum.n:,}"
    table = _table(f"{report.kernel} at N = {n:,} ({part})", "", "value", "meaning")
    if linear is not None:
        words = f"α = {linear.alpha:.4g}, β = {linear.beta:.4g}, τ = {linear.tau:.4g}"
        table.add_row("γ", number(linear.gamma), f"regularisation that the kernel brings by itself; {words}")
        verdict = "at most γ/2: the bounds apply" if linear.event else "above γ/2: the bounds do not apply"
        table.add_row(
            "‖K − K_lin‖", number(linear.error), f"linearisation error, {verdict} (γ/2 = {linear.gamma / 2:.4g})"
        )
    else:
        table.add_row("‖K − K_lin‖", "–", "the kernel has no linear approximation here, see the notes")
    table.add_row("effective variance", number(report.variance), "multiply by σ²")
    idle = " (no better than predicting 0)" if report.bias >= 1.0 - 1e-9 else ""
    table.add_row("effective bias", number(report.bias), f"multiply by B²{idle}")
    ceiling = f"½ ln det(I + K); {report.information_gain / n:.3g} a row"
    table.add_row("information gain", number(report.information_gain), ceiling)
    return table


def _assumptions(report: Diagnosis) -> Table:
    table = _table(f"The paper's hypotheses (looked at on {report.assumption_rows:,} rows)", "", "verdict", "why")
    for line in report.assumptions.lines:
        table.add_row(line.name, Text(line.verdict.value, style=_STYLES[line.verdict]), line.reason)
    return table


def _rewards(report: Diagnosis) -> Table:
    assert report.rewards is not None
    arms = report.rewards.arms
    columns = ("arm", "rows", "error (RMSE)", "std of rewards", "explained", "correlation", "norm of fit")
    table = _table("Leave-one-out error of the interpolator (closed form)", *columns)
    for fit in arms[:_MOST_ARMS]:
        table.add_row(*_fit_row(str(fit.arm), fit))
    if len(arms) > _MOST_ARMS:
        table.add_row(f"… {len(arms) - _MOST_ARMS} more, see --json")
    pooled = report.rewards.pooled
    table.add_row(*_fit_row("all arms together" if arms else "all rows", pooled), style="bold")
    return table


def _fit_row(name: str, fit: FitError) -> list[str]:
    explained = "–" if isnan(fit.explained) else f"{fit.explained:.1%}"
    return [
        name,
        f"{fit.n:,}",
        number(fit.rmse),
        number(fit.reward_std),
        explained,
        number(fit.correlation),
        number(fit.norm),
    ]


def _budgets(report: Diagnosis) -> Table:
    delta = "" if report.plan is None else f", Δ = {report.plan.given.delta:g}"
    table = _table(f"How long to explore: {', '.join(report.sources)}{delta}", "", "T₀", "N per arm", "formula")
    found = report.recommendation
    if found is not None:
        spread = f"{found.n_explore:,} ({found.low:,} to {found.high:,})"
        table.add_row("data-driven", spread, f"{found.n_per_arm:,}", found.reason, style="bold")
    else:
        table.add_row("data-driven", "–", "–", "needs arms and rewards, see the notes")
    plan = report.plan
    if plan is None or plan.budget.n_explore is None:
        table.add_row("paper's formula", "none", "–", report.plan_reason)
    else:
        table.add_row(
            "paper's formula", f"{plan.budget.n_explore:,}", f"{plan.budget.n_per_arm:,.6g}", report.plan_reason
        )
    for step in () if plan is None else plan.steps:
        table.add_row(f"  {step.name}", "", "", f"{step.symbols} = {step.numbers} = {number(step.value)}")
    return table
