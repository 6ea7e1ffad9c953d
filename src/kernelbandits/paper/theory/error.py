"""The interpolator's error against the bound V̄ + B̄ of Theorems B.1 and B.4, estimation error."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.environments import Covariance, LowRank, Synthetic
from kernelbandits.experiments import Runner, counted
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import StudyPart, line, over_seeds
from kernelbandits.paper.theory.designs import DESIGNS
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts
from kernelbandits.specs import Count, Positive

KERNEL = Gaussian(4.0)
SPARSE = "low-rank, √d active"
_N_ARMS = 2
_N_TEST = 500


@final
@dataclass(frozen=True, slots=True)
class InterpolationError(StudyPart):
    """N = d draws per arm, on the paper's three designs and on a low-rank one whose level falls with d."""

    name: ClassVar[str] = "error"
    dims: tuple[Count, ...] = (50, 100, 200, 400, 800)
    noise_std: Positive = 0.5
    seeds: Count = 5

    @property
    def title(self) -> str:
        return (
            f"E‖f̂ − f‖² of the interpolator with {KERNEL}, N = d, σ = {self.noise_std:g}, "
            f"against V̄ (variance) and B̄ (bias), mean of {counted(self.seeds, 'seed')}"
        )

    def rows(self, runner: Runner) -> pl.DataFrame:
        names = [*DESIGNS, SPARSE]
        tasks = [
            (design, dim, self.noise_std, seed)
            for dim in self.dims[::-1]
            for design in names
            for seed in range(self.seeds)
        ]
        found = pl.DataFrame(runner.map(self.name, one_error, tasks))
        mean = over_seeds(found, ["design", "d"], ["level", "measured", "V", "B", "V+B", "plain_V", "plain_B"])
        kinds = pl.Enum(names)
        return mean.sort(pl.col("design").cast(kinds), "d")

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        ratio = (pl.col("V+B") / pl.col("measured")).alias("ratio")
        names = {"level": "Tr(Σ)/d", "V": "V̄", "B": "B̄", "plain_V": "𝒱", "plain_B": "ℬ"}
        wanted = ["design", "d", "level", "measured", "V", "B", "ratio", "plain_V", "plain_B"]
        return rows.with_columns(ratio).select(wanted).rename(names | {"ratio": "(V̄+B̄)/measured"})

    def charts(self, rows: pl.DataFrame) -> Charts:
        labels = {"V+B": "V̄ + B̄", "V": "V̄, variance", "measured": "measured E‖f̂ − f‖²"}
        charts = []
        for i, design in enumerate([*DESIGNS, SPARSE]):
            own = rows.filter(pl.col("design") == design)
            lines = [line(own, "d", column, place, label) for place, (column, label) in enumerate(labels.items())]
            x = Axis("d = N" if i > 1 else "", "log", self.dims)
            charts.append(Chart(design, lines, x, Axis("" if i % 2 else "squared error", "log")))
        return Charts(charts, 2, height=5.6, share_y=True, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for design in [*DESIGNS, SPARSE]:
            own = rows.filter(pl.col("design") == design)
            ratio = (own["V+B"] / own["measured"]).to_numpy()
            lines.append(
                f"{design}: from d = {own['d'][0]} to {own['d'][-1]} the measured error goes from "
                f"{own['measured'][0]:.3g} to {own['measured'][-1]:.3g}, V̄ + B̄ from {own['V+B'][0]:.3g} to "
                f"{own['V+B'][-1]:.3g}; the bound is {ratio.min():.3g} to {ratio.max():.3g} × the error"
            )
        return lines


def design_of(name: str, dim: int) -> Covariance:
    """One of the designs at that size."""
    return LowRank(isqrt(dim)) if name == SPARSE else DESIGNS[name]


def one_error(task: tuple[str, int, float, int]) -> dict[str, object]:
    """Measured error and bounds on one instance, averaged over its arms."""
    design, dim, noise_std, seed = task
    streams = np.random.default_rng((seed, dim)).spawn(3)
    environment = Synthetic(design_of(design, dim), n_arms=_N_ARMS, dim=dim, kernel=KERNEL, noise_std=noise_std)
    instance = environment.draw(streams[0])
    measured = theory.measured_error(MinNormInterpolator(KERNEL), instance, dim, streams[1], n_test=_N_TEST)
    contexts = instance.rounds(dim, streams[2]).contexts
    bounds = []
    for arm, reward in enumerate(instance.rewards):
        X, variances = np.ascontiguousarray(contexts[:, arm]), instance.context_std[arm] ** 2
        plain_bias = theory.effective_bias(KERNEL, X)
        V = theory.detailed_variance(KERNEL, X, noise_std, variances)
        plain_variance = theory.effective_variance(KERNEL, X, variances)
        bounds.append((variances.mean(), V, reward.norm**2 * plain_bias, plain_variance, plain_bias))
    level, V, B, plain_variance, plain_bias = (float(value) for value in np.mean(bounds, axis=0))
    return {
        "design": design,
        "d": dim,
        "level": level,
        "measured": measured.mean,
        "V": V,
        "B": B,
        "V+B": V + B,
        "plain_V": plain_variance,
        "plain_B": plain_bias,
    }
