"""The paper's methods and this library's own, on the paper's problems and beyond: `kernelbandits reproduce beyond`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kernelbandits import paper
from kernelbandits.environments import Avazu, Environment, LowRank, StudentNoise, Synthetic
from kernelbandits.experiments import Panel, RunOptions, load
from kernelbandits.kernels import Linear, Matern, Periodic
from kernelbandits.paper import real_world, table_1
from kernelbandits.paper.data_sets import find
from kernelbandits.paper.parts import report_parts
from kernelbandits.paper.suite import DEFAULT, Suite
from kernelbandits.policies import (
    AdaptiveExploreThenCommit,
    ExploreThenCommit,
    GreedyInterpolation,
    Policy,
    ThompsonSampling,
    default_policy,
)


def report(options: RunOptions, data: Path | None = None, data_dir: Path | None = None) -> None:
    """Play every suite; write a picture and a table of ratios for each."""
    pictures = {suite.name: (suite,) for suite in suites(options.folder, data, data_dir)}
    report_parts("beyond", "Beyond the paper: policies that are told nothing", pictures, options)


def suites(folder: Path, data: Path | None, data_dir: Path | None) -> list[Suite]:
    """The parts of the study. The digits come with scikit-learn; `data` is an Avazu file for Table 1."""
    horizon = real_world.HORIZON
    found = find(data_dir, folder, (), horizon)
    real = real_world.experiment(found.environments, horizon, seeds=1).panels
    parts = [
        Suite("figure-1", "Figure 1 of the paper", of_figure("figure-1"), "EtC", 0.45),
        Suite("figure-2", "Figure 2 of the paper", of_figure("figure-2"), "best", 0.8),
        Suite("misspecified", "What the paper's kernel or noise does not fit", misspecified(), "best", 1.25),
        Suite("real-data", "Real data, one arm per class", _with_new(real), "best", 1.25, horizon),
    ]
    if data is not None:
        ads = _with_new(table_1.experiment(Avazu(str(data), table_1.design())).panels)
        parts.append(Suite("table-1", "Table 1 of the paper", ads, "EtC", 0.9, table_1.HORIZON, table_1.SEEDS))
    return parts


def of_figure(name: str) -> tuple[Panel, ...]:
    """The problems of a figure of the paper with all eight methods and the new policies."""
    panels = []
    for panel in load(name).panels:
        etc, environment = panel.methods["EtC"], panel.environment
        assert isinstance(etc, ExploreThenCommit)
        assert isinstance(environment, Synthetic)
        panels.append(panel_of(panel.name, environment, environment.dim, etc.n_explore))
    return tuple(panels)


def misspecified() -> tuple[Panel, ...]:
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
        panel_of(name, environment, environment.dim, max(environment.dim, 5 * environment.n_arms))
        for name, environment in changed.items()
    )


def panel_of(name: str, environment: Environment, dim: int, n_explore: int) -> Panel:
    """The paper's eight and the new policies on one environment."""
    return Panel(name, environment, paper.methods(dim, n_explore) | new_policies(), mark=n_explore)


def new_policies() -> dict[str, Policy]:
    """The policies of this library that the paper does not have; they are told nothing about the problem."""
    return {
        DEFAULT: default_policy(),
        "ThompsonSampling": ThompsonSampling(),
        "AdaptiveEtC": AdaptiveExploreThenCommit(),
        "GreedyInterpolation": GreedyInterpolation(),
    }


def _with_new(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
    return tuple(replace(panel, methods={**panel.methods, **new_policies()}) for panel in panels)
