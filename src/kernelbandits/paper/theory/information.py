"""Information gain against d and T, and the classical bounds against the regret of CGP-UCB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import paper, theory
from kernelbandits.environments import ApproximateLowRank, Synthetic
from kernelbandits.experiments import Experiment, Panel, Runner, counted, world
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import StudyPart, line, over_seeds
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Remark, Rule, Shade
from kernelbandits.specs import Count

KERNEL = Gaussian(4.0)


@final
@dataclass(frozen=True, slots=True)
class Information(StudyPart):
    """CGP-UCB on approximate low-rank contexts of growing d; `horizon` is the largest T, and each other half the next.

    The gain is that of contexts with the arms played in turn, one kernel matrix per arm; the largest gain γ_T is no
    smaller. Regret is divided by the largest regret that a round could have, as the bounds are.
    """

    name: ClassVar[str] = "information"
    horizon: Count = 2000
    n_horizons: Count = 5
    dims: tuple[Count, ...] = (1, 2, 3, 5, 10, 30, 100)
    n_arms: Count = 4
    seeds: Count = 10

    @property
    def title(self) -> str:
        return (
            f"information gain γ and classical bounds at T = {self.horizon} for {KERNEL}, λ² = 1, K = {self.n_arms}, "
            f"and the regret of CGP-UCB, mean of {counted(self.seeds, 'seed')}"
        )

    @property
    def horizons(self) -> list[int]:
        """The horizons, smallest first."""
        return [max(3, self.horizon // 2**k) for k in reversed(range(self.n_horizons))]

    def environment(self, dim: int) -> Synthetic:
        """The environment of one size."""
        return Synthetic(ApproximateLowRank(), n_arms=self.n_arms, dim=dim, kernel=KERNEL)

    def experiment(self) -> Experiment:
        """CGP-UCB on every size."""
        methods = {"CGP-UCB": paper.methods(1)["CGP-UCB"]}
        panels = tuple(Panel(str(dim), self.environment(dim), methods) for dim in self.dims)
        return Experiment("information", panels, self.horizon, tuple(range(self.seeds)))

    def rows(self, runner: Runner) -> pl.DataFrame:
        results = runner.run(self.experiment())
        tasks = [(self, dim, seed) for dim in self.dims[::-1] for seed in range(self.seeds)]
        found = []
        for (_, dim, seed), (gains, unit) in zip(tasks, runner.map(self.name, gains_and_unit, tasks), strict=True):
            regret = results.curves(str(dim), "CGP-UCB")[seed]
            found += [(dim, T, gain, regret[T - 1] / unit) for T, gain in zip(self.horizons, gains, strict=True)]
        frame = pl.DataFrame(found, schema=["d", "T", "gain", "regret"], orient="row").sort("d", "T")
        mean = over_seeds(frame, ["d", "T"], ["gain", "regret"])
        bounds = [theory.classical_bounds(gain, T) for gain, T in mean.select("gain", "T").iter_rows()]
        rates = [theory.information_rate(KERNEL, dim, T).log for dim, T in mean.select("d", "T").iter_rows()]
        return mean.with_columns(
            pl.Series("cgp_ucb", [bound.cgp_ucb for bound in bounds]),
            pl.Series("sup_kernel_ucb", [bound.sup_kernel_ucb for bound in bounds]),
            pl.Series("vacuous", [bound.vacuous for bound in bounds]),
            pl.Series("log10_rate", np.array(rates) / np.log(10.0)),
        )

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.filter(pl.col("T") == self.horizon).select(
            "d",
            pl.col("gain").alias("γ measured"),
            pl.col("cgp_ucb").alias("γ√T"),
            pl.col("sup_kernel_ucb").alias("√(γT)"),
            pl.col("log10_rate").alias("log₁₀ of (ln T)^(d+1)"),
            pl.col("regret").alias("regret, in largest regrets of a round"),
        )

    def charts(self, rows: pl.DataFrame) -> Charts:
        low, high = rows["gain"].to_numpy().min(), rows["gain"].to_numpy().max()
        gain = Axis("information gain γ", "log", low=low * (low / high) ** 0.45)  # room for the legend below the curves
        by_d: list[Mark] = [
            mark
            for place, T in enumerate(self.horizons[::-2])
            for mark in (
                line(rows.filter(pl.col("T") == T), "d", "gain", place, f"T = {T}"),
                Rule(0.5 * T * np.log(2.0), "y"),
            )
        ]
        by_t = [
            line(rows.filter(pl.col("d") == dim), "T", "gain", place, f"d = {dim}")
            for place, dim in enumerate(self.dims[::-2])
        ]
        dims, horizons = Axis("d", "log", self.dims), Axis("T", "log", self.horizons)
        charts = [
            Chart("dotted: ½ T ln 2, unrelated points", by_d, dims, gain, legend="lower right"),
            Chart("linear in T where d is large", by_t, horizons, gain, legend="lower right"),
            self._bounds(rows.filter(pl.col("T") == self.horizon), dims),
        ]
        return Charts(charts, 3, height=3.7, legend="outside lower right", legend_columns=4)

    def _bounds(self, own: pl.DataFrame, dims: Axis) -> Chart:
        rate = 10.0 ** (0.5 * (pl.col("log10_rate").clip(upper_bound=300.0) + np.log10(self.horizon)))
        top = 20.0 * own["cgp_ucb"].to_numpy().max()
        marks: list[Mark] = [
            line(own, "d", "regret", 4, "right: regret of CGP-UCB"),
            line(own, "d", "sup_kernel_ucb", 2, "√(γT), measured γ"),
            line(own, "d", "cgp_ucb", 1, "γ√T, measured γ"),
            line(own.with_columns(rate=rate), "d", "rate", 5, "√(γT), γ = (ln T)^(d+1)"),
            Shade(self.horizon, top, "y"),
            Remark("vacuous: above T", 0.98, self.horizon),
        ]
        y = Axis("largest regrets of a round", "log", low=own["regret"].to_numpy().min() / 2.0, high=top)
        return Chart(f"bounds and regret, T = {self.horizon}", marks, dims, y)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        own = rows.filter(pl.col("T") == self.horizon)
        lines = []
        for column, label in (("cgp_ucb", "γ√T"), ("sup_kernel_ucb", "√(γT)")):
            beyond = own.filter(pl.col(column) >= self.horizon)["d"].to_list()
            where = f"from d = {beyond[0]} on" if beyond else "nowhere here"
            lines.append(f"{label} with the measured gain says no more than R(T) ≤ T = {self.horizon} {where}")
        rated = own.filter(pl.col("log10_rate") >= np.log10(self.horizon))["d"].to_list()  # √(γT) ≥ T means γ ≥ T
        where = f"from d = {rated[0]} on" if rated else "nowhere here"
        lines.append(f"√(γT) with the known rate (ln T)^(d+1) does so {where}")
        regret = own["regret"].to_numpy()
        lines.append(f"the regret of CGP-UCB is {regret.min():.3g} to {regret.max():.3g} largest regrets of a round")
        return lines


def gains_and_unit(task: tuple[Information, int, int]) -> tuple[list[float], float]:
    """The gain of the first T contexts, arms in turn, for every T; and the largest regret of a round."""
    part, dim, seed = task
    _, rounds, _ = world(part.environment(dim), part.horizon, seed)
    gains = []
    for T in part.horizons:
        played = [rounds.contexts[arm : T : part.n_arms, arm] for arm in range(min(T, part.n_arms))]
        gains.append(sum(theory.information_gain(KERNEL, np.ascontiguousarray(X)) for X in played))
    return gains, float((rounds.means.max(axis=1) - rounds.means.min(axis=1)).max())
