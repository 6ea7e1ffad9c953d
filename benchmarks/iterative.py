"""Conjugate gradients against the exact solver at N = 20,000, and with and without a preconditioner."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import in_new_process, resident_peak
from kernelbandits import ConjugateGradient, Gaussian, MinNormInterpolator, NoPreconditioner, PartialCholesky
from kernelbandits.errors import NotConverged
from kernelbandits.types import Array

N, DIM, GAMMA = 20_000, 100, 1.0


def data(n: int, dim: int) -> tuple[Array, Array]:
    """Return normal points and a function of a few of their features, with a little noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, dim))
    return X, np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)


def _costs() -> dict[str, float]:
    """Fit with each solver, conjugate gradients first: the peak of memory only grows."""
    (X, y), Z = data(N, DIM), data(1000, DIM)[0][::-1] + 0.5
    before = resident_peak()
    costs, predictions = {}, []
    for name, estimator in (
        ("conjugate gradients", ConjugateGradient(Gaussian(GAMMA))),
        ("conjugate gradients with memory=2_000_000_000", ConjugateGradient(Gaussian(GAMMA), memory=2_000_000_000)),
        ("exact", MinNormInterpolator(Gaussian(GAMMA))),
    ):
        start = time.perf_counter()
        fit: Any = estimator.fit(X, y)
        costs[f"seconds, {name}"] = time.perf_counter() - start
        costs[f"extra memory in MB, {name}"] = (resident_peak() - before) / 1e6
        if name == "conjugate gradients":
            costs["iterations"] = float(fit.report.iterations)
            costs["relative residual (goal ≤ 1e-8)"] = fit.report.residual
        predictions.append(fit.mean(Z))
        del fit
    difference = np.abs(predictions[0] - predictions[-1]).max()
    return costs | {"largest difference of 1,000 predictions (goal ≤ 1e-6)": float(difference)}


def _against_exact() -> Mapping[str, float]:
    facts = in_new_process(_costs)
    facts["seconds, relative to exact (goal < 0.5, or memory < 0.25)"] = (
        facts["seconds, conjugate gradients"] / facts["seconds, exact"]
    )
    facts["memory, relative to exact"] = (
        facts["extra memory in MB, conjugate gradients"] / facts["extra memory in MB, exact"]
    )
    return facts


def _ill_conditioned() -> Mapping[str, float]:
    """Points in three dimensions under a smooth kernel: eigenvalues fall by many orders of magnitude."""
    X, y = data(3000, 3)
    iterations = {}
    for name, preconditioner in (("without", NoPreconditioner()), ("with", PartialCholesky())):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # then the limit is counted
            report = ConjugateGradient(Gaussian(1.0), 1e-3, preconditioner, max_iterations=3000).fit(X, y).report
        iterations[f"iterations {name} a preconditioner, N = 3,000, d = 3, ridge = 0.001"] = float(report.iterations)
        iterations[f"relative residual {name} a preconditioner"] = report.residual
    return iterations


def cases() -> Iterator[Case]:
    """Yield figures, not ratios: one exact fit of this size takes most of a minute."""
    title = f"conjugate gradients against the exact interpolator, N = {N}, d = {DIM}, one thread"
    yield Case("cg-exact", title, facts=_against_exact)
    yield Case("cg-preconditioner", "what the preconditioner saves", facts=_ill_conditioned)
