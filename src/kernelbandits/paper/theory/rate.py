"""How regret grows with T when d = T^τ₁ and ε = T^−τ₂: Theorems 4.8 and 4.9, no-regret EtC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pow as power
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Runner, counted
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.paper.parts import StudyPart, line, over_seeds
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts, Line, Look
from kernelbandits.specs import Count, Positive

# τ₂ that makes the theorem's exponent smallest: τ₁/3 for the radial class, τ₁/5 for the other.
SETTINGS: dict[str, tuple[Kernel, float]] = {
    "Gaussian": (Gaussian(4.0), 1.0 / 3.0),
    "exponential": (Exponential(), 1.0 / 5.0),
}


@final
@dataclass(frozen=True, slots=True)
class Rate(StudyPart):
    """Case I with N = d draws per arm, T₀ = Kd; `horizon` is the largest T, and each other T is half the next."""

    name: ClassVar[str] = "rate"
    horizon: Count = 16_000
    n_horizons: Count = 6
    tau_1: Positive = 0.5
    n_arms: Count = 4
    seeds: Count = 10

    def _validate(self) -> None:
        smallest = self.horizons[0]
        if smallest < 1 or self.n_arms * self.dim(smallest) > smallest:
            raise InvalidArgument(
                f"rate: the horizon must be larger; the smallest of its {self.n_horizons} horizons would be {smallest} "
                f"at {self.horizon}, too few rounds for T₀ = Kd. Use at least 512, or --only without rate."
            )

    @property
    def title(self) -> str:
        return (
            f"regret of EtC, d = T^{self.tau_1:g}, ε = T^−τ₂ (Case I), K = {self.n_arms}, T₀ = Kd, "
            f"mean of {counted(self.seeds, 'seed')}"
        )

    @property
    def horizons(self) -> list[int]:
        """The horizons, smallest first."""
        return [self.horizon // 2**k for k in reversed(range(self.n_horizons))]

    def dim(self, horizon: int) -> int:
        """T^τ₁, rounded."""
        return max(2, round(power(horizon, self.tau_1)))

    def tau_2(self, kernel: str) -> float:
        """The τ₂ of one kernel."""
        return SETTINGS[kernel][1] * self.tau_1

    def active(self, kernel: str, horizon: int) -> int:
        """εd coordinates with ε = T^−τ₂, rounded: the rank of Case I."""
        return max(1, round(self.dim(horizon) * power(horizon, -self.tau_2(kernel))))

    def experiments(self) -> Iterator[Experiment]:
        """One experiment per horizon, the largest first."""
        for horizon in reversed(self.horizons):
            dim = self.dim(horizon)
            panels = []
            for name, (kernel, _) in SETTINGS.items():
                design = LowRank(self.active(name, horizon))
                world = Synthetic(design, n_arms=self.n_arms, dim=dim, kernel=kernel)
                policy = ExploreThenCommit(MinNormInterpolator(kernel), self.n_arms * dim)
                panels.append(Panel(name, world, {"EtC": policy}))
            yield Experiment(f"rate-{horizon}", tuple(panels), horizon, tuple(range(self.seeds)))

    def rows(self, runner: Runner) -> pl.DataFrame:
        found = []
        for experiment in self.experiments():
            results, T = runner.run(experiment), experiment.horizon
            for kernel in SETTINGS:
                sizes = (kernel, T, self.dim(T), self.active(kernel, T))
                explored = self.n_arms * self.dim(T) - 1
                regrets = results.curves(kernel, "EtC")
                found += [(*sizes, regret[-1], regret[-1] - regret[explored]) for regret in regrets]
        schema = ["kernel", "T", "d", "active", "regret", "after_exploration"]
        frame = pl.DataFrame(found, schema=schema, orient="row").sort("kernel", "T", maintain_order=True)
        mean = over_seeds(frame, ["kernel", "T", "d", "active"], ["regret", "after_exploration"])
        slopes = pl.concat(self._slopes(frame, kernel) for kernel in SETTINGS)
        return mean.join(slopes, on="kernel", maintain_order="left")

    def _slopes(self, frame: pl.DataFrame, kernel: str) -> pl.DataFrame:
        """Slope of ln R against ln T, least squares for every seed, then the mean; and the theorem's exponent."""
        regrets = frame.filter(pl.col("kernel") == kernel)["regret"].to_numpy().reshape(self.n_horizons, -1)
        each = np.polyfit(np.log(self.horizons), np.log(regrets), 1)[0]
        slopes = pl.DataFrame({"kernel": [kernel] * len(each), "slope": each})
        return over_seeds(slopes, ["kernel"], ["slope"]).with_columns(exponent=pl.lit(self._exponent(kernel).value))

    def _exponent(self, kernel: str) -> theory.RegretExponent:
        return theory.regret_exponent(SETTINGS[kernel][0], self.tau_1, self.tau_2(kernel))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("kernel", "T", "d", "active", "regret", "regret_se", "after_exploration")

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for kernel in SETTINGS:
            own = rows.filter(pl.col("kernel") == kernel)
            T, start = own["T"].to_numpy().astype(float), own["regret"][0]
            slope, exponent = own["slope"][0], own["exponent"][0]
            theorem, exploration = (start * (T / T[0]) ** slope_of for slope_of in (exponent, self.tau_1))
            marks = [
                line(own, "T", "regret", 0, f"measured: fitted slope {slope:.2f}"),
                Line(T, theorem, Look(7, (5, 1.5)), f"theorem: T^{exponent:.3g}, from the first point"),
                Line(T, exploration, Look(7, (1, 1)), f"exploration alone: T^{self.tau_1:g}"),
            ]
            title = f"{kernel} kernel, d = T^{self.tau_1:g}, ε = T^−{self.tau_2(kernel):.3g}"
            charts.append(Chart(title, marks, Axis("T", "log", T.tolist()), Axis("regret", "log"), legend="best"))
        return Charts(charts, len(SETTINGS), height=3.5)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for kernel in SETTINGS:
            row = rows.filter(pl.col("kernel") == kernel).row(0, named=True)
            error = "" if row["slope_se"] is None else f" ± {row['slope_se']:.2f}"
            lines.append(
                f"{kernel}: fitted slope {row['slope']:.2f}{error}, the theorem's exponent {row['exponent']:.3f}"
            )
        return lines
