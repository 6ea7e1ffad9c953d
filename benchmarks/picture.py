"""A picture of the ratios."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from benchmarks.report import Measured


def ratios(measured: Sequence[Measured]) -> Figure:
    """Time of each contender in times ours, on a logarithmic axis; a bar to the right means that ours is faster."""
    bars = [
        (f"{item.case.name}: {name}", item.ratio(name)) for item in measured for name in item.timings if name != "ours"
    ]
    figure = Figure(figsize=(8.0, 0.9 + 0.3 * len(bars)), layout="constrained")
    axes = figure.subplots()
    labels, values = [label for label, _ in bars], [value for _, value in bars]
    places = range(len(bars))
    axes.barh(places, [value - 1.0 for value in values], left=1.0, color="#0072B2", height=0.6)
    axes.set_yticks(places, labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    for place, value in zip(places, values, strict=True):
        axes.annotate(
            f"{value:.2f}", (max(value, 1.0), place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.margins(x=0.12)
    axes.set_xlabel("time of the contender / time of ours")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
