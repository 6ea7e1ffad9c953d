"""The picture of a diagnosis: a pure function of the report."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from kernelbandits.theory.diagnosis.report import Diagnosis

_BLUE, _ORANGE, _GREEN, _BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
_FLOOR = 1e-12
_FAR = 30


def diagnosis_picture(report: Diagnosis) -> Figure:
    """Left the spectrum, right the effective bias and variance against N with the recommended N marked."""
    figure = Figure(figsize=(10.0, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_spectrum(left, report)
    _draw_errors(right, report)
    # Below the panels: inside, it would cover a curve on one sample or another.
    figure.legend(*right.get_legend_handles_labels(), fontsize=9, frameon=False, loc="outside lower center", ncols=3)
    for axes in (left, right):
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
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
        # At least two decades, so that a level spectrum looks level.
        axes.set_ylim(0.7 * min(values[seen].min(), values[0] / 100.0), 1.5 * values[0])
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
    found = "no case recognised" if case is None else f"resembles {case}"
    axes.set_title(f"Spectrum: {found}", fontsize=10)
    axes.set_xlabel(f"eigenvalue number (rank {report.spectrum.rank} of {report.spectrum.dim} features)")
    axes.set_ylabel("eigenvalue of XᵀX/n")


def _draw_errors(axes: Axes, report: Diagnosis) -> None:
    curve = report.curve
    axes.plot(curve.sizes, curve.bias, color=_ORANGE, marker="s", markersize=4, label="effective bias, in B²")
    shown = np.isfinite(curve.variance) & (curve.variance > 0)
    if shown.any():
        axes.plot(
            curve.sizes[shown],
            curve.variance[shown],
            color=_BLUE,
            marker="o",
            markersize=4,
            label="effective variance, in σ²",
        )
    _draw_recommendation(axes, report)
    axes.set_xscale("log")
    if shown.any() or (curve.bias > 0).any():
        axes.set_yscale("log")
    axes.set_xlabel("draws per arm N")
    axes.set_ylabel("error (units: see legend)")
    axes.set_title(f"Bias and variance with {report.kernel}", fontsize=10)


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
            label="unexplained share of rewards, measured",
        )
        n = np.geomspace(1, max(found.n_per_arm, int(measured.sizes[-1])), 50)
        axes.plot(
            n,
            1.0 - found.curve.correlation(n) ** 2,
            color=_GREEN,
            linewidth=1.0,
            linestyle="--",
            label="unexplained share, fitted",
        )
        label = f"recommended: N = {found.n_per_arm:,} (T₀ = {found.n_explore:,})"
        axes.axvline(found.n_per_arm, color=_BLACK, linewidth=1.2, label=label)
        low, high = max(found.low / report.n_arms, 1), max(found.high / report.n_arms, 1)
        axes.axvspan(low, high, color=_BLACK, alpha=0.1, lw=0, label="recommended N: 5 % to 95 % range")
    if plan is None or plan.budget.n_per_arm is None or plan.budget.n_explore is None:
        axes.plot([], [], linestyle="none", label="paper's formula: no budget")
        return
    label = f"paper's formula: N = {plan.budget.n_per_arm:,.0f} (T₀ = {plan.budget.n_explore:,})"
    if plan.budget.n_per_arm > _FAR * report.curve.sizes[-1]:  # so far out that it would squeeze all else together
        axes.plot([], [], linestyle="none", label=label)
        return
    axes.axvline(plan.budget.n_per_arm, color="0.45", linestyle=":", linewidth=1.2, label=label)
