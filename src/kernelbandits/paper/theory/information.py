"""Picture (d), above: information gain against d and T, and the classical bounds against the regret of CGP-UCB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure

from kernelbandits import paper, theory
from kernelbandits.environments import ApproximateLowRank, Synthetic
from kernelbandits.experiments import Experiment, Panel
from kernelbandits.experiments.running import world
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import Part
from kernelbandits.paper.theory.common import counted, curve, finish, over_seeds
from kernelbandits.paper.work import Work
from kernelbandits.specs import Count

KERNEL = Gaussian(4.0)


@final
@dataclass(frozen=True, slots=True)
class Information(Part):
    """CGP-UCB on approximate low-rank contexts of growing d; `horizon` is the largest T, the others each half the next.

    The gain is that of contexts with the arms in turn, one kernel matrix an arm, so the largest gain γ_T is no less.
    Regret is in units of the largest that a round could have, as the bounds are.
    """

    horizon: Count = 2000
    n_horizons: Count = 5
    dims: tuple[Count, ...] = (1, 2, 3, 5, 10, 30, 100)
    n_arms: Count = 4
    seeds: Count = 10

    @property
    def name(self) -> str:
        return "information"

    @property
    def title(self) -> str:
        return (
            f"information gain γ and classical bounds at T = {self.horizon} for {KERNEL}, λ² = 1, K = {self.n_arms}, "
            f"and the regret of CGP-UCB, mean of {counted(self.seeds, 'seed')}"
        )

    @property
    def height(self) -> float:
        return 3.7

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

    def rows(self, work: Work) -> pl.DataFrame:
        results = work.run(self.experiment())
        tasks = [(self, dim, seed) for dim in self.dims[::-1] for seed in range(self.seeds)]
        found = []
        for (_, dim, seed), (gains, unit) in zip(tasks, work.map(gains_and_unit, tasks), strict=True):
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

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        by_d, by_t, bound = figure.subplots(1, 3)
        gain = "information gain γ"
        for place, T in enumerate(self.horizons[::-2]):
            curve(by_d, rows.filter(pl.col("T") == T), "d", "gain", place, f"T = {T}")
            by_d.axhline(0.5 * T * np.log(2.0), color="0.45", linestyle=":", linewidth=1.0)
        finish(by_d, "dotted: ½ T ln 2, unrelated points", "d", gain, ticks=self.dims, log="xy")
        for place, dim in enumerate(self.dims[::-2]):
            curve(by_t, rows.filter(pl.col("d") == dim), "T", "gain", place, f"d = {dim}")
        finish(by_t, "linear in T where d is large", "T", gain, ticks=self.horizons, log="xy")
        for panel in (by_d, by_t):
            low, high = panel.get_ylim()
            panel.set_ylim(low * (low / high) ** 0.45, high)  # room below the curves, on a logarithmic axis
            panel.legend(loc="lower right", frameon=False, fontsize=8, handlelength=3.4)
        self._draw_bounds(rows.filter(pl.col("T") == self.horizon), bound)
        handles, names = bound.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower right", ncols=4, frameon=False, fontsize=8, handlelength=3.4)

    def _draw_bounds(self, own: pl.DataFrame, axes: Axes) -> None:
        rate = 10.0 ** (0.5 * (pl.col("log10_rate").clip(upper_bound=300.0) + np.log10(self.horizon)))
        curve(axes, own, "d", "regret", 4, "right: regret of CGP-UCB")
        curve(axes, own, "d", "sup_kernel_ucb", 2, "√(γT), measured γ")
        curve(axes, own, "d", "cgp_ucb", 1, "γ√T, measured γ")
        curve(axes, own.with_columns(rate=rate), "d", "rate", 5, "√(γT), γ = (ln T)^(d+1)")
        top = 20.0 * own["cgp_ucb"].to_numpy().max()
        axes.set_ylim(own["regret"].to_numpy().min() / 2.0, top)
        axes.axhspan(self.horizon, top, color="0.93", lw=0, zorder=0)
        axes.text(max(self.dims), self.horizon * 1.15, "vacuous: above T", ha="right", va="bottom", fontsize=8)
        title = f"bounds and regret, T = {self.horizon}"
        finish(axes, title, "d", "largest regrets of a round", ticks=self.dims, log="xy")

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
