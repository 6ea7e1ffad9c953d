"""The picture of a diagnosis, described as data."""

import numpy as np

from kernelbandits.reporting import Axis, Chart, Charts, Line, Look, Mark, Picture, Points, Remark, Rule, Shade
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis

_BIAS, _VARIANCE = Look(1, marker="s"), Look(2, marker="o")
_MEASURED, _FITTED = Look(4, marker="^"), Look(4, dashes=(5, 1.5))


def diagnosis_picture(report: Diagnosis) -> Picture:
    """On the left the spectrum, on the right effective bias and variance against N with the recommended N."""
    # The legend is below the charts: inside, it would cover a curve of some sample.
    charts = Charts((_spectrum(report), _errors(report)), 2, 4.8, legend="outside lower center")
    description = "Eigenvalues of the contexts, and effective bias and variance against the number of draws per arm."
    return Picture("Spectrum, bias and variance", (charts,), description, width=10.0)


def _spectrum(report: Diagnosis) -> Chart:
    values, case = report.spectrum.eigenvalues, report.classification.case
    seen = values > 1e-12 * max(float(values[0]), 1e-300)
    level = max(report.spectrum.level, 1e-300)
    x = f"eigenvalue number (rank {report.spectrum.rank} of {report.spectrum.dim} features)"
    x_axis, y_axis = Axis(x), Axis("eigenvalue of XᵀX/n")
    if seen.any():
        # At least two decades, so that a flat spectrum looks flat.
        low, high = 0.7 * min(values[seen].min(), values[0] / 100.0), 1.5 * values[0]
        x_axis, y_axis = Axis(x, "log"), Axis(y_axis.label, "log", low=low, high=high)
    return Chart(
        f"Spectrum: {'no case recognised' if case is None else f'resembles {case}'}",
        (
            Line(np.arange(1, len(values) + 1)[seen], values[seen], _VARIANCE),
            Rule(level, "y"),
            Remark(f"Tr(Σ)/d = {report.spectrum.level:.3g}", 0.02, level, below=True),
        ),
        x_axis,
        y_axis,
    )


def _errors(report: Diagnosis) -> Chart:
    curve = report.curve
    marks: list[Mark] = [Line(curve.sizes, curve.bias, _BIAS, "effective bias, in B²")]
    shown = np.isfinite(curve.variance) & (curve.variance > 0)
    if shown.any():
        marks.append(Line(curve.sizes[shown], curve.variance[shown], _VARIANCE, "effective variance, in σ²"))
    errors = Axis("error (units: see legend)")
    positive = np.concatenate([curve.bias[curve.bias > 0], curve.variance[shown]])
    if len(positive):
        # At least a decade, so that a bias that stays at 1 looks constant, whatever its rounding errors.
        flat = report.recommendation is None and positive.max() < 3.0 * positive.min()
        limits = {"low": positive.min() / 3.0, "high": 3.0 * positive.max()} if flat else {}
        errors = Axis(errors.label, "log", **limits)
    return Chart(
        f"Bias and variance with {report.kernel}",
        (*marks, *_advice(report), _paper_budget(report)),
        Axis("draws per arm N", "log"),
        errors,
    )


def _advice(report: Diagnosis) -> list[Mark]:
    found = report.recommendation
    if found is None:
        return []
    measured = found.curve
    n = np.geomspace(1, max(found.n_per_arm, int(measured.sizes[-1])), 50)
    low, high = (max(rounds / report.inputs.n_arms, 1) for rounds in (found.low, found.high))
    label = f"recommended: N = {found.n_per_arm:,} (T₀ = {found.n_explore:,})"
    return [
        Points(measured.sizes, measured.unexplained, _MEASURED, "unexplained share of rewards, measured"),
        Line(n, 1.0 - measured.correlation(n) ** 2, _FITTED, "unexplained share, fitted"),
        Rule(found.n_per_arm, "x", label, dashes=(), colour="black"),
        Shade(low, high, "x", "recommended N: 5 % to 95 % range"),
    ]


def _paper_budget(report: Diagnosis) -> Mark:
    budget = report.paper_budget
    if budget is None or budget.n_per_arm is None:
        return Points((), (), Look(0), "paper's formula: no budget")
    label = f"paper's formula: N = {budget.n_per_arm:,.0f} (T₀ = {budget.n_explore:,})"
    if budget.n_per_arm > 30 * report.curve.sizes[-1]:  # a line so far out would squeeze everything else together
        return Points((), (), Look(0), label)
    return Rule(budget.n_per_arm, "x", label)
