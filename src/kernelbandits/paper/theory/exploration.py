"""Regret against the exploration budget, with the budget that a pilot recommends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.environments import Synthetic
from kernelbandits.environments.play import replay
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Runner, counted, world
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import StudyPart, line, over_seeds
from kernelbandits.paper.theory.designs import DESIGNS
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, Rule, look
from kernelbandits.specs import Count

KERNEL = Gaussian(4.0)


@final
@dataclass(frozen=True, slots=True)
class Exploration(StudyPart):
    """EtC on the three designs with fixed budgets, and with the budget recommended after `pilot` rounds per arm.

    The recommendation knows neither the noise nor the norm; the pilot counts as exploration.
    """

    name: ClassVar[str] = "exploration"
    horizon: Count = 2000
    budgets: tuple[Count, ...] = (20, 40, 60, 100, 200, 400, 800)
    n_arms: Count = 20
    dim: Count = 100
    pilot: Count = 4
    seeds: Count = 10

    def _validate(self) -> None:
        least = max(self.n_arms * self.pilot, self.budgets[0])
        if self.horizon < least:
            raise InvalidArgument(f"exploration: the horizon must be at least {least}, the pilot; got {self.horizon}")

    @property
    def title(self) -> str:
        return (
            f"regret of EtC by T₀, d = {self.dim}, K = {self.n_arms}, T = {self.horizon}, "
            f"mean of {counted(self.seeds, 'seed')}; recommended from {self.pilot} rounds per arm"
        )

    def environment(self, design: str) -> Synthetic:
        """The environment of one design."""
        return Synthetic(DESIGNS[design], n_arms=self.n_arms, dim=self.dim)

    def experiment(self) -> Experiment:
        """The grid of fixed budgets."""
        methods = {str(budget): _policy(budget) for budget in self.budgets if budget <= self.horizon}
        panels = tuple(Panel(design, self.environment(design), methods) for design in DESIGNS)
        return Experiment("exploration", panels, self.horizon, tuple(range(self.seeds)))

    def rows(self, runner: Runner) -> pl.DataFrame:
        experiment = self.experiment()
        results = runner.run(experiment)
        found = [
            (panel.name, "fixed", seed, float(method), curve[-1])
            for panel in experiment.panels
            for method in panel.methods
            for seed, curve in enumerate(results.curves(panel.name, method))
        ]
        mean = over_seeds(_frame(found), ["design", "budget", "n_explore"], ["regret"])
        tasks = [(self, design, seed) for design in DESIGNS for seed in range(self.seeds)]
        played = _frame(runner.map(self.name, recommended, tasks))
        planned = over_seeds(played, ["design", "budget"], ["n_explore", "regret"])
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

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, design in enumerate(DESIGNS):
            own, plan = (frame.filter(pl.col("design") == design) for frame in _parts(rows))
            n_explore, regret = plan["n_explore"][0], plan["regret"][0]
            marks: list[Mark] = [
                line(own, "n_explore", "regret", 0, "fixed T₀"),
                Rule(n_explore, "x"),
                Points([n_explore], [regret], look(1), "recommended", best=True),
            ]
            title = f"{design}: {regret / own['regret'].min():.2f} × the best"
            x = Axis("T₀", "log", own["n_explore"].to_list())
            y = Axis("" if i else f"regret, T = {self.horizon}", low=0)
            charts.append(Chart(title, marks, x, y, legend="" if i else "lower right"))
        return Charts(charts, len(DESIGNS), height=3.4, share_y=True)

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
