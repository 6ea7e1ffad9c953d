"""Picture (c), below: regret against the exploration budget, with the one that a pilot recommends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from matplotlib.figure import SubFigure

from kernelbandits import theory
from kernelbandits.environments import Synthetic
from kernelbandits.environments.play import replay
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel
from kernelbandits.experiments.running import world
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import Part
from kernelbandits.paper.theory.common import DESIGNS, counted, curve, finish, over_seeds
from kernelbandits.paper.work import Work
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.specs import Count

KERNEL = Gaussian(4.0)


@final
@dataclass(frozen=True, slots=True)
class Exploration(Part):
    """EtC on the three designs with fixed budgets, and with the budget recommended after `pilot` rounds an arm.

    The recommendation knows neither the noise nor the norm; the pilot is a part of the exploration.
    """

    horizon: Count = 2000
    budgets: tuple[Count, ...] = (20, 40, 60, 100, 200, 400, 800)
    n_arms: Count = 20
    dim: Count = 100
    pilot: Count = 4
    seeds: Count = 10

    def __post_init__(self) -> None:
        least = max(self.n_arms * self.pilot, self.budgets[0])
        if self.horizon < least:
            raise InvalidArgument(f"exploration: the horizon must be at least {least}, the pilot; got {self.horizon}")

    @property
    def name(self) -> str:
        return "exploration"

    @property
    def title(self) -> str:
        return (
            f"regret of EtC by T₀, d = {self.dim}, K = {self.n_arms}, T = {self.horizon}, "
            f"mean of {counted(self.seeds, 'seed')}; recommended from {self.pilot} rounds an arm"
        )

    @property
    def height(self) -> float:
        return 3.4

    def environment(self, design: str) -> Synthetic:
        """The environment of one design."""
        return Synthetic(DESIGNS[design], n_arms=self.n_arms, dim=self.dim)

    def experiment(self) -> Experiment:
        """The grid of fixed budgets."""
        methods = {str(budget): _policy(budget) for budget in self.budgets if budget <= self.horizon}
        panels = tuple(Panel(design, self.environment(design), methods) for design in DESIGNS)
        return Experiment("exploration", panels, self.horizon, tuple(range(self.seeds)))

    def rows(self, work: Work) -> pl.DataFrame:
        experiment = self.experiment()
        results = work.run(experiment)
        found = [
            (panel.name, "fixed", seed, float(method), curve[-1])
            for panel in experiment.panels
            for method in panel.methods
            for seed, curve in enumerate(results.curves(panel.name, method))
        ]
        mean = over_seeds(_frame(found), ["design", "budget", "n_explore"], ["regret"])
        tasks = [(self, design, seed) for design in DESIGNS for seed in range(self.seeds)]
        planned = over_seeds(_frame(work.map(recommended, tasks)), ["design", "budget"], ["n_explore", "regret"])
        return pl.concat([mean, planned.select(mean.columns)])

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        fixed, planned = _parts(rows)
        wide = fixed.with_columns(pl.col("n_explore").cast(int)).pivot("n_explore", index="design", values="regret")
        ends = planned.select(
            "design", pl.col("n_explore").alias("recommended T₀"), pl.col("regret").alias("its regret")
        )
        best = fixed.group_by("design").agg(pl.col("regret").min().alias("best"))
        wide = wide.join(ends, on="design", maintain_order="left").join(best, on="design", maintain_order="left")
        return wide.with_columns((pl.col("its regret") / pl.col("best")).alias("to the best")).drop("best")

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        axes = figure.subplots(1, len(DESIGNS), sharey=True)
        fixed, planned = _parts(rows)
        for panel, design in zip(axes, DESIGNS, strict=True):
            own, plan = (frame.filter(pl.col("design") == design) for frame in (fixed, planned))
            curve(panel, own, "n_explore", "regret", 0, "fixed T₀")
            at, regret = plan["n_explore"][0], plan["regret"][0]
            panel.axvline(at, color="0.45", linestyle=":", linewidth=1.2)
            panel.plot(
                [at], [regret], "*", color="#D55E00", markersize=14, markeredgecolor="black", label="recommended"
            )
            ratio = regret / own["regret"].min()
            finish(panel, f"{design}: {ratio:.2f} × the best", "T₀", ticks=own["n_explore"].to_list(), log="x")
            panel.tick_params(axis="x", labelsize=8)
            panel.set_ylim(bottom=0)
        axes[0].set_ylabel(f"regret, T = {self.horizon}")
        axes[0].legend(frameon=False, loc="lower right")

    def findings(self, rows: pl.DataFrame) -> list[str]:
        return [
            f"{row['design']}: recommended T₀ = {row['recommended T₀']:.0f} on average, "
            f"{row['to the best']:.2f} × the regret of the best fixed T₀"
            for row in self.table(rows).iter_rows(named=True)
        ]


def _policy(n_explore: int) -> ExploreThenCommit:
    return ExploreThenCommit(MinNormInterpolator(KERNEL), n_explore)


def _frame(found: list[tuple[str, str, int, float, float]]) -> pl.DataFrame:
    return pl.DataFrame(found, schema=["design", "budget", "seed", "n_explore", "regret"], orient="row")


def _parts(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The fixed budgets and the recommended ones."""
    return rows.filter(pl.col("budget") == "fixed"), rows.filter(pl.col("budget") == "recommended")


def recommended(task: tuple[Exploration, str, int]) -> tuple[str, str, int, float, float]:
    """Play the pilot, ask for the budget, and play with it: the same rounds as with the fixed budgets."""
    part, design, seed = task
    problem, rounds, chance = world(part.environment(design), part.horizon, seed)
    t = np.arange(part.pilot * part.n_arms)
    arms = t % part.n_arms
    rewards = rounds.means[t, arms] + rounds.noise[t]
    plan = theory.recommend_exploration(rounds.contexts[t, arms], arms, rewards, horizon=part.horizon, kernel=KERNEL)
    n_explore = max(plan.n_explore, len(t))
    trace = replay(_policy(n_explore), problem, rounds, np.random.default_rng(chance))
    return design, "recommended", seed, float(n_explore), float(trace.regrets.sum())
