"""One part of the study: all methods on a set of panels, compared by ratios of final regret, paired by seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import polars as pl
from matplotlib.figure import SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from kernelbandits import paper
from kernelbandits.environments.metrics import mean_and_standard_error, ratio_and_standard_error
from kernelbandits.experiments import Experiment, Panel, Results
from kernelbandits.paper.beyond.panels import DEFAULT
from kernelbandits.paper.parts import Part
from kernelbandits.paper.work import Work
from kernelbandits.reporting.figures import plain, style
from kernelbandits.reporting.styles import places

YARDSTICK = "EtC"


@final
@dataclass(frozen=True, slots=True)
class Suite(Part):
    """Panels with the paper's eight and the new policies. `promise` is what the default policy should reach.

    `promise` is a pair: compared with "EtC" or with "best", the best of the paper's eight, and the ratio.
    """

    label: str
    about: str
    panels: tuple[Panel, ...] = field(repr=False)
    promise: tuple[str, float]
    horizon: int = 2000
    seeds: int = 10

    @property
    def name(self) -> str:
        return self.label

    @property
    def title(self) -> str:
        return f"{self.about}: final regret as a multiple of EtC's, T = {self.horizon:,}, {self.seeds} seeds"

    @property
    def height(self) -> float:
        return max(3.2, 1.1 + 0.42 * len(self.panels))  # the legend needs the least

    def rows(self, work: Work) -> pl.DataFrame:
        experiment = Experiment(self.label, self.panels, self.horizon, tuple(range(self.seeds)))
        results = work.run(experiment)
        rows = [row for panel in self.panels for row in _compared(results, panel)]
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """A row a panel: the best of the eight, the default policy against both, then the others' ratios to EtC."""
        lines = []
        for panel in self.panels:
            own = {row["method"]: row for row in rows.filter(pl.col("panel") == panel.name).iter_rows(named=True)}
            default = own[DEFAULT]
            line = {
                "panel": panel.name,
                "EtC": own[YARDSTICK]["mean_regret"],
                "best of eight": default["best"],
                "its regret": own[default["best"]]["mean_regret"],
                "default / EtC": _with_error(default["to_etc"], default["to_etc_se"]),
                "default / best": _with_error(default["to_best"], default["to_best_se"]),
            }
            others = [name for name in own if name not in (*paper.methods(dim=1), DEFAULT)]
            lines.append(line | {name: own[name]["to_etc"] for name in others})
        return pl.DataFrame(lines)

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        axes = figure.subplots()
        methods = [name for name in rows["method"].unique(maintain_order=True) if name != YARDSTICK]
        names = [panel.name for panel in self.panels]
        for method, place in places((YARDSTICK, *methods)).items():
            if method == YARDSTICK:
                continue
            own = rows.filter(pl.col("method") == method)
            looks = style(place)
            axes.plot(
                own["to_etc"].to_numpy(),
                [names.index(panel) for panel in own["panel"]],
                linestyle="none",
                marker="*" if method == DEFAULT else looks.get("marker", "o"),
                markersize=13 if method == DEFAULT else 6,
                color=looks["color"],
                markeredgecolor="black" if method == DEFAULT else looks["color"],
                label=method,
                alpha=1.0 if method == DEFAULT else 0.75,
                zorder=3 if method == DEFAULT else 2,
            )
        axes.axvline(1.0, color="0.45", linestyle=":", linewidth=1.0)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("final regret / regret of EtC")
        axes.set_title(self.about, fontsize=10)
        plain(axes)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))

    def findings(self, rows: pl.DataFrame) -> list[str]:
        against, limit = self.promise
        column = {"EtC": "to_etc", "best": "to_best"}[against]
        own = rows.filter(pl.col("method") == DEFAULT).sort(column)
        whom = "EtC" if against == "EtC" else "the best of the paper's eight"
        worst = own.row(-1, named=True)
        kept = own.filter(pl.col(column) <= limit)
        lines = [
            f"default policy: at most {limit:g} × {whom} on {len(kept)} of {len(own)} panels; "
            f"the largest ratio is {_with_error(worst[column], worst[f'{column}_se'])} ({worst['panel']})"
        ]
        missed = own.filter(pl.col(column) > limit)["panel"].to_list()
        return lines + ([f"above {limit:g}: {', '.join(missed)}"] if missed else [])


def _compared(results: Results, panel: Panel) -> list[dict[str, object]]:
    """Every method of a panel against EtC and against the best of the paper's eight, seed by seed."""
    final = {method: results.curves(panel.name, method)[:, -1] for method in panel.methods}
    eight = [method for method in paper.methods(dim=1) if method in final]
    best = min(eight, key=lambda method: float(final[method].mean()))
    rows: list[dict[str, object]] = []
    for method, regrets in final.items():
        mean, error = mean_and_standard_error(regrets)
        to_etc, to_etc_se = ratio_and_standard_error(regrets, final[YARDSTICK])
        to_best, to_best_se = ratio_and_standard_error(regrets, final[best])
        rows.append(
            {
                "panel": panel.name,
                "method": method,
                "mean_regret": float(mean),
                "standard_error": float(error),
                "to_etc": to_etc,
                "to_etc_se": to_etc_se,
                "best": best,
                "to_best": to_best,
                "to_best_se": to_best_se,
            }
        )
    return rows


def _with_error(value: float, error: float | None) -> str:
    return f"{value:.2f}" if error is None else f"{value:.2f} ± {error:.2f}"
