"""Lenient regret R_Δ(T) against Δ: Theorems 4.11 and C.2, lenient regret bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import paper
from kernelbandits.environments import Synthetic
from kernelbandits.environments.metrics import lenient_regret
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Runner, counted
from kernelbandits.paper.parts import StudyPart, line
from kernelbandits.paper.theory.designs import DESIGNS
from kernelbandits.reporting import Axis, Chart, Charts
from kernelbandits.specs import Count

METHODS = ("EtC", "CGP-UCB")


@final
@dataclass(frozen=True, slots=True)
class Lenient(StudyPart):
    """EtC with T₀ = d, and CGP-UCB, on the three designs: regret above Δ per round, the mean over seeds taken first."""

    name: ClassVar[str] = "lenient"
    horizon: Count = 2000
    deltas: tuple[float, ...] = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    n_arms: Count = 20
    dim: Count = 100
    seeds: Count = 10

    def _validate(self) -> None:
        if self.horizon <= self.dim:
            raise InvalidArgument(f"lenient: the horizon must be above {self.dim}, the T₀ of EtC; got {self.horizon}")

    @property
    def title(self) -> str:
        return (
            f"lenient regret R_Δ(T) by Δ, d = {self.dim}, K = {self.n_arms}, T = {self.horizon}, T₀ = d, "
            f"{counted(self.seeds, 'seed')}"
        )

    def experiment(self) -> Experiment:
        """Both methods on the three designs."""
        methods = {name: policy for name, policy in paper.methods(self.dim).items() if name in METHODS}
        panels = tuple(
            Panel(name, Synthetic(design, n_arms=self.n_arms, dim=self.dim), methods)
            for name, design in DESIGNS.items()
        )
        return Experiment("lenient", panels, self.horizon, tuple(range(self.seeds)))

    def rows(self, runner: Runner) -> pl.DataFrame:
        results = runner.run(self.experiment())
        found = []
        for design in DESIGNS:
            for method in METHODS:
                cumulative = results.curves(design, method)
                regrets = np.diff(cumulative, axis=1, prepend=0.0)
                for delta in self.deltas:
                    total = lenient_regret(regrets, delta)
                    later = float(total[-1] - total[self.dim - 1])
                    found.append((design, method, delta, float(total[-1]), later))
        schema = ["design", "method", "delta", "lenient_regret", "after_exploration"]
        return pl.DataFrame(found, schema=schema, orient="row")

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        named = rows.with_columns(pl.format("Δ = {}", "delta").alias("delta"))
        return named.pivot("delta", index=["design", "method"], values="lenient_regret")

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, design in enumerate(DESIGNS):
            etc, ucb = (rows.filter((pl.col("design") == design) & (pl.col("method") == method)) for method in METHODS)
            marks = [
                line(etc, "delta", "lenient_regret", 0, "EtC"),
                line(etc, "delta", "after_exploration", 2, "EtC after exploration"),
                line(ucb, "delta", "lenient_regret", 4, "CGP-UCB"),
            ]
            y = Axis("" if i else f"lenient regret, T = {self.horizon}", "symlog", low=0)
            charts.append(Chart(design, marks, Axis("Δ"), y, legend="best" if i == len(DESIGNS) - 1 else ""))
        return Charts(charts, len(DESIGNS), height=3.4, share_y=True)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for design in DESIGNS:
            own = rows.filter((pl.col("design") == design) & (pl.col("method") == "EtC"))
            small = own.filter(pl.col("after_exploration") < 0.01 * own["lenient_regret"][0])["delta"].to_list()
            where = f"from Δ = {small[0]:g} on" if small else "for no Δ here"
            lines.append(f"{design}: after the exploration EtC has less than 1 % of its regret left {where}")
        return lines
