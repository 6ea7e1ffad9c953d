"""Picture (c), above: how regret grows with T when d = T^τ₁ and ε = T^−τ₂; Theorems etc_reg_simple and _rbf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from matplotlib.figure import SubFigure

from kernelbandits import theory
from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import InvalidArgument
from kernelbandits.estimators import MinNormInterpolator
from kernelbandits.experiments import Experiment, Panel
from kernelbandits.fields import Count, Positive
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.studies.parts import Part
from kernelbandits.studies.theory.common import curve, finish, over_seeds
from kernelbandits.studies.work import Work

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
            f"mean of {self.seeds} seeds"
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
        return max(2, round(horizon**self.tau_1))

    def experiments(self) -> Iterator[Experiment]:
        """One experiment a horizon, the largest first."""
        for horizon in reversed(self.horizons):
            dim = self.dim(horizon)
            panels = []
            for name, (kernel, share) in SETTINGS.items():
                active = max(1, round(dim * horizon ** (-share * self.tau_1)))
                world = Synthetic(LowRank(active), n_arms=self.n_arms, dim=dim, kernel=kernel)
                policy = ExploreThenCommit(MinNormInterpolator(kernel), self.n_arms * dim)
                panels.append(Panel(name, world, {"EtC": policy}))
            yield Experiment(f"rate-{horizon}", tuple(panels), horizon, tuple(range(self.seeds)))

    def rows(self, work: Work) -> pl.DataFrame:
        found = []
        for experiment in self.experiments():
            results = work.run(experiment)
            horizon = experiment.horizon
            dim = self.dim(horizon)
            for panel in experiment.panels:
                for seed, regret in enumerate(results.curves(panel.name, "EtC")):
                    explored = regret[self.n_arms * dim - 1]
                    row = (panel.name, horizon, dim, panel.environment.covariance.n_active, seed)  # type: ignore[attr-defined]
                    found.append((*row, regret[-1], regret[-1] - explored))
        schema = ["kernel", "T", "d", "active", "seed", "regret", "after_exploration"]
        frame = pl.DataFrame(found, schema=schema, orient="row").sort("kernel", "T", "seed")
        slopes = frame.group_by("kernel", "seed", maintain_order=True).agg(
            pl.struct("T", "regret").map_batches(_slope, return_dtype=pl.Float64, returns_scalar=True).alias("slope")
        )
        slopes = over_seeds(slopes, ["kernel"], ["slope"])
        mean = over_seeds(frame, ["kernel", "T", "d", "active"], ["regret", "after_exploration"])
        theorem = [(name, self._exponent(name).value) for name in SETTINGS]
        return mean.join(slopes, on="kernel", maintain_order="left").join(
            pl.DataFrame(theorem, schema=["kernel", "exponent"], orient="row"), on="kernel", maintain_order="left"
        )

    def _exponent(self, kernel: str) -> theory.RegretExponent:
        spec, share = SETTINGS[kernel]
        return theory.regret_exponent(spec, self.tau_1, share * self.tau_1)

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
            for power, label, dash in (
                (exponent, f"theorem: T^{exponent:.3g}", (5, 1.5)),
                (self.tau_1, f"exploration alone: T^{self.tau_1:g}", (1, 1)),
            ):
                panel.plot(at, start * (at / at[0]) ** power, color="0.45", linestyle=(0, dash), label=label)
            panel.set_xscale("log")
            panel.set_yscale("log")
            tau_2 = SETTINGS[kernel][1] * self.tau_1
            finish(panel, f"{kernel} kernel, d = T^{self.tau_1:g}, ε = T^−{tau_2:.3g}", "T", "regret", ticks=tuple(at))
            panel.legend(frameon=False, handlelength=3.4, fontsize=9)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for kernel in SETTINGS:
            row = rows.filter(pl.col("kernel") == kernel).row(0, named=True)
            error = "" if row["slope_se"] is None else f" ± {row['slope_se']:.2f}"
            lines.append(f"{kernel}: fitted slope {row['slope']:.2f}{error}, the theorem's exponent {row['exponent']:.3f}")
        return lines


def _slope(series: list[pl.Series] | pl.Series) -> float:
    frame = (series if isinstance(series, pl.Series) else series[0]).struct.unnest()
    return float(np.polyfit(np.log(frame["T"].to_numpy()), np.log(frame["regret"].to_numpy()), 1)[0])
