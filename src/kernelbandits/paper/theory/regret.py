"""Figure (c): regret against T, and against the exploration budget, with the budget that a pilot recommends."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pow as power
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.beliefs import AsGiven
from kernelbandits.environments import LowRank, Synthetic, replay
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Runner, world
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.paper.parts import StudyPart, by, line, over_seeds
from kernelbandits.paper.theory.errors import DESIGNS, KERNEL
from kernelbandits.policies import ExploreThenCommit
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts, Line, Look, Mark, Points, Rule, look
from kernelbandits.specs import Count, Positive

# τ₂ that makes the theorem's exponent smallest: τ₁/3 for the radial class, τ₁/5 for the other.
SETTINGS: dict[str, tuple[Kernel, float]] = {
    "Gaussian": (Gaussian(4.0), 1.0 / 3.0),
    "exponential": (Exponential(), 1.0 / 5.0),
}


@final
@dataclass(frozen=True, slots=True)
class Rate(StudyPart):
    """How regret grows with T when d = T^τ₁ and ε = T^−τ₂: Theorems 4.8 and 4.9, no-regret EtC.

    Case I with N = d draws per arm, T₀ = Kd; `horizon` is the largest T, and each other T is half the next.
    """

    name: ClassVar[str] = "rate"
    heading: ClassVar[str] = (
        "regret of EtC, d = T^{0.tau_1:g}, ε = T^−τ₂ (Case I), K = {0.n_arms}, T₀ = Kd, {0.seeds} seeds"
    )
    horizon: Count = 16_000
    n_horizons: Count = 6
    tau_1: Positive = 0.5
    n_arms: Count = 4
    seeds: Count = 10

    def _validate(self) -> None:
        smallest = self.horizons[0]
        if smallest < 1 or self.n_arms * self.dim(smallest) > smallest:
            raise InvalidArgument(
                f"rate: the horizon must be larger; {smallest}, the smallest of {self.n_horizons} horizons, is too "
                "short for T₀ = Kd. Use at least 512, or --only without rate."
            )

    @property
    def horizons(self) -> list[int]:
        """The horizons, smallest first."""
        return [self.horizon // 2**k for k in reversed(range(self.n_horizons))]

    def dim(self, horizon: int) -> int:
        """T^τ₁, rounded."""
        return max(2, round(power(horizon, self.tau_1)))

    def active(self, kernel: str, horizon: int) -> int:
        """εd coordinates with ε = T^−τ₂, rounded: the rank of Case I."""
        return max(1, round(self.dim(horizon) * power(horizon, -SETTINGS[kernel][1] * self.tau_1)))

    def experiment(self, horizon: int) -> Experiment:
        """Both kernels at one horizon."""
        panels, dim = [], self.dim(horizon)
        for name, (kernel, _) in SETTINGS.items():
            world = Synthetic(LowRank(self.active(name, horizon)), n_arms=self.n_arms, dim=dim, kernel=kernel)
            policy = ExploreThenCommit(MinNormInterpolator(kernel), self.n_arms * dim, AsGiven())
            panels.append(Panel(name, world, {"EtC": policy}))
        return Experiment(f"rate-{horizon}", tuple(panels), horizon, tuple(range(self.seeds)))

    def rows(self, runner: Runner) -> pl.DataFrame:
        found = []
        for T in reversed(self.horizons):
            results, explored = runner.run(self.experiment(T)), self.n_arms * self.dim(T) - 1
            for kernel in SETTINGS:
                sizes = (kernel, T, self.dim(T), self.active(kernel, T))
                regrets = results.curves(kernel, "EtC")
                found += [(*sizes, regret[-1], regret[-1] - regret[explored]) for regret in regrets]
        schema = ["kernel", "T", "d", "active", "regret", "after_exploration"]
        frame = pl.DataFrame(found, schema=schema, orient="row").sort("kernel", "T", maintain_order=True)
        mean = over_seeds(frame, ["kernel", "T", "d", "active"], ["regret", "after_exploration"])
        slopes = pl.concat(self._slopes(frame, kernel) for kernel in SETTINGS)
        return mean.join(slopes, on="kernel", maintain_order="left")

    def _slopes(self, frame: pl.DataFrame, kernel: str) -> pl.DataFrame:
        """Slope of ln R against ln T, least squares for every seed, then the mean; and the theorem's exponent."""
        regrets = frame.filter(kernel=kernel)["regret"].to_numpy().reshape(self.n_horizons, -1)
        each = np.polyfit(np.log(self.horizons), np.log(regrets), 1)[0]
        slopes = pl.DataFrame({"kernel": [kernel] * len(each), "slope": each})
        return over_seeds(slopes, ["kernel"], ["slope"]).with_columns(exponent=pl.lit(self._theorem(kernel).value))

    def _theorem(self, kernel: str) -> theory.RegretExponent:
        return theory.regret_exponent(SETTINGS[kernel][0], self.tau_1, SETTINGS[kernel][1] * self.tau_1)

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("kernel", "T", "d", "active", "regret", "regret_se", "after_exploration")

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for kernel, own in by(rows, "kernel"):
            T, start = own["T"].to_numpy().astype(float), own["regret"][0]
            slope, exponent = own["slope"][0], own["exponent"][0]
            theorem, exploration = (start * (T / T[0]) ** slope_of for slope_of in (exponent, self.tau_1))
            marks = [
                line(own, "T", "regret", 0, f"measured: fitted slope {slope:.2f}"),
                Line(T, theorem, Look(7, (5, 1.5)), f"theorem: T^{exponent:.3g}, from the first point"),
                Line(T, exploration, Look(3, (1, 1)), f"exploration alone: T^{self.tau_1:g}"),
            ]
            title = f"{kernel} kernel, d = T^{self.tau_1:g}, ε = T^−{SETTINGS[kernel][1] * self.tau_1:.3g}"
            charts.append(Chart(title, marks, Axis("T", "log", T.tolist()), Axis("regret", "log"), legend="best"))
        return Charts(charts, len(SETTINGS), height=3.5)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for kernel, own in by(rows, "kernel"):
            slope, error, exponent = own.row(0)[-3:]
            fitted = f"{slope:.2f}" if error is None else f"{slope:.2f} ± {error:.2f}"
            missed = "" if self._theorem(kernel).valid else ", whose γ ≥ cε this kernel does not meet as ε → 0"
            yield f"{kernel}: fitted slope {fitted}, the theorem's {exponent:.3f}{missed}"


