"""A diagnosis or a budget as a document, to be shown in a terminal, as a page or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from kernelbandits.reporting import Column, Document, Entry, Findings, Section, Table
from kernelbandits.theory.budget import Budget
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis
from kernelbandits.theory.diagnosis.picture import diagnosis_picture
from kernelbandits.theory.diagnosis.record import budget_record, diagnosis_record
from kernelbandits.theory.diagnosis.rewards import FitError
from kernelbandits.theory.diagnosis.standardising import Standardised
from kernelbandits.theory.hypotheses import Verdict

_TOP = 8
_MOST_ARMS = 10
_TONES = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNKNOWN: "yellow"}
_SCALED = (
    "every column was brought to mean 0 and one common variance with Tr(Σ)/d = ½, so the spectrum is that of the "
    "correlations; apply the same mean and scale (in diagnosis.json) to the contexts of later decisions"
)
Row = tuple[Entry, ...]


def diagnosis_document(
    report: Diagnosis, columns: Sequence[str] = (), standardised: Standardised | None = None
) -> Document:
    """The document of a diagnosis of the features `columns`, and how they were standardised if they were."""
    notes = (*report.notes, _SCALED) if standardised else report.notes
    scales = standardised and {"mean": standardised.mean, "scale": standardised.scale}
    sections: tuple[Section, ...] = (
        _contexts(report),
        _kernel(report),
        _hypotheses(report),
        *_rewards(report),
        _budgets(report),
        diagnosis_picture(report),
        Findings("Notes and conclusion", (*(f"Note: {note}" for note in notes), _conclusion(report))),
    )
    record = diagnosis_record(report) | {"columns": columns, "standardised": scales}
    return Document("Diagnosis", sections, record=record)


def budget_document(budget: Budget) -> Document:
    """The document of a budget by the paper's formulas: one row per formula, in symbols and in numbers."""
    g = budget.given
    given = (("Δ", g.delta), ("K", g.n_arms), ("σ", g.noise_std), ("B", g.norm), ("ε", g.epsilon), ("d", g.dim))
    form = "as printed in the paper" if budget.as_printed else "the paper's formulas, corrected"
    table = _table(
        f"{budget.case}, {budget.kernel}: {form}",
        ("", "formula", "with numbers", "value"),
        [
            *(_row(f"given {name}", "", "", f"{value:g}") for name, value in given),
            *(_row(step.name, step.symbols, step.numbers, _number(step.value)) for step in budget.steps),
            _row("largest admissible ε", "bias below what is allowed", "", _number(budget.admissible_epsilon)),
            _row("variance at N", "", "", "–" if budget.variance is None else _number(budget.variance)),
            _row("draws per arm N", "", "", _draws(budget)),
            _row("exploration T₀", "K N", "", "none" if budget.n_explore is None else f"{budget.n_explore:,}"),
        ],
    )
    outcome = f"{'Feasible' if budget.feasible else 'Not feasible'}: {budget.reason}"
    return Document("Exploration budget", (table, Findings("Outcome", (outcome,))), record=budget_record(budget))


def _contexts(report: Diagnosis) -> Table:
    spectrum, found = report.spectrum, report.classification
    top = ", ".join(f"{value:.3g}" for value in spectrum.eigenvalues[:_TOP])
    more = ", …" if len(spectrum.eigenvalues) > _TOP else ""
    case = "cannot tell" if found.case is None else f"{found.case}, confidence {found.confidence:.0%}"
    return _table(
        f"Contexts: {spectrum.n:,} rows of {spectrum.dim:,} features (all rows)",
        ("", "value", "meaning"),
        [
            _row("largest eigenvalues", top + more, "of Σ̂ = XᵀX/n, not centred"),
            _row("rank", str(spectrum.rank), f"eigenvalues above rounding error, of {len(spectrum.eigenvalues)}"),
            _row("effective rank", _number(spectrum.effective_rank), "Tr(Σ̂)/‖Σ̂‖"),
            _row("Tr(Σ̂)/d", _number(spectrum.level), "average of ‖x‖²/d; ¼ to ½ in the paper's designs"),
            _row("resembles", case, found.reason),
        ],
    )


