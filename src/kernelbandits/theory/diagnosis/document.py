"""A diagnosis or a budget as a document and as JSON, and the work of the commands `diagnose` and `budget`."""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from math import isnan
from pathlib import Path
from typing import Any

from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import one_thread
from kernelbandits.reporting import Column, Document, Entry, Findings, Section, Table, print_json, save, write_text
from kernelbandits.specs import to_table
from kernelbandits.tables import Encoder
from kernelbandits.theory import Budget, HypothesisVerdict
from kernelbandits.theory.diagnosis.budgets import FitError
from kernelbandits.theory.diagnosis.cross_validation import METHODS, N_FOLDS, ArmScores, HeldOutScores
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis, diagnose
from kernelbandits.theory.diagnosis.picture import diagnosis_picture
from kernelbandits.theory.diagnosis.samples import ContextSample
from kernelbandits.theory.diagnosis.verdict import Suitability

_TOP = 8
_MOST_ARMS = 10  # that a table shows; the record has all of them
_MORE = "Spectrum, hypotheses and formulas of the paper: again with --theory, or in diagnosis.json."
_OPEN = (Suitability.INTERPOLATION, Suitability.TOO_FEW, Suitability.NO_REWARDS)
"""Verdicts with which the conclusion is how long to explore."""
_TONES = {HypothesisVerdict.HOLDS: "green", HypothesisVerdict.FAILS: "red", HypothesisVerdict.UNKNOWN: "yellow"}


