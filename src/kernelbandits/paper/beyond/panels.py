"""The problems of the study: the paper's own, those that its assumptions do not cover, and real data."""

from __future__ import annotations

from collections.abc import Mapping

from kernelbandits import paper
from kernelbandits.environments import Environment, LowRank, StudentNoise, Synthetic
from kernelbandits.experiments import Panel, load
from kernelbandits.kernels import Linear, Matern, Periodic
from kernelbandits.policies import (
    AdaptiveExploreThenCommit,
    ExploreThenCommit,
    GreedyInterpolation,
    Policy,
    ThompsonSampling,
    default_policy,
)

DEFAULT = "default"
"""What the table calls `default_policy()`."""


def new_policies() -> dict[str, Policy]:
    """The policies of this library that the paper does not have; they are told nothing."""
    return {
        DEFAULT: default_policy(),
        "ThompsonSampling": ThompsonSampling(),
        "AdaptiveEtC": AdaptiveExploreThenCommit(),
        "GreedyInterpolation": GreedyInterpolation(),
    }


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
    """The paper's low-rank design, d = 100, K = 20, with one thing changed in each panel.

    EtC explores for max(d, 5K) rounds: the paper's T₀ = d, and at least five rewards an arm.
    """
    changed: Mapping[str, Synthetic] = {
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
