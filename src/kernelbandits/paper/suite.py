"""One part of the study beyond: all methods on a set of panels, compared by ratios of final regret, paired by seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import polars as pl

from kernelbandits import paper
from kernelbandits.environments.metrics import mean_and_standard_error, ratio_and_standard_error
from kernelbandits.experiments import Experiment, Panel, Results, Runner
from kernelbandits.paper.parts import StudyPart
from kernelbandits.reporting import Axis, Chart, Charts, Points, Rule, looks
from kernelbandits.specs import Count, Positive

YARDSTICK = "EtC"
DEFAULT = "default"
"""The name of `default_policy()` in tables."""


@final
@dataclass(frozen=True, slots=True)
class Suite(StudyPart):
    """Panels with the paper's eight and this library's policies.

    The default policy should reach `limit` × the regret of `against`: "EtC", or "best" for the best of the eight.
    """

    label: str
    about: str
    panels: tuple[Panel, ...] = field(repr=False)
    against: str
    limit: Positive
    horizon: Count = 2000
    seeds: Count = 10

    @property
    def name(self) -> str:
        return self.label

    @property
    def title(self) -> str:
        return f"{self.about}: final regret as a multiple of EtC's, T = {self.horizon:,}, {self.seeds} seeds"

    def rows(self, runner: Runner) -> pl.DataFrame:
        experiment = Experiment(self.label, self.panels, self.horizon, tuple(range(self.seeds)))
        results = runner.run(experiment)
        rows = [row for panel in self.panels for row in _compared(results, panel)]
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """One row per panel: the best of the eight, the default policy against both, the others' ratios to EtC."""
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

    def charts(self, rows: pl.DataFrame) -> Charts:
        names = [panel.name for panel in self.panels]
        marks: list[Points | Rule] = []
        for method, look in looks(rows["method"]).items():
            own = rows.filter(pl.col("method") == method)
            at = [names.index(panel) for panel in own["panel"]]
            if method != YARDSTICK:
                marks.append(Points(own["to_etc"].to_numpy(), at, look, method, best=method == DEFAULT))
        x, y = Axis("final regret / regret of EtC", "log"), Axis(names=names)
        chart = Chart(self.about, [*marks, Rule(1.0, "x")], x, y, legend="right")
        return Charts([chart], 1, height=max(3.2, 1.1 + 0.42 * len(self.panels)))  # the legend needs at least 3.2

    def findings(self, rows: pl.DataFrame) -> list[str]:
        column, whom = {"EtC": ("to_etc", "EtC"), "best": ("to_best", "the best of the paper's eight")}[self.against]
        own = rows.filter(pl.col("method") == DEFAULT).sort(column)
        worst = own.row(-1, named=True)
        kept = own.filter(pl.col(column) <= self.limit)
        missed = own.filter(pl.col(column) > self.limit)["panel"].to_list()
        return [
            f"default policy: at most {self.limit:g} × {whom} on {len(kept)} of {len(own)} panels; "
            f"the largest ratio is {_with_error(worst[column], worst[f'{column}_se'])} ({worst['panel']})",
            *([f"above {self.limit:g}: {', '.join(missed)}"] if missed else []),
        ]


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