def report_sample(sample: ContextSample, folder: Path, *, as_json: bool, theory: bool, **options: Any) -> None:
    """Diagnose a sample, write picture and record to the folder, print the report; `theory` is for one with rewards."""
    started = time.monotonic()
    if folder.is_file():
        raise InvalidArgument(f"--out: {folder} is a file; give a folder")
    with one_thread():  # many small problems; threads that wait for each other cost more than they save
        report = diagnose(sample.contexts, sample.arms, sample.rewards, **options)
    report = replace(report, notes=(*sample.notes, *report.notes))
    document = diagnosis_document(report, sample.columns, sample.encoder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = save(diagnosis_picture(report), folder / "diagnosis")
    files = [*pictures, write_text(folder / "diagnosis.json", document.json(indent=1) + "\n")]
    seconds = time.monotonic() - started
    if as_json:
        print_json({**document.record, "files": [str(path) for path in files], "seconds": round(seconds, 3)})
    else:
        if report.held_out is not None and not theory:
            # What a practitioner asks for: the verdict, the numbers that decide, warnings, and where the rest is.
            notes = (*(f"Note: {note}" for note in report.notes), _conclusion(report), _MORE)
            verdict = Findings("Verdict", (report.verdict.text,))
            document = replace(document, sections=(verdict, _scores_table(report.held_out), Findings("", notes)))
        document.show(f"Finished in {seconds:.1f} s. In {folder}: {', '.join(path.name for path in files)}")


def diagnosis_document(report: Diagnosis, columns: Sequence[str] = (), encoder: Encoder | None = None) -> Document:
    """The document of a diagnosis of the features `columns`, made by the `encoder` if there is one."""
    encoded = None if encoder is None else json.loads(encoder.to_json())
    sections: tuple[Section, ...] = (
        Findings("Verdict", (report.verdict.text,)),
        *(() if report.held_out is None else (_scores_table(report.held_out),)),
        _contexts(report),
        _kernel(report),
        _hypotheses(report),
        *_rewards(report),
        _budgets(report),
        diagnosis_picture(report),
        Findings("Notes and conclusion", (*(f"Note: {note}" for note in report.notes), _conclusion(report))),
    )
    return Document("Diagnosis", sections, record=_record(report) | {"columns": columns, "encoder": encoded})


def budget_document(budget: Budget) -> Document:
    """The document of a budget by the paper's formulas: one row per formula, in symbols and in numbers."""
    given = zip("ΔKσBεd", asdict(budget.given).values(), strict=True)
    form = "as printed in the paper" if budget.as_printed else "the paper's formulas, corrected"
    rows = [
        *((f"given {name}", "", "", f"{value:g}") for name, value in given),
        *((step.name, step.symbols, step.numbers, _number(step.value)) for step in budget.steps),
        ("largest admissible ε", "bias below what is allowed", "", _number(budget.admissible_epsilon)),
        ("variance at N", "", "", "–" if budget.variance is None else _number(budget.variance)),
        ("draws per arm N", "", "", _draws(budget)),
        ("exploration T₀", "K N", "", "none" if budget.n_explore is None else f"{budget.n_explore:,}"),
    ]
    table = _table(f"{budget.case}, {budget.kernel}: {form}", ("", "formula", "with numbers", "value"), rows)
    outcome = f"{'Feasible' if budget.feasible else 'Not feasible'}: {budget.reason}"
    return Document("Exploration budget", (table, Findings("Outcome", (outcome,))), record=_budget_record(budget))


def _record(report: Diagnosis) -> dict[str, Any]:
    """All numbers and texts of a diagnosis; a document turns arrays into lists and NaN into null."""
    spectrum, case, budget = report.spectrum, report.classification.case, report.paper_budget
    linear = ("tau", "alpha", "beta", "gamma", "error", "event")
    promised = ("delta", "eta", "probability", "empty", "limit", "needed_dim", "reason")
    advice = ("n_explore", "n_per_arm", "low", "high", "explore_regret", "commit_regret", "regret", "reason")
    return {
        "verdict": {"kind": report.verdict.kind.name.lower(), "text": report.verdict.text},
        "held_out": report.held_out and _scores_record(report.held_out),
        "n": spectrum.n,
        "dim": spectrum.dim,
        "kernel": to_table(report.kernel),
        "spectrum": {**_pick(spectrum, "eigenvalues", "rank", "effective_rank"), "trace_per_dim": spectrum.level},
        "case": report.classification._asdict() | {"case": case and case.value},
        "assumptions": {
            "rows": report.assumption_rows,
            "lines": [line._asdict() | {"verdict": line.verdict.value} for line in report.assumptions.lines],
        },
        "linearisation": report.linearization and {"rows": report.gram_rows, **_pick(report.linearization, *linear)},
        "guarantee": report.guarantee and _pick(report.guarantee, *promised),
        "effective_variance": report.variance,
        "effective_bias": report.bias,
        **_pick(report, "information_gain", "gram_rows"),
        "curve": report.curve._asdict(),
        "leave_one_out": report.rewards
        and {"pooled": _fit(report.rewards.pooled), "arms": [_fit(fit) for fit in report.rewards.arms]},
        "paper_budget": {"reason": report.paper_reason, "plan": budget and _budget_record(budget)},
        "recommendation": report.recommendation
        and {**_pick(report.recommendation, *advice), "curve": report.recommendation.curve._asdict()},
        **report.inputs._asdict(),
        "notes": report.notes,
    }


def _budget_record(budget: Budget) -> dict[str, Any]:
    results = ("as_printed", "feasible", "n_explore", "n_per_arm", "variance", "bias", "allowed", "reason")
    return {
        "kernel": to_table(budget.kernel),
        "case": budget.case.value,
        "given": asdict(budget.given),
        **_pick(budget, *results, "admissible_epsilon"),
        "formulas": [step._asdict() for step in budget.steps],
    }


def _pick(source: object, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _fit(fit: FitError) -> dict[str, Any]:
    return fit._asdict() | {"explained": fit.explained}


def _contexts(report: Diagnosis) -> Table:
    spectrum, found = report.spectrum, report.classification
    top = ", ".join(f"{value:.3g}" for value in spectrum.eigenvalues[:_TOP])
    more = ", …" if len(spectrum.eigenvalues) > _TOP else ""
    case = "cannot tell" if found.case is None else f"{found.case}, confidence {found.confidence:.0%}"
    rows = [
        ("largest eigenvalues", top + more, "of Σ̂ = XᵀX/n, not centred"),
        ("rank", str(spectrum.rank), f"eigenvalues above rounding error, of {len(spectrum.eigenvalues)}"),
        ("effective rank", _number(spectrum.effective_rank), "Tr(Σ̂)/‖Σ̂‖"),
        ("Tr(Σ̂)/d", _number(spectrum.level), "average of ‖x‖²/d; ¼ to ½ in the paper's designs"),
        ("resembles", case, found.reason),
    ]
    title = f"Contexts: {spectrum.n:,} rows of {spectrum.dim:,} features (all rows)"
    return _table(title, ("", "value", "meaning"), rows)


def _kernel(report: Diagnosis) -> Table:
    n, linear = report.gram_rows, report.linearization
    part = "all rows" if n == report.spectrum.n else f"{n:,} evenly spaced rows of {report.spectrum.n:,}"
    rows = [("‖K − K_lin‖", "–", "the kernel has no linear approximation here, see the notes")]
    if linear is not None:
        words = f"α = {linear.alpha:.4g}, β = {linear.beta:.4g}, τ = {linear.tau:.4g}"
        verdict = "at most γ/2: the bounds apply" if linear.event else "above γ/2: the bounds do not apply"
        error = f"linearisation error, {verdict} (γ/2 = {linear.gamma / 2:.4g})"
        rows = [
            ("γ", _number(linear.gamma), f"implicit regularisation of the kernel; {words}"),
            ("‖K − K_lin‖", _number(linear.error), error),
        ]
    if report.guarantee is not None:
        promised = report.guarantee
        chance = "none" if promised.empty else f"at least {promised.probability:.3g}"
        words = "of the error theorems, 1 − 2δ_d − d⁻² − η_d" + (": the guarantee is empty" if promised.empty else "")
        rows += [("probability", chance, words)]
    idle = " (no better than predicting 0)" if report.bias >= 1.0 - 1e-9 else ""
    gain = f"½ ln det(I + K); {report.information_gain / n:.3g} per row"
    rows += [
        ("effective variance", _number(report.variance), "multiply by σ²"),
        ("effective bias", _number(report.bias), f"multiply by B²{idle}"),
        ("information gain", _number(report.information_gain), gain),
    ]
    return _table(f"{report.kernel} at N = {n:,} ({part})", ("", "value", "meaning"), rows)


def _hypotheses(report: Diagnosis) -> Table:
    rows = (
        (line.name, Entry(line.verdict.value, tone=_TONES[line.verdict]), line.reason)
        for line in report.assumptions.lines
    )
    title = f"The paper's hypotheses (checked on {report.assumption_rows:,} rows)"
    return _table(title, ("", "verdict", "reason"), rows)


def _rewards(report: Diagnosis) -> tuple[Table, ...]:
    if report.rewards is None:
        return ()
    heads = ("arm", "rows", "error (RMSE)", "std of rewards", "explained", "correlation", "norm of fit")
    title = "Leave-one-out error of the interpolator (closed form)"
    arms = [(str(fit.arm), *_fit_texts(fit)) for fit in report.rewards.arms]
    return (_arms_table(title, heads, arms, _fit_texts(report.rewards.pooled)),)


def _fit_texts(fit: FitError) -> tuple[str, ...]:
    explained = "–" if isnan(fit.explained) else f"{fit.explained:.1%}"
    rmse, std, correlation, norm = map(_number, (fit.rmse, fit.reward_std, fit.correlation, fit.norm))
    return f"{fit.n:,}", rmse, std, explained, correlation, norm


def _budgets(report: Diagnosis) -> Table:
    found, budget = report.recommendation, report.paper_budget
    rows: list[Iterable[str | Entry]] = [("data-driven", "none", "–", "see the notes")]
    if found is not None:
        spread = f"{found.n_explore:,} ({found.low:,} to {found.high:,})"
        texts = ("data-driven", spread, f"{found.n_per_arm:,}", found.reason)
        rows = [[Entry(text, best=True) for text in texts]]
    if budget is None or budget.n_explore is None:
        rows.append(("paper's formula", "none", "–", report.paper_reason))
    else:
        rows.append(("paper's formula", f"{budget.n_explore:,}", _draws(budget), report.paper_reason))
    for step in () if budget is None else budget.steps:
        rows.append((f"  {step.name}", "", "", f"{step.symbols} = {step.numbers} = {_number(step.value)}"))
    delta = "" if budget is None else f", Δ = {budget.given.delta:g}"
    title = f"How long to explore: {', '.join(report.inputs.sources)}{delta}"
    return _table(title, ("", "T₀", "N per arm", "formula"), rows)


def _conclusion(report: Diagnosis) -> str:
    found, budget = report.recommendation, report.paper_budget
    if report.verdict.kind not in _OPEN:
        return f"Verdict: {report.verdict.text}"
    if found is not None:
        return (
            f"Explore {found.n_explore:,} of {found.horizon:,} rounds, {found.n_per_arm:,} for each of "
            f"{report.inputs.n_arms} arms, including the pilot. A plausible range is {found.low:,} to {found.high:,}."
        )
    if budget is not None and budget.n_explore is not None:
        rounds = f"{budget.n_explore:,} rounds"
        return f"The paper's formula asks for {rounds}. Play a few per arm and run this again with arms and rewards."
    return "No budget from contexts alone: play each arm about four times and run this again with arms and rewards."


def _draws(budget: Budget) -> str:
    return "none" if budget.n_per_arm is None else f"{budget.n_per_arm:,.6g}"


def _number(value: float) -> str:
    """Four digits, or a dash if it is not defined."""
    return "–" if isnan(value) else f"{value:.4g}"


def _table(title: str, heads: Sequence[str], rows: Iterable[Iterable[str | Entry]]) -> Table:
    entries = (tuple(Entry(cell) if isinstance(cell, str) else cell for cell in row) for row in rows)
    return Table(title, tuple(Column(head, numeric=False) for head in heads), tuple(entries))


def _arms_table(title: str, heads: Sequence[str], arms: Sequence[Sequence[str]], pooled: Sequence[str]) -> Table:
    """One row per arm, its name first, at most ten of them, and one for all arms together."""
    rows = [*arms[:_MOST_ARMS]]
    if len(arms) > _MOST_ARMS:
        rows.append([f"… {len(arms) - _MOST_ARMS} more, see --json", *[""] * (len(heads) - 1)])
    last = ("all arms together" if arms else "all rows", *pooled)
    return _table(title, heads, [*rows, [Entry(text, best=True) for text in last]])


def _scores_table(found: HeldOutScores) -> Table:
    """R² of every method with its standard error, and correlations, per arm and of all arms together."""
    heads = ("arm", "rows", *METHODS, "mean", *(f"correlation, {name}" for name in METHODS))
    title = f"Held-out R² ± standard error ({N_FOLDS}-fold cross-validation; permutation test p = {found.signal:.2g})"
    return _arms_table(title, heads, [(str(each.arm), *_texts(each)) for each in found.arms], _texts(found.pooled))


def _texts(scores: ArmScores) -> tuple[str, ...]:
    found = [scores.scores[method] for method in METHODS]
    shares = (f"{score.r_squared:.3g} ± {score.r_squared_error:.2g}" for score in found)
    return (f"{scores.n:,}", *shares, "0", *(f"{score.correlation:.2f}" for score in found))


def _scores_record(found: HeldOutScores) -> dict[str, Any]:
    """All numbers: of all arms together and of each arm, by method."""
    return {
        "folds": N_FOLDS,
        "p_value": found.signal,
        **_pick(found, "advantage", "gain", "linear_share", "linear_share_error"),
        "pooled": _arm_record(found.pooled),
        "arms": [_arm_record(scores) for scores in found.arms],
    }


def _arm_record(scores: ArmScores) -> dict[str, Any]:
    return {"arm": scores.arm, "n": scores.n} | {name: score._asdict() for name, score in scores.scores.items()}
