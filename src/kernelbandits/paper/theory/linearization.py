"""Does ‖K − K_lin‖ vanish as d grows with d/N fixed? Proposition C.3 and Theorem B.4, estimation error for RBF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.experiments import Runner, counted
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.paper.parts import StudyPart, line, over_seeds
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Rule
from kernelbandits.specs import Count

KERNELS: dict[str, Kernel] = {"Gaussian": Gaussian(), "exponential": Exponential()}
LEVEL = 0.5
_FORMS = {"corrected": False, "as printed": True}


@final
@dataclass(frozen=True, slots=True)
class LinearizationError(StudyPart):
    """Normal contexts with Σ = I/2 and N = d; `seeds` draws of each size."""

    name: ClassVar[str] = "linearization"
    dims: tuple[Count, ...] = (100, 200, 400, 800, 1600)
    seeds: Count = 5

    @property
    def title(self) -> str:
        mean = f"mean of {counted(self.seeds, 'draw')}"
        return f"‖K − K_lin‖ at N = d, Σ = I/2, {mean}; the bounds rest on ‖K − K_lin‖ ≤ γ/2"

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(kernel, dim, seed) for dim in self.dims[::-1] for kernel in KERNELS for seed in range(self.seeds)]
        found = pl.DataFrame([row for rows in runner.map(self.name, distances, tasks) for row in rows])
        mean = over_seeds(found, ["kernel", "form", "d", "half_gamma"], ["error"])
        return mean.sort("kernel", "form", "d", descending=[False, True, False])

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.pivot("form", index=["kernel", "d", "half_gamma"], values="error").rename({"half_gamma": "γ/2"})

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, kernel in enumerate(KERNELS):
            own = rows.filter(pl.col("kernel") == kernel)
            lines = [
                line(own.filter(pl.col("form") == form), "d", "error", place, form) for place, form in enumerate(_FORMS)
            ]
            marks: list[Mark] = [*lines, Rule(own["half_gamma"][0], "y", "γ/2")]
            x, y = Axis("d = N", "log", self.dims), Axis("" if i else "‖K − K_lin‖", "log")
            charts.append(Chart(f"{kernel} kernel", marks, x, y, legend="" if i else "best"))
        return Charts(charts, len(KERNELS), height=3.6, share_y=True)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        small, large = min(self.dims), max(self.dims)
        ends = rows.pivot("d", index=["kernel", "form"], values="error")
        return [
            f"{row['kernel']}, {row['form']}: at d = {large} it is {row[str(large)] / row[str(small)]:.2f} × "
            f"its value at d = {small}"
            for row in ends.iter_rows(named=True)
        ]


def distances(task: tuple[str, int, int]) -> list[dict[str, object]]:
    """‖K − K_lin‖ of one draw, in both forms."""
    name, dim, seed = task
    X = np.random.default_rng((seed, dim, dim)).standard_normal((dim, dim)) * LEVEL**0.5
    rows: list[dict[str, object]] = []
    for form, as_printed in _FORMS.items():
        found = theory.linearize(KERNELS[name], X, np.full(dim, LEVEL), as_printed=as_printed)
        row = {"kernel": name, "form": form, "d": dim, "half_gamma": found.gamma / 2.0, "error": found.error}
        rows.append(row)
    return rows
