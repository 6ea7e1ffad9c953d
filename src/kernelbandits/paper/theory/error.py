"""Picture (b): the interpolator's error against the bound V̄ + B̄ of Theorems liang_rakhlin and gen_err."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import final

import numpy as np
import polars as pl
from matplotlib.figure import SubFigure

from kernelbandits import theory
from kernelbandits.environments import Covariance, LowRank, Synthetic
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.parts import Part
from kernelbandits.paper.theory.common import DESIGNS, counted, curve, finish, over_seeds
from kernelbandits.paper.work import Work
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.specs import Count, Positive

KERNEL = Gaussian(4.0)
SPARSE = "low-rank, √d active"
_N_ARMS = 2
_N_TEST = 500


@final
@dataclass(frozen=True, slots=True)
class Error(Part):
    """N = d draws an arm, on the paper's three designs and on a low-rank one whose level falls with d."""

    dims: tuple[Count, ...] = (50, 100, 200, 400, 800)
    noise_std: Positive = 0.5
    seeds: Count = 5

    @property
    def name(self) -> str:
        return "error"

    @property
    def title(self) -> str:
        return (
            f"E‖f̂ − f‖² of the interpolator with {KERNEL}, N = d, σ = {self.noise_std:g}, "
            f"against V̄ (variance) and B̄ (bias), mean of {counted(self.seeds, 'seed')}"
        )

    @property
    def height(self) -> float:
        return 5.6

    def rows(self, work: Work) -> pl.DataFrame:
        names = [*DESIGNS, SPARSE]
        tasks = [
            (design, dim, self.noise_std, seed)
            for dim in self.dims[::-1]
            for design in names
            for seed in range(self.seeds)
        ]
        found = pl.DataFrame(work.map(one_error, tasks))
        mean = over_seeds(found, ["design", "d"], ["level", "measured", "V", "B", "V+B", "plain_V", "plain_B"])
        kinds = pl.Enum(names)
        return mean.sort(pl.col("design").cast(kinds), "d")

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        ratio = (pl.col("V+B") / pl.col("measured")).alias("ratio")
        names = {"level": "Tr(Σ)/d", "V": "V̄", "B": "B̄", "plain_V": "𝒱", "plain_B": "ℬ"}
        wanted = ["design", "d", "level", "measured", "V", "B", "ratio", "plain_V", "plain_B"]
        return rows.with_columns(ratio).select(wanted).rename(names | {"ratio": "(V̄+B̄)/measured"})

    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        axes = figure.subplots(2, 2, sharex=True, sharey=True)
        labels = {"V+B": "V̄ + B̄", "V": "V̄, variance", "measured": "measured E‖f̂ − f‖²"}
        for panel, design in zip(axes.flat, [*DESIGNS, SPARSE], strict=True):
            own = rows.filter(pl.col("design") == design)
            for place, (column, label) in enumerate(labels.items()):
                curve(panel, own, "d", column, place, label)
            finish(panel, design, "", ticks=self.dims, log="xy")
        for panel in axes[-1]:
            panel.set_xlabel("d = N")
        for panel in axes[:, 0]:
            panel.set_ylabel("squared error")
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False, handlelength=3.4)

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
