"""Curves of cumulative regret to look into: a panel an environment, a legend that switches methods on and off."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.experiments.grid import Panel
from kernelbandits.experiments.results import Results
from kernelbandits.reporting.styles import Look, look, places
from kernelbandits.types import Array

_EVEN, _GROWING = 260, 60
"""How many rounds a curve is shown at, evenly spaced and by equal ratios, the latter for logarithmic axes."""
_DIGITS = 6
_SCALES = {"linear": "linear", "log": "log regret", "loglog": "log–log"}


@final
@dataclass(frozen=True, slots=True)
class Curves:
    """Mean cumulative regret against the round with bands of one standard error, and the values under the pointer."""

    title: str
    results: Results

    def body(self) -> str:
        experiment = self.results.experiment
        looks = {method: look(place) for method, place in places(experiment.methods).items()}
        legend = "".join(_legend_entry(i, method, looks[method]) for i, method in enumerate(experiment.methods))
        if any(panel.mark for panel in experiment.panels):
            legend += '<li class="mark"><i></i>end of exploration</li>'
        panels = "".join(_panel(panel, experiment.horizon) for panel in experiment.panels)
        return (
            f'<div class="curves"><p>{escape(_caption(len(experiment.seeds)))}</p>'
            '<noscript><p class="note">The curves need scripts to be allowed; the table below does not.</p></noscript>'
            f'<div class="controls"><ul class="legend" aria-label="methods">{legend}</ul>{_switches()}</div>'
            f'<div class="panels across-{min(experiment.columns, len(experiment.panels), 4)}">{panels}</div>'
            f'<script type="application/json">{_json(curve_data(self.results))}</script></div>'
        )


def curve_data(results: Results) -> dict[str, Any]:
    """What the script draws: the rounds shown, the methods' looks, and mean and standard error by panel and method."""
    experiment = results.experiment
    marks = [panel.mark for panel in experiment.panels if panel.mark]
    rounds = shown_rounds(experiment.horizon, marks)
    looks = [look(place) for place in places(experiment.methods).values()]
    return {
        "horizon": experiment.horizon,
        "rounds": rounds.tolist(),
        "methods": [
            {"name": method, "colour": a.colour, "dash": _dash(a), "marker": a.marker}
            for method, a in zip(experiment.methods, looks, strict=True)
        ],
        "panels": [_panel_data(results, panel, rounds) for panel in experiment.panels],
    }


def shown_rounds(horizon: int, marks: list[int]) -> NDArray[np.int64]:
    """All rounds of a short run; of a long one some hundreds, the first, the last and the marked ones among them."""
    if horizon <= _EVEN + _GROWING:
        return np.arange(1, horizon + 1)
    even = np.linspace(1, horizon, _EVEN)
    growing = np.geomspace(1, horizon, _GROWING)
    marked = [mark for mark in marks if mark <= horizon]
    return np.unique(np.concatenate([even, growing, marked]).round().astype(np.int64))


def decimals(largest: float) -> int:
    """Digits after the point in a panel whose largest mean is this: three figures or more are shown of it."""
    return 1 if not largest < 10.0 else 2 if largest >= 1.0 else 3


def _panel_data(results: Results, panel: Panel, rounds: NDArray[np.int64]) -> dict[str, Any]:
    curves, finals = [], []
    for method in panel.methods:
        mean, error = mean_and_standard_error(results.curves(panel.name, method))
        finals.append(float(mean[-1]))
        known = bool(np.isfinite(error).all())
        curves.append(
            {
                "method": results.experiment.methods.index(method),
                "mean": _rounded(mean[rounds - 1]),
                "error": _rounded(error[rounds - 1]) if known else None,
            }
        )
    return {"name": panel.name, "mark": panel.mark, "decimals": decimals(max(finals)), "curves": curves}


def _rounded(values: Array) -> list[float | None]:
    """Six figures are enough for any screen; what is not finite leaves a gap."""
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in values.tolist()]


def _json(data: dict[str, Any]) -> str:
    """JSON that no name can break out of: `</script>` cannot occur in it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _dash(a: Look) -> str:
    return " ".join(f"{1.7 * length:.3g}" for length in a.dashes)


def _caption(seeds: int) -> str:
    known = "Mean over 1 seed." if seeds == 1 else f"Mean over {seeds} seeds; the band is one standard error."
    return f"{known} Point at a panel, tap it, or use the arrow keys in it, to read the values of a round."


def _legend_entry(i: int, method: str, a: Look) -> str:
    return (
        f'<li><button type="button" aria-pressed="true" data-method="{i}">'
        f'<svg class="c{a.colour}" viewBox="0 0 34 12" aria-hidden="true"></svg>{escape(method)}</button></li>'
    )


def _switches() -> str:
    scales = "".join(
        f'<button type="button" data-scale="{key}" aria-pressed="{str(key == "linear").lower()}">{words}</button>'
        for key, words in _SCALES.items()
    )
    return (
        '<div class="switches"><div class="choice" role="group" aria-label="methods shown">'
        '<button type="button" data-show="all">show all</button>'
        '<button type="button" data-show="none">hide all</button>'
        f'</div><div class="choice scales" role="group" aria-label="axes">{scales}</div></div>'
    )


def _panel(panel: Panel, horizon: int) -> str:
    name = escape(panel.name)
    return (
        f'<figure class="panel"><figcaption>{name}</figcaption><div class="plot">'
        f'<svg tabindex="0" role="slider" aria-label="Cumulative regret, {name}: round"'
        f' aria-valuemin="1" aria-valuemax="{horizon}" aria-valuenow="{horizon}"></svg>'
        '<div class="readout" aria-hidden="true" hidden></div></div></figure>'
    )
