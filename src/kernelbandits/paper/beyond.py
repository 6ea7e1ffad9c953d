"""The paper's methods and this library's own, on the paper's problems and beyond: `kernelbandits reproduce beyond`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, cast, final

import polars as pl

from kernelbandits import paper, policies
from kernelbandits.environments import (
    Avazu,
    LowRank,
    StudentNoise,
    Synthetic,
    mean_and_standard_error,
    ratio_and_standard_error,
)
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Results, Runner, RunOptions, load_experiment, require_known
from kernelbandits.kernels import Linear, Matern, Periodic
from kernelbandits.paper import data_sets, real_world, table_1
from kernelbandits.paper.parts import StudyPart, report_parts
from kernelbandits.reporting import Axis, Chart, Charts, Points, Rule, looks, spread
from kernelbandits.specs import Count, Positive

HORIZON = 2000
YARDSTICK = "EtC"
DEFAULT = "default"  # the name of `default_policy()` in tables
PROMISES = {
    "figure-1": ("Figure 1 of the paper", "EtC", 0.45),
    "figure-2": ("Figure 2 of the paper", "best", 0.8),
    "misspecified": ("What the paper's kernel or noise does not fit", "best", 1.25),
    "real-data": ("Real data, one arm per class", "best", 1.25),
    "table-1": ("Table 1 of the paper", "EtC", 0.9),
}
"""What each suite is about, whose regret the default policy is measured by, and the ratio that it should reach."""


def report(options: RunOptions, data: Path | None = None, data_dir: Path | None = None) -> None:
    """Play every suite; write a picture and a table of ratios for each."""
    pictures = {suite.name: (suite,) for suite in suites(options, data, data_dir)}
    title = "Beyond the paper: policies that are told nothing"
    report_parts("beyond", title, pictures, replace(options, only=(), horizon=None))


def suites(options: RunOptions, data: Path | None = None, data_dir: Path | None = None) -> list[Suite]:
    """The suites that the options ask for, by their own names or those of panels, at the horizon asked for.

    The digits come with scikit-learn; `data` is an Avazu file for Table 1. A file is read only if it is asked for.
    """
    horizon = HORIZON if options.horizon is None else options.horizon
    panels = {
        "figure-1": of_figure("figure-1", horizon),
        "figure-2": of_figure("figure-2", horizon),
        "misspecified": misspecified(horizon),
    }
    known = [*PROMISES, *data_sets.NAMES, *(panel.name for own in panels.values() for panel in own)]
    require_known(options.only, known, "beyond has no part or panel")
    wanted = {name.casefold() for name in options.only}
    if "table-1" in wanted and data is None:
        raise InvalidArgument("beyond: the part table-1 needs an Avazu file; give it by --data FILE")
    found = []
    for label, own in panels.items():
        if kept := tuple(panel for panel in own if not wanted or {label, panel.name.casefold()} & wanted):
            found.append(Suite(label, *PROMISES[label], kept, horizon))
    if not wanted or wanted & {"real-data", *map(str.casefold, data_sets.NAMES)}:
        found.append(_real_data(options, data_dir))
    if data is not None and (not wanted or "table-1" in wanted):
        ads = table_1.experiment(Avazu(str(data), table_1.design()), horizon=options.horizon)
        found.append(Suite("table-1", *PROMISES["table-1"], _with_new(ads.panels), ads.horizon, len(ads.seeds)))
    return found


def _real_data(options: RunOptions, data_dir: Path | None) -> Suite:
    """The data sets named, or all; unless they are named, for at most as many rounds as all of them have rows for."""
    most = real_world.HORIZON
    horizon = most if options.horizon is None else options.horizon if options.only else min(options.horizon, most)
    only = () if "real-data" in map(str.casefold, options.only) else options.only
    environments, _ = data_sets.find(data_dir, options.folder, only, horizon)
    panels = _with_new(real_world.experiment(environments, horizon, seeds=1).panels)
    return Suite("real-data", *PROMISES["real-data"], panels, horizon)


def of_figure(name: str, horizon: int) -> tuple[Panel, ...]:
    """The problems of a figure of the paper with all eight methods and the new policies."""
    panels = []
    for panel in load_experiment(name).panels:
        etc = cast(policies.ExploreThenCommit, panel.methods["EtC"])
        panels.append(panel_of(panel.name, cast(Synthetic, panel.environment), etc.n_explore, horizon))
    return tuple(panels)


def misspecified(horizon: int) -> tuple[Panel, ...]:
    """The paper's low-rank design, d = 100, K = 20, with one change per panel.

    EtC explores for max(d, 5K) rounds: the paper's T₀ = d, and at least five rewards per arm.
    """
    changed = {
        "Matérn rewards": Synthetic(LowRank(), kernel=Matern(nu=2.5, length=0.35)),
        "linear rewards": Synthetic(LowRank(), kernel=Linear()),
        "periodic rewards": Synthetic(LowRank(), kernel=Periodic(period=3.0, gamma=4.0)),
        "heavy-tailed noise": Synthetic(LowRank(), noise=StudentNoise(df=2.5), noise_std=0.1),
        "noise × 10": Synthetic(LowRank(), noise_std=0.1),
        "noise × 100": Synthetic(LowRank(), noise_std=1.0),
        "d = 20": Synthetic(LowRank(), dim=20),
        "d = 500": Synthetic(LowRank(), dim=500),
        "K = 2": Synthetic(LowRank(), n_arms=2),
        "K = 100": Synthetic(LowRank(), n_arms=100),
        "sparse contexts": Synthetic(LowRank(), density=0.05),
    }
    return tuple(
        panel_of(name, environment, max(environment.dim, 5 * environment.n_arms), horizon)
        for name, environment in changed.items()
    )


def panel_of(name: str, environment: Synthetic, n_explore: int, horizon: int) -> Panel:
    """The paper's eight and the new policies on one environment.

    EtC explores for `n_explore` rounds, but at most for half of the rounds, and at least once per arm.
    """
    n_explore = max(environment.n_arms, min(n_explore, horizon // 2))
    return Panel(name, environment, paper.methods(environment.dim, n_explore) | new_policies(), mark=n_explore)


def new_policies() -> dict[str, policies.Policy]:
    """The policies of this library that the paper does not have; they are told nothing about the problem."""
    return {
        DEFAULT: policies.default_policy(),
        "ThompsonSampling": policies.ThompsonSampling(),
        "AdaptiveEtC": policies.AdaptiveExploreThenCommit(),
        "GreedyInterpolation": policies.GreedyInterpolation(),
    }


def _with_new(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
    return tuple(replace(panel, methods={**panel.methods, **new_policies()}) for panel in panels)


@final
@dataclass(frozen=True, slots=True)
class Suite(StudyPart):
    """Panels with the paper's eight and this library's policies.

    The default policy should reach `limit` × the regret of `against`: "EtC", or "best" for the best of the eight.
    """

    heading: ClassVar[str] = "{0.about}: final regret as a multiple of EtC's, T = {0.horizon:,}, {0.seeds} seeds"
    name: str = field()  # without `field` the abstract property of the base class is the default
    about: str = field()
    against: str = field()
    limit: Positive = field()
    panels: tuple[Panel, ...] = field(repr=False)
    horizon: Count = HORIZON
    seeds: Count = 10

    def _validate(self) -> None:
        for panel in self.panels:
            if panel.mark is not None and panel.mark > self.horizon:
                raise InvalidArgument(
                    f"{self.name}: the horizon must be at least {panel.mark}, one round per arm of panel "
                    f"{panel.name!r}; got {self.horizon}. Use a longer one, or --only for other panels."
                )

    def rows(self, runner: Runner) -> pl.DataFrame:
        results = runner.run(Experiment(self.name, self.panels, self.horizon, tuple(range(self.seeds))))
        rows = [row for panel in self.panels for row in _compared(results, panel)]
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """One row per panel: the best of the eight, the default policy against both, the others' ratios to EtC."""
        lines = []
        for panel in self.panels:
            own = {row["method"]: row for row in rows.filter(panel=panel.name).iter_rows(named=True)}
            default = own[DEFAULT]
            line = {
                "panel": panel.name,
                "EtC": own[YARDSTICK]["mean_regret"],
                "best of eight": default["best"],
                "its regret": default["best_regret"],
                "default / EtC": _with_error(default["to_etc"], default["to_etc_se"]),
                "default / best": _with_error(default["to_best"], default["to_best_se"]),
            }
            known = {*paper.methods(dim=1), DEFAULT}
            lines.append(line | {name: row["to_etc"] for name, row in own.items() if name not in known})
        return pl.DataFrame(lines)

    def charts(self, rows: pl.DataFrame) -> Charts:
        names = [panel.name for panel in self.panels]
        marks: list[Points | Rule] = []
        given = {method: look for method, look in looks(rows["method"]).items() if method != YARDSTICK}
        for (method, look), offset in zip(given.items(), spread(len(given)), strict=True):
            own = rows.filter(method=method)
            at = [names.index(panel) + offset for panel in own["panel"]]
            marks.append(Points(own["to_etc"].to_numpy(), at, look, method, best=method == DEFAULT))
        x, y = Axis("final regret / regret of EtC", "log"), Axis(names=names)
        chart = Chart(self.about, [*marks, Rule(1.0, "x")], x, y, legend="right")
        return Charts([chart], 1, height=max(3.2, 1.1 + 0.55 * len(self.panels)))  # the legend needs at least 3.2

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        column, whom = {"EtC": ("to_etc", "EtC"), "best": ("to_best", "the best of the paper's eight")}[self.against]
        own = rows.filter(method=DEFAULT).sort(column)
        worst = own.row(-1, named=True)
        missed = own.filter(pl.col(column) > self.limit)["panel"].to_list()
        yield (
            f"default policy: at most {self.limit:g} × {whom} on {len(own) - len(missed)} of {len(own)} panels; "
            f"the largest ratio is {_with_error(worst[column], worst[f'{column}_se'])} ({worst['panel']})"
        )
        if missed:
            yield f"above {self.limit:g}: {', '.join(missed)}"


def _compared(results: Results, panel: Panel) -> Iterator[dict[str, object]]:
    """Every method of a panel against EtC and against the best of the paper's eight, seed by seed."""
    final = {method: results.curves(panel.name, method)[:, -1] for method in panel.methods}
    best = real_world.best_of({method: final[method] for method in paper.methods(dim=1)})
    for method, regrets in final.items():
        mean, error = mean_and_standard_error(regrets)
        to_etc, to_etc_se = ratio_and_standard_error(regrets, final[YARDSTICK])
        to_best, to_best_se = ratio_and_standard_error(regrets, best.regrets)
        row = {"panel": panel.name, "method": method, "mean_regret": float(mean), "standard_error": float(error)}
        row |= {"to_etc": to_etc, "to_etc_se": to_etc_se, "best": best.name, "best_regret": float(best.regrets.mean())}
        yield row | {"to_best": to_best, "to_best_se": to_best_se}


def _with_error(value: float, error: float | None) -> str:
    return f"{value:.2f}" if error is None else f"{value:.2f} ± {error:.2f}"
