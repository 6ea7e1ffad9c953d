"""Figure (d): information gain and classical bounds against the regret of CGP-UCB, and lenient regret against Δ."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import paper, theory
from kernelbandits.environments import ApproximateLowRank, Synthetic, lenient_regret
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Runner, world
from kernelbandits.paper.parts import StudyPart, by, line, over_seeds
from kernelbandits.paper.theory.errors import DESIGNS, KERNEL
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Remark, Rule, Shade
from kernelbandits.specs import Count

METHODS = ("EtC", "CGP-UCB")


@final
@dataclass(frozen=True, slots=True)
class Information(StudyPart):
    """CGP-UCB on approximate low-rank contexts of growing d; `horizon` is the largest T, and each other half the next.

    The gain is that of contexts with the arms played in turn, one kernel matrix per arm; the largest gain γ_T is no
    smaller. Regret is divided by the largest regret that a round could have, as the bounds are.
    """

    name: ClassVar[str] = "information"
    heading: ClassVar[str] = (
        "information gain γ and classical bounds at T = {0.horizon} for "
        f"{KERNEL}, λ² = 1, and the regret of CGP-UCB, "
        "K = {0.n_arms}, {0.seeds} seeds"
    )
    horizon: Count = 2000
    n_horizons: Count = 5
    dims: tuple[Count, ...] = (1, 2, 3, 5, 10, 30, 100)
    n_arms: Count = 4
    seeds: Count = 10

    def _validate(self) -> None:
        if self.horizon < 3:
            raise InvalidArgument(f"information: the horizon must be at least 3, for ln T > 1; got {self.horizon}")

    @property
    def horizons(self) -> list[int]:
        """The horizons, smallest first."""
        return [max(3, self.horizon // 2**k) for k in reversed(range(self.n_horizons))]

    def environment(self, dim: int) -> Synthetic:
        """The environment of one size."""
        return Synthetic(ApproximateLowRank(), n_arms=self.n_arms, dim=dim, kernel=KERNEL)

    def rows(self, runner: Runner) -> pl.DataFrame:
        methods = {"CGP-UCB": paper.methods(1)["CGP-UCB"]}
        panels = tuple(Panel(str(dim), self.environment(dim), methods) for dim in self.dims)
        results = runner.run(Experiment("information", panels, self.horizon, tuple(range(self.seeds))))
        tasks = [(self, dim, seed) for dim in self.dims[::-1] for seed in range(self.seeds)]
        found = []
        for (_, dim, seed), (gains, unit) in zip(tasks, runner.map(self.name, gains_and_unit, tasks), strict=True):
            regret = results.curves(str(dim), "CGP-UCB")[seed]
            found += [(dim, T, gain, regret[T - 1] / unit) for T, gain in zip(self.horizons, gains, strict=True)]
        frame = pl.DataFrame(found, schema=["d", "T", "gain", "regret"], orient="row").sort("d", "T")
        mean = over_seeds(frame, ["d", "T"], ["gain", "regret"])
        bounds = [theory.classical_bounds(gain, T) for gain, T in mean.select("gain", "T").iter_rows()]
        rates = [theory.information_rate(KERNEL, dim, T).log for dim, T in mean.select("d", "T").iter_rows()]
        names = ("cgp_ucb", "sup_kernel_ucb", "vacuous")
        columns = [pl.Series(name, [getattr(bound, name) for bound in bounds]) for name in names]
        return mean.with_columns(*columns, pl.Series("log10_rate", np.array(rates) / np.log(10.0)))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        names = {
            "gain": "γ measured",
            "cgp_ucb": "γ√T",
            "sup_kernel_ucb": "√(γT)",
            "log10_rate": "log₁₀ of (ln T)^(d+1)",
            "regret": "regret, in largest regrets of a round",
        }
        return rows.filter(T=self.horizon).select("d", *names).rename(names)

    def charts(self, rows: pl.DataFrame) -> Charts:
        low, high = rows["gain"].to_numpy().min(), rows["gain"].to_numpy().max()
        gain = Axis("information gain γ", "log", low=low * (low / high) ** 0.45)  # room for the legend below the curves
        by_d: list[Mark] = []
        for place, T in enumerate(self.horizons[::-2]):
            by_d += [line(rows.filter(T=T), "d", "gain", place, f"T = {T}"), Rule(0.5 * T * np.log(2.0), "y")]
        by_t = [line(rows.filter(d=dim), "T", "gain", place, f"d = {dim}") for place, dim in enumerate(self.dims[::-2])]
        dims, horizons = Axis("d", "log", self.dims), Axis("T", "log", self.horizons)
        charts = [
            Chart("dotted: ½ T ln 2, unrelated points", by_d, dims, gain, legend="lower right"),
            Chart("linear in T where d is large", by_t, horizons, gain, legend="lower right"),
            self._bounds(rows.filter(T=self.horizon), dims),
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

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        own, T = rows.filter(T=self.horizon), self.horizon
        vacuous = {
            "γ√T with the measured gain": pl.col("cgp_ucb") >= T,
            "√(γT) with the measured gain": pl.col("sup_kernel_ucb") >= T,
            "√(γT) with the known rate (ln T)^(d+1)": pl.col("log10_rate") >= np.log10(T),  # √(γT) ≥ T means γ ≥ T
        }
        for label, beyond in vacuous.items():
            dims = own.filter(beyond)["d"].to_list()
            where = f"from d = {dims[0]} on" if dims else "nowhere here"
            yield f"{label} says no more than R(T) ≤ T = {T} {where}"
        regret = own["regret"].to_numpy()
        yield f"the regret of CGP-UCB is {regret.min():.3g} to {regret.max():.3g} largest regrets of a round"


def gains_and_unit(task: tuple[Information, int, int]) -> tuple[list[float], float]:
    """The gain of the first T contexts, arms in turn, for every T; and the largest regret of a round."""
    part, dim, seed = task
    _, rounds, _ = world(part.environment(dim), part.horizon, seed)
    gains = []
    for T in part.horizons:
        played = [rounds.contexts[arm : T : part.n_arms, arm] for arm in range(min(T, part.n_arms))]
        gains.append(sum(theory.information_gain(KERNEL, np.ascontiguousarray(X)) for X in played))
    return gains, float((rounds.means.max(axis=1) - rounds.means.min(axis=1)).max())


@final
@dataclass(frozen=True, slots=True)
class Lenient(StudyPart):
    """Lenient regret R_Δ(T) against Δ: Theorems 4.11 and C.2, lenient regret bounds.

    EtC with T₀ = d, and CGP-UCB, on the three designs: regret above Δ per round, the mean over seeds taken first.
    """

    name: ClassVar[str] = "lenient"
    heading: ClassVar[str] = (
        "lenient regret R_Δ(T) by Δ, d = {0.dim}, K = {0.n_arms}, T = {0.horizon}, T₀ = d, {0.seeds} seeds"
    )
    horizon: Count = 2000
    deltas: tuple[float, ...] = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    n_arms: Count = 20
    dim: Count = 100
    seeds: Count = 10

    def _validate(self) -> None:
        if self.horizon <= self.dim:
            raise InvalidArgument(f"lenient: the horizon must be above {self.dim}, the T₀ of EtC; got {self.horizon}")

    def rows(self, runner: Runner) -> pl.DataFrame:
        eight = paper.methods(self.dim)
        methods = {name: eight[name] for name in METHODS}
        worlds = {name: Synthetic(design, n_arms=self.n_arms, dim=self.dim) for name, design in DESIGNS.items()}
        panels = tuple(Panel(name, world, methods) for name, world in worlds.items())
        results = runner.run(Experiment("lenient", panels, self.horizon, tuple(range(self.seeds))))
        found = []
        for design, method in product(DESIGNS, METHODS):
            regrets = np.diff(results.curves(design, method), axis=1, prepend=0.0)
            for delta in self.deltas:
                total = lenient_regret(regrets, delta)
                found.append((design, method, delta, float(total[-1]), float(total[-1] - total[self.dim - 1])))
        schema = ["design", "method", "delta", "lenient_regret", "after_exploration"]
        return pl.DataFrame(found, schema=schema, orient="row")

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        named = rows.with_columns(pl.format("Δ = {}", "delta").alias("delta"))
        return named.pivot("delta", index=["design", "method"], values="lenient_regret")

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, (design, own) in enumerate(by(rows, "design")):
            etc, ucb = (own.filter(method=method) for method in METHODS)
            marks = [
                line(etc, "delta", "lenient_regret", 0, "EtC"),
                line(etc, "delta", "after_exploration", 2, "EtC after exploration"),
                line(ucb, "delta", "lenient_regret", 4, "CGP-UCB"),
            ]
            y = Axis("" if i else f"lenient regret, T = {self.horizon}", "symlog", low=0)
            charts.append(Chart(design, marks, Axis("Δ"), y, legend="best" if i == len(DESIGNS) - 1 else ""))
        return Charts(charts, len(DESIGNS), height=3.4, share_y=True)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for design, own in by(rows.filter(method="EtC"), "design"):
            small = own.filter(pl.col("after_exploration") < 0.01 * own["lenient_regret"][0])["delta"].to_list()
            where = f"from Δ = {small[0]:g} on" if small else "for no Δ here"
            yield f"{design}: after the exploration EtC has less than 1 % of its regret left {where}"
