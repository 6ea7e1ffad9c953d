"""Figures (a) and (b): the linear approximation of Gram matrices, and the interpolator's error against its bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import theory
from kernelbandits.environments import ApproximateLowRank, Covariance, LowRank, SpectralDecay, Synthetic
from kernelbandits.experiments import Runner, seed_sequence
from kernelbandits.kernels import Exponential, Gaussian, Kernel
from kernelbandits.paper.parts import StudyPart, by, line, over_seeds
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Rule
from kernelbandits.specs import Count, Positive

DESIGNS: Mapping[str, Covariance] = {
    # of the paper's Figure 1
    "low-rank": LowRank(),
    "approximate low-rank": ApproximateLowRank(),
    "spectral decay": SpectralDecay(),
}
SPARSE = "low-rank, √d active"
KERNEL = Gaussian(4.0)
LINEARIZED: Mapping[str, Kernel] = {"Gaussian": Gaussian(), "exponential": Exponential()}
LEVEL = 0.5
_FORMS = {"corrected": False, "as printed": True}


@final
@dataclass(frozen=True, slots=True)
class LinearizationError(StudyPart):
    """Does ‖K − K_lin‖ vanish as d grows with d/N fixed? Proposition C.3 and Theorem B.4, estimation error for RBF.

    Normal contexts with Σ = I/2 and N = d; `seeds` draws of each size.
    """

    name: ClassVar[str] = "linearization"
    heading: ClassVar[str] = "‖K − K_lin‖ at N = d, Σ = I/2, {0.seeds} draws; the bounds rest on ‖K − K_lin‖ ≤ γ/2"
    dims: tuple[Count, ...] = (100, 200, 400, 800, 1600)
    seeds: Count = 5

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(kernel, dim, seed) for dim in self.dims[::-1] for kernel in LINEARIZED for seed in range(self.seeds)]
        found = pl.DataFrame([row for rows in runner.map(self.name, distances, tasks) for row in rows])
        mean = over_seeds(found, ["kernel", "form", "d", "half_gamma"], ["error"])
        return mean.sort("kernel", "form", "d", descending=[False, True, False])

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.pivot("form", index=["kernel", "d", "half_gamma"], values="error").rename({"half_gamma": "γ/2"})

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for i, (kernel, own) in enumerate(by(rows, "kernel")):
            lines = [line(own.filter(form=form), "d", "error", place, form) for place, form in enumerate(_FORMS)]
            marks: list[Mark] = [*lines, Rule(own["half_gamma"][0], "y", "γ/2")]
            x, y = Axis("d = N", "log", self.dims), Axis("" if i else "‖K − K_lin‖", "log")
            charts.append(Chart(f"{kernel} kernel", marks, x, y, legend="" if i else "best"))
        return Charts(charts, len(LINEARIZED), height=3.6, share_y=True)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        small, large = min(self.dims), max(self.dims)
        for row in rows.pivot("d", index=["kernel", "form"], values="error").iter_rows(named=True):
            grown = row[str(large)] / row[str(small)]
            yield f"{row['kernel']}, {row['form']}: at d = {large} it is {grown:.2f} × its value at d = {small}"


def distances(task: tuple[str, int, int]) -> list[dict[str, object]]:
    """‖K − K_lin‖ of one draw, in both forms."""
    name, dim, seed = task
    X = np.random.default_rng((seed, dim, dim)).standard_normal((dim, dim)) * LEVEL**0.5
    rows: list[dict[str, object]] = []
    for form, as_printed in _FORMS.items():
        found = theory.linearize(LINEARIZED[name], X, np.full(dim, LEVEL), as_printed=as_printed)
        rows.append({"kernel": name, "form": form, "d": dim, "half_gamma": found.gamma / 2.0, "error": found.error})
    return rows


@final
@dataclass(frozen=True, slots=True)
class InterpolationError(StudyPart):
    """The interpolator's error against the bound V̄ + B̄ of Theorems B.1 and B.4, estimation error.

    N = d draws per arm, on the paper's three designs and on a low-rank one whose level falls with d.
    """

    name: ClassVar[str] = "error"
    heading: ClassVar[str] = (
        f"E‖f̂ − f‖² of the interpolator with {KERNEL}, N = d, "
        "σ = {0.noise_std:g}, against V̄ (variance) and B̄ (bias), {0.seeds} seeds"
    )
    dims: tuple[Count, ...] = (50, 100, 200, 400, 800)
    noise_std: Positive = 0.5
    seeds: Count = 5

    def rows(self, runner: Runner) -> pl.DataFrame:
        names, seeds = [*DESIGNS, SPARSE], range(self.seeds)
        tasks = [(name, dim, self.noise_std, seed) for dim in self.dims[::-1] for name in names for seed in seeds]
        found = pl.DataFrame(runner.map(self.name, one_error, tasks))
        mean = over_seeds(found, ["design", "d"], ["level", "measured", "V", "B", "V+B", "plain_V", "plain_B"])
        return mean.sort(pl.col("design").cast(pl.Enum(names)), "d")

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        names = {"level": "Tr(Σ)/d", "V": "V̄", "B": "B̄", "plain_V": "𝒱", "plain_B": "ℬ"}
        wanted = ["design", "d", "level", "measured", "V", "B", "ratio", "plain_V", "plain_B"]
        ratio = pl.col("V+B") / pl.col("measured")
        return rows.with_columns(ratio=ratio).select(wanted).rename(names | {"ratio": "(V̄+B̄)/measured"})

    def charts(self, rows: pl.DataFrame) -> Charts:
        labels = {"V+B": "V̄ + B̄", "V": "V̄, variance", "measured": "measured E‖f̂ − f‖²"}
        charts = []
        for i, (design, own) in enumerate(by(rows, "design")):
            lines = [line(own, "d", column, place, label) for place, (column, label) in enumerate(labels.items())]
            x = Axis("d = N" if i > 1 else "", "log", self.dims)
            charts.append(Chart(design, lines, x, Axis("" if i % 2 else "squared error", "log")))
        return Charts(charts, 2, height=5.6, share_y=True, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for design, own in by(rows, "design"):
            ratio = (own["V+B"] / own["measured"]).to_numpy()
            d, error, bound = (own[column].to_list() for column in ("d", "measured", "V+B"))
            yield (
                f"{design}, d = {d[0]} to {d[-1]}: measured error {error[0]:.3g} to {error[-1]:.3g}, V̄ + B̄ "
                f"{bound[0]:.3g} to {bound[-1]:.3g}; the bound is {ratio.min():.3g} to {ratio.max():.3g} × the error"
            )


def one_error(task: tuple[str, int, float, int]) -> dict[str, object]:
    """Measured error and bounds on one instance, averaged over its arms."""
    name, dim, noise_std, seed = task
    design = LowRank(isqrt(dim)) if name == SPARSE else DESIGNS[name]
    environment = Synthetic(design, n_arms=2, dim=dim, kernel=KERNEL, noise_std=noise_std)
    streams = np.random.default_rng(seed_sequence(environment, seed)).spawn(3)
    instance = environment.draw(streams[0])
    measured = theory.measured_error(MinNormInterpolator(KERNEL), instance, dim, streams[1], n_test=500)
    contexts = instance.rounds(dim, streams[2]).contexts
    bounds = []
    for arm, reward in enumerate(instance.rewards):
        X, variances = np.ascontiguousarray(contexts[:, arm]), instance.context_std[arm] ** 2
        plain_bias = theory.effective_bias(KERNEL, X)
        V = theory.detailed_variance(KERNEL, X, noise_std, variances)
        plain_variance = theory.effective_variance(KERNEL, X, variances)
        bounds.append((variances.mean(), V, reward.norm**2 * plain_bias, plain_variance, plain_bias))
    level, V, B, plain_variance, plain_bias = (float(value) for value in np.mean(bounds, axis=0))
    found = {"design": name, "d": dim, "level": level, "measured": measured.mean}
    return found | {"V": V, "B": B, "V+B": V + B, "plain_V": plain_variance, "plain_B": plain_bias}