@final
@dataclass(frozen=True, slots=True)
class Exploration(StudyPart):
    """EtC on the three designs with fixed budgets, and with the budget recommended after `pilot` rounds per arm.

    The recommendation knows neither the noise nor the norm; the pilot counts as exploration.
    """

    name: ClassVar[str] = "exploration"
    heading: ClassVar[str] = (
        "regret of EtC by T₀, d = {0.dim}, K = {0.n_arms}, T = {0.horizon}, {0.seeds} seeds; "
        "recommended from {0.pilot} rounds per arm"
    )
    horizon: Count = 2000
    budgets: tuple[Count, ...] = (20, 40, 60, 100, 200, 400, 800)
    n_arms: Count = 20
    dim: Count = 100
    pilot: Count = 4
    seeds: Count = 10

    def _validate(self) -> None:
        least = max(self.n_arms * self.pilot, self.budgets[0])
        if self.horizon < least:
            raise InvalidArgument(f"exploration: the horizon must cover the pilot, {least} rounds; got {self.horizon}")

    def environment(self, design: str) -> Synthetic:
        """The environment of one design."""
        return Synthetic(DESIGNS[design], n_arms=self.n_arms, dim=self.dim)

    def rows(self, runner: Runner) -> pl.DataFrame:
        methods = {str(budget): _policy(budget) for budget in self.budgets if budget <= self.horizon}
        panels = tuple(Panel(design, self.environment(design), methods) for design in DESIGNS)
        results = runner.run(Experiment("exploration", panels, self.horizon, tuple(range(self.seeds))))
        found = [
            (design, "fixed", seed, float(method), curve[-1])
            for design in DESIGNS
            for method in methods
            for seed, curve in enumerate(results.curves(design, method))
        ]
        mean = over_seeds(_frame(found), ["design", "budget", "n_explore"], ["regret"])
        tasks = [(self, design, seed) for design in DESIGNS for seed in range(self.seeds)]
        played = _frame(runner.map(self.name, recommended, tasks))
        planned = over_seeds(played, ["design", "budget"], ["n_explore", "regret"])
        return pl.concat([mean, planned.select(mean.columns)])

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        fixed, planned = _parts(rows)
        wide = fixed.with_columns(pl.col("n_explore").cast(int)).pivot("n_explore", index="design", values="regret")
        best = wide.select(pl.min_horizontal(pl.exclude("design"))).to_series()
        names = {"n_explore": "recommended T₀", "regret": "its regret"}
        wide = wide.join(planned.select("design", *names).rename(names), on="design", maintain_order="left")
        return wide.with_columns((pl.col("its regret") / best).alias("to the best"))

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, (design, both) in enumerate(by(rows, "design")):
            own, plan = _parts(both)
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

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for row in self.table(rows).iter_rows(named=True):
            ratio = f"{row['to the best']:.2f} × the regret of the best fixed T₀"
            yield f"{row['design']}: recommended T₀ = {row['recommended T₀']:.0f} on average, {ratio}"


def _policy(n_explore: int) -> ExploreThenCommit:
    return ExploreThenCommit(MinNormInterpolator(KERNEL), n_explore, AsGiven())


def _frame(found: list[tuple[str, str, int, float, float]]) -> pl.DataFrame:
    return pl.DataFrame(found, schema=["design", "budget", "seed", "n_explore", "regret"], orient="row")


def _parts(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The fixed budgets and the recommended ones."""
    return rows.filter(budget="fixed"), rows.filter(budget="recommended")


def recommended(task: tuple[Exploration, str, int]) -> tuple[str, str, int, float, float]:
    """Play the pilot, ask for the budget, and play with it: the same rounds as with the fixed budgets."""
    part, design, seed = task
    problem, rounds, new_rng = world(part.environment(design), part.horizon, seed)
    t = np.arange(part.pilot * part.n_arms)
    arms = t % part.n_arms
    rewards = rounds.means[t, arms] + rounds.noise[t]
    plan = theory.recommend_exploration(rounds.contexts[t, arms], arms, rewards, horizon=part.horizon, kernel=KERNEL)
    n_explore = max(plan.n_explore, len(t))
    trace = replay(_policy(n_explore), problem, rounds, new_rng())
    return design, "recommended", seed, float(n_explore), float(trace.regrets.sum())
