"""Picture (c), above: how regret grows with T when d = T^τ₁ and ε = T^−τ₂; Theorems etc_reg_simple and _rbf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pow as power
from typing import final

import numpy as np
import polars as pl
from matplotlib.figure import SubFigure

from kernelbandits import theory
from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.paper.parts import Part
from kernelbandits.paper.theory.common import counted, curve, finish, over_seeds
from kernelbandits.paper.work import Work
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.specs import Count, Positive

# τ₂ that makes the theorem's exponent smallest: τ₁/3 for the radial class, τ₁/5 for the other.
SETTINGS: dict[str, tuple[Kernel, float]] = {
    "Gaussian": (Gaussian(4.0), 1.0 / 3.0),
    "exponential": (Exponential(), 1.0 / 5.0),
}


@final
@dataclass(frozen=True, slots=True)
class Rate(Part):
    """Case I with N = d draws an arm, T₀ = Kd; `horizon` is the largest T, each of the others half the next."""

    horizon: Count = 16_000
    n_horizons: Count = 6
    tau_1: Positive = 0.5
    n_arms: Count = 4
    seeds: Count = 10

    def __post_init__(self) -> None:
        smallest = self.horizons[0]
        if smallest < 1 or self.n_arms * self.dim(smallest) > smallest:
            raise InvalidArgument(
                f"rate: the horizon must be larger; the smallest of its {self.n_horizons} horizons would be {smallest} "
                f"at {self.horizon}, too few rounds for T₀ = Kd. Use at least 512, or --only without rate."
            )

    @property
    def name(self) -> str:
        return "rate"

    @property
    def title(self) -> str:
        return (
            f"regret of EtC, d = T^{self.tau_1:g}, ε = T^−τ₂ (Case I), K = {self.n_arms}, T₀ = Kd, "
            f"mean of {counted(self.seeds, 'seed')}"
        )

    @property
    def height(self) -> float:
        return 3.5

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
        """One experiment a horizon, the largest first."""
        for horizon in reversed(self.horizons):
            dim = self.dim(horizon)
            panels = []
            for name, (kernel, _) in SETTINGS.items():
                design = LowRank(self.active(name, horizon))
                world = Synthetic(design, n_arms=self.n_arms, dim=dim, kernel=kernel)
                policy = ExploreThenCommit(MinNormInterpolator(kernel), self.n_arms * dim)
                panels.append(Panel(name, world, {"EtC": policy}))
            yield Experiment(f"rate-{horizon}", tuple(panels), horizon, tuple(range(self.seeds)))

    def rows(self, work: Work) -> pl.DataFrame:
        found = []
        for experiment in self.experiments():
            results, T = work.run(experiment), experiment.horizon
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

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        axes = figure.subplots(1, len(SETTINGS))
        for panel, kernel in zip(axes, SETTINGS, strict=True):
            own = rows.filter(pl.col("kernel") == kernel)
            at = own["T"].to_numpy().astype(float)
            slope, exponent = own["slope"][0], own["exponent"][0]
            curve(panel, own, "T", "regret", 0, f"measured: fitted slope {slope:.2f}")
            start = own["regret"][0]
            for exponent_of, label, dash in (
                (exponent, f"theorem: T^{exponent:.3g}, from the first point", (5, 1.5)),
                (self.tau_1, f"exploration alone: T^{self.tau_1:g}", (1, 1)),
            ):
                panel.plot(at, start * (at / at[0]) ** exponent_of, color="0.45", linestyle=(0, dash), label=label)
            title = f"{kernel} kernel, d = T^{self.tau_1:g}, ε = T^−{self.tau_2(kernel):.3g}"
            finish(panel, title, "T", "regret", ticks=tuple(at), log="xy")
            panel.legend(frameon=False, handlelength=3.4, fontsize=9)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for kernel in SETTINGS:
            row = rows.filter(pl.col("kernel") == kernel).row(0, named=True)
            error = "" if row["slope_se"] is None else f" ± {row['slope_se']:.2f}"
            lines.append(
                f"{kernel}: fitted slope {row['slope']:.2f}{error}, the theorem's exponent {row['exponent']:.3f}"
            )
        return lines
