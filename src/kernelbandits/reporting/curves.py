"""Interactive curves: one panel per environment, and a legend that switches methods on and off."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.reporting.styles import Look
from kernelbandits.types import Array

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVEN, _GROWING = 260, 60
"""How many rounds a curve is shown at: evenly spaced, and at equal ratios for logarithmic axes."""
_SWITCHES = (
    '<div class="switches"><div class="choice" role="group" aria-label="methods shown">'
    '<button type="button" data-show="all">show all</button>'
    '<button type="button" data-show="none">hide all</button>'
    '</div><div class="choice scales" role="group" aria-label="axes">'
    '<button type="button" data-scale="linear" aria-pressed="true">linear</button>'
    '<button type="button" data-scale="log" aria-pressed="false">log regret</button>'
    '<button type="button" data-scale="loglog" aria-pressed="false">log–log</button></div></div>'
)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PanelCurves:
    """The curves of a panel by method. `mark` is a round to mark; `decimals` are shown of each value.

    A curve is the mean and its standard error over seeds in every round, shape (T,); None for a single seed.
    """

    name: str
    curves: Mapping[str, tuple[Array, Array | None]]
    mark: int | None
    decimals: int


@final
@dataclass(frozen=True, slots=True)
class Curves:
    """Curves against the round with bands of one standard error, and the values under the pointer."""

    title: str
    caption: str
    horizon: int
    looks: Mapping[str, Look]
    panels: tuple[PanelCurves, ...]
    columns: int

    def html(self) -> str:
        legend = "".join(
            f'<li><button type="button" aria-pressed="true" data-method="{i}">'
            f'<svg class="c{look.colour}" viewBox="0 0 34 12" aria-hidden="true"></svg>{escape(method)}</button></li>'
            for i, (method, look) in enumerate(self.looks.items())
        )
        if any(panel.mark for panel in self.panels):
            legend += '<li class="mark"><i></i>end of exploration</li>'
        panels = "".join(self._panel(panel.name) for panel in self.panels)
        # No name can break out of the JSON: `</script>` cannot occur in it.
        data = json.dumps(self.data(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        hint = "Point at a panel, tap it, or use the arrow keys in it, to read the values of a round."
        return (
            f'<div class="curves"><p>{escape(self.caption)} {hint}</p>'
            '<noscript><p class="note">The curves need scripts to be allowed; the table below does not.</p></noscript>'
            f'<div class="controls"><ul class="legend" aria-label="methods">{legend}</ul>{_SWITCHES}</div>'
            f'<div class="panels across-{min(self.columns, len(self.panels), 4)}">{panels}</div>'
            f'<script type="application/json">{data}</script></div>'
        )

    def terminal(self) -> Iterable[RenderableType]:
        return ()

    def data(self) -> dict[str, Any]:
        """What the page's script draws: the rounds shown, the methods' looks, and the curves by panel."""
        rounds = shown_rounds(self.horizon, [panel.mark for panel in self.panels if panel.mark])
        methods = list(self.looks)
        return {
            "horizon": self.horizon,
            "rounds": rounds.tolist(),
            "methods": [
                {
                    "name": method,
                    "colour": look.colour,
                    "dash": " ".join(f"{1.7 * length:.3g}" for length in look.dashes),
                    "marker": look.marker,
                }
                for method, look in self.looks.items()
            ],
            "panels": [
                {
                    "name": panel.name,
                    "mark": panel.mark,
                    "decimals": panel.decimals,
                    "curves": [
                        {
                            "method": methods.index(method),
                            "mean": _rounded(mean[rounds - 1]),
                            "error": None if error is None else _rounded(error[rounds - 1]),
                        }
                        for method, (mean, error) in panel.curves.items()
                    ],
                }
                for panel in self.panels
            ],
        }

    def _panel(self, name: str) -> str:
        return (
            f'<figure class="panel"><figcaption>{escape(name)}</figcaption><div class="plot">'
            f'<svg tabindex="0" role="slider" aria-label="Cumulative regret, {escape(name)}: round"'
            f' aria-valuemin="1" aria-valuemax="{self.horizon}" aria-valuenow="{self.horizon}"></svg>'
            '<div class="readout" aria-hidden="true" hidden></div></div></figure>'
        )


def shown_rounds(horizon: int, marks: list[int]) -> NDArray[np.int64]:
    """All rounds of a short run; of a long one some hundreds, with the first, the last and the marked ones."""
    if horizon <= _EVEN + _GROWING:
        return np.arange(1, horizon + 1)
    even = np.linspace(1, horizon, _EVEN)
    growing = np.geomspace(1, horizon, _GROWING)
    marked = [mark for mark in marks if mark <= horizon]
    return np.unique(np.concatenate([even, growing, marked]).round().astype(np.int64))


def _rounded(values: Array) -> list[float | None]:
    """Six figures are enough for any screen; a value that is not finite leaves a gap."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values.tolist()]