def _kernel(report: Diagnosis) -> Table:
    n, linear = report.gram_rows, report.linearization
    part = "all rows" if n == report.spectrum.n else f"{n:,} evenly spaced rows of {report.spectrum.n:,}"
    if linear is None:
        rows = [_row("‖K − K_lin‖", "–", "the kernel has no linear approximation here, see the notes")]
    else:
        words = f"α = {linear.alpha:.4g}, β = {linear.beta:.4g}, τ = {linear.tau:.4g}"
        verdict = "at most γ/2: the bounds apply" if linear.event else "above γ/2: the bounds do not apply"
        error = f"linearisation error, {verdict} (γ/2 = {linear.gamma / 2:.4g})"
        rows = [
            _row("γ", _number(linear.gamma), f"implicit regularisation of the kernel; {words}"),
            _row("‖K − K_lin‖", _number(linear.error), error),
        ]
    idle = " (no better than predicting 0)" if report.bias >= 1.0 - 1e-9 else ""
    gain = f"½ ln det(I + K); {report.information_gain / n:.3g} per row"
    rows += [
        _row("effective variance", _number(report.variance), "multiply by σ²"),
        _row("effective bias", _number(report.bias), f"multiply by B²{idle}"),
        _row("information gain", _number(report.information_gain), gain),
    ]
    return _table(f"{report.kernel} at N = {n:,} ({part})", ("", "value", "meaning"), rows)


def _hypotheses(report: Diagnosis) -> Table:
    title = f"The paper's hypotheses (checked on {report.assumption_rows:,} rows)"
    rows = (
        (Entry(line.name), Entry(line.verdict.value, tone=_TONES[line.verdict]), Entry(line.reason))
        for line in report.assumptions.lines
    )
    return _table(title, ("", "verdict", "reason"), rows)


def _rewards(report: Diagnosis) -> tuple[Table, ...]:
    if report.rewards is None:
        return ()
    arms = report.rewards.arms
    heads = ("arm", "rows", "error (RMSE)", "std of rewards", "explained", "correlation", "norm of fit")
    rows = [_fit_row(str(fit.arm), fit) for fit in arms[:_MOST_ARMS]]
    if len(arms) > _MOST_ARMS:
        rows.append(_row(f"… {len(arms) - _MOST_ARMS} more, see --json", *[""] * (len(heads) - 1)))
    rows.append(_fit_row("all arms together" if arms else "all rows", report.rewards.pooled, best=True))
    return (_table("Leave-one-out error of the interpolator (closed form)", heads, rows),)


def _fit_row(name: str, fit: FitError, best: bool = False) -> Row:
    explained = "–" if isnan(fit.explained) else f"{fit.explained:.1%}"
    return _row(
        name,
        f"{fit.n:,}",
        _number(fit.rmse),
        _number(fit.reward_std),
        explained,
        _number(fit.correlation),
        _number(fit.norm),
        best=best,
    )


def _budgets(report: Diagnosis) -> Table:
    found, budget = report.recommendation, report.paper_budget
    delta = "" if budget is None else f", Δ = {budget.given.delta:g}"
    rows = [_row("data-driven", "–", "–", "needs arms and rewards, see the notes")]
    if found is not None:
        spread = f"{found.n_explore:,} ({found.low:,} to {found.high:,})"
        rows = [_row("data-driven", spread, f"{found.n_per_arm:,}", found.reason, best=True)]
    if budget is None or budget.n_explore is None:
        rows.append(_row("paper's formula", "none", "–", report.paper_reason))
    else:
        rows.append(_row("paper's formula", f"{budget.n_explore:,}", _draws(budget), report.paper_reason))
    for step in () if budget is None else budget.steps:
        rows.append(_row(f"  {step.name}", "", "", f"{step.symbols} = {step.numbers} = {_number(step.value)}"))
    title = f"How long to explore: {', '.join(report.inputs.sources)}{delta}"
    return _table(title, ("", "T₀", "N per arm", "formula"), rows)


def _conclusion(report: Diagnosis) -> str:
    found, budget = report.recommendation, report.paper_budget
    if found is not None:
        return (
            f"Explore {found.n_explore:,} of {found.horizon:,} rounds, {found.n_per_arm:,} for each of "
            f"{report.inputs.n_arms} arms, including the pilot. A plausible range is {found.low:,} to {found.high:,}."
        )
    if budget is not None and budget.n_explore is not None:
        return (
            f"The paper's formula asks for {budget.n_explore:,} rounds. Play a few rounds per arm and run this again "
            "with arms and rewards."
        )
    return "No budget from contexts alone: play each arm about four times and run this again with arms and rewards."


def _draws(budget: Budget) -> str:
    return "none" if budget.n_per_arm is None else f"{budget.n_per_arm:,.6g}"


def _number(value: float) -> str:
    """Four digits, or a dash if it is not defined."""
    return "–" if isnan(value) else f"{value:.4g}"


def _row(*texts: str, best: bool = False) -> Row:
    return tuple(Entry(text, best=best) for text in texts)


def _table(title: str, heads: Sequence[str], rows: Iterable[Row]) -> Table:
    return Table(title, tuple(Column(head, numeric=False) for head in heads), tuple(rows))
