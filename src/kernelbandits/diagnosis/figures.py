"""The picture of a diagnosis: a pure function of the report."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kernelbandits.diagnosis.report import Diagnosis

_BLUE, _ORANGE, _GREEN, _BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
_FLOOR = 1e-12


def diagnosis_picture(report: Diagnosis) -> Figure:
    """Left the spectrum, right the effective bias and variance against N with the recommended N marked."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_spectrum(left, report)
    _draw_errors(right, report)
    for axes in (left, right):
        axes.set_axisbelow(True)
        axes.grid(visible=True, color="0.92", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_spectrum(axes: Axes, report: Diagnosis) -> None:
    values = report.spectrum.eigenvalues
    order = np.arange(1, len(values) + 1)
    seen = values > _FLOOR * max(float(values[0]), 1e-300)
    axes.plot(order[seen], values[seen], color=_BLUE, marker="o", markersize=3, linewidth=1.0)
    if seen.any():
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.axhline(max(report.spectrum.level, 1e-300), color="0.45", linestyle=":", linewidth=1.0)
    axes.annotate(
        f"Tr(Σ)/d = {report.spectrum.level:.3g}",
        (0.02, max(report.spectrum.level, 1e-300)),
        xycoords=("axes fraction", "data"),
        xytext=(0, -3),
        textcoords="offset points",
        va="top",
        fontsize=8,
        color="0.35",
    )
    case = report.classification.case
    found = "no case recognised" if case is None else f"resembles {case}, {report.classification.confidence:.0%} sure"
    axes.set_title(f"Spectrum: {found}", fontsize=10)
    axes.set_xlabel(f"eigenvalue number (rank {report.spectrum.rank} of {report.spectrum.dim} features)")
    axes.set_ylabel("eigenvalue of XᵀX/n")


def _draw_errors(axes: Axes, report: Diagnosis) -> None:
    curve = report.curve
    axes.plot(curve.sizes, curve.bias, color=_ORANGE, marker="s", markersize=4, label="effective bias (× B²)")
    shown = np.isfinite(curve.variance) & (curve.variance > 0)
    if shown.any():
        axes.plot(
            curve.sizes[shown],
            curve.variance[shown],
            color=_BLUE,
            marker="o",
            markersize=4,
            label="effective variance (× σ²)",
        )
    _draw_recommendation(axes, report)
    axes.set_xscale("log")
    if shown.any() or (curve.bias > 0).any():
        axes.set_yscale("log")
    axes.set_xlabel("draws per arm N")
    axes.set_ylabel("error, relative")
    axes.set_title(f"Bias and variance with {report.kernel}", fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="best")


def _draw_recommendation(axes: Axes, report: Diagnosis) -> None:
    found, plan = report.recommendation, report.plan
    if found is not None:
        measured = found.curve
        axes.plot(
            measured.sizes,
            measured.unexplained,
            color=_GREEN,
            marker="^",
            markersize=4,
            linestyle="none",
            label="measured: 1 − ρ² (leave-one-out)",
        )
        n = np.geomspace(1, max(found.n_per_arm, int(measured.sizes[-1])), 50)
        axes.plot(n, 1.0 - found.curve.correlation(n) ** 2, color=_GREEN, linewidth=1.0, linestyle="--")
        axes.axvspan(
            max(found.low / report.n_arms, 1), max(found.high / report.n_arms, 1), color=_BLACK, alpha=0.08, lw=0
        )
        label = f"recommended: N = {found.n_per_arm:,} (T₀ = {found.n_explore:,})"
        axes.axvline(found.n_per_arm, color=_BLACK, linewidth=1.2, label=label)
    if plan is not None and plan.budget.n_per_arm is not None and plan.budget.n_explore is not None:
        label = f"paper's formula: N = {plan.budget.n_per_arm:,.0f} (T₀ = {plan.budget.n_explore:,})"
        axes.axvline(plan.budget.n_per_arm, color="0.45", linestyle=":", linewidth=1.2, label=label)
    else:
        axes.plot([], [], linestyle="none", label="paper's formula: no budget")
