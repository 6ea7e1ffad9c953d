"""Picture (d), below: lenient regret R_Δ(T) against Δ; Theorems etc_lr_Td and etc_lr_Td_rbf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from matplotlib.figure import SubFigure

from kernelbandits import paper
from kernelbandits.environments import Synthetic
from kernelbandits.environments.metrics import lenient_regret
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel
from kernelbandits.paper.parts import Part
from kernelbandits.paper.theory.common import DESIGNS, counted, curve, finish
from kernelbandits.paper.work import Work
from kernelbandits.specs import Count

METHODS = ("EtC", "CGP-UCB")


@final
@dataclass(frozen=True, slots=True)
class Lenient(Part):
    """EtC with T₀ = d, and CGP-UCB, on the three designs: regret above Δ a round, the mean over seeds taken first."""

    horizon: Count = 2000
    deltas: tuple[float, ...] = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    n_arms: Count = 20
    dim: Count = 100
    seeds: Count = 10

    def __post_init__(self) -> None:
        if self.horizon <= self.dim:
            raise InvalidArgument(f"lenient: the horizon must be above {self.dim}, the T₀ of EtC; got {self.horizon}")

    @property
    def name(self) -> str:
        return "lenient"

    @property
    def title(self) -> str:
        return (
            f"lenient regret R_Δ(T) by Δ, d = {self.dim}, K = {self.n_arms}, T = {self.horizon}, T₀ = d, "
            f"{counted(self.seeds, 'seed')}"
        )

    @property
    def height(self) -> float:
        return 3.4

    def experiment(self) -> Experiment:
        """Both methods on the three designs."""
        methods = {name: policy for name, policy in paper.methods(self.dim).items() if name in METHODS}
        panels = tuple(
            Panel(name, Synthetic(design, n_arms=self.n_arms, dim=self.dim), methods)
            for name, design in DESIGNS.items()
        )
        return Experiment("lenient", panels, self.horizon, tuple(range(self.seeds)))

    def rows(self, work: Work) -> pl.DataFrame:
        results = work.run(self.experiment())
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

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        axes = figure.subplots(1, len(DESIGNS), sharey=True)
        for panel, design in zip(axes, DESIGNS, strict=True):
            for place, method in ((0, "EtC"), (4, "CGP-UCB")):
                own = rows.filter((pl.col("design") == design) & (pl.col("method") == method))
                curve(panel, own, "delta", "lenient_regret", place, method)
                if method == "EtC":
                    curve(panel, own, "delta", "after_exploration", 2, "EtC after exploration")
            panel.set_yscale("symlog", linthresh=1.0)
            panel.set_ylim(bottom=0)
            finish(panel, design, "Δ")
        axes[0].set_ylabel(f"lenient regret, T = {self.horizon}")
        axes[-1].legend(frameon=False, fontsize=9, handlelength=3.4)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for design in DESIGNS:
            own = rows.filter((pl.col("design") == design) & (pl.col("method") == "EtC"))
            small = own.filter(pl.col("after_exploration") < 0.01 * own["lenient_regret"][0])["delta"].to_list()
            where = f"from Δ = {small[0]:g} on" if small else "for no Δ here"
            lines.append(f"{design}: after the exploration EtC has less than 1 % of its regret left {where}")
        return lines
