"""Conjugate gradients against the exact solver at N = 20,000, and with and without a preconditioner."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import nothing
from kernelbandits import ConjugateGradient, Gaussian, NoPreconditioner, PartialCholesky
from kernelbandits.errors import NotConverged
from kernelbandits.types import Array

N, DIM, GAMMA = 20_000, 100, 1.0


def data(n: int, dim: int) -> tuple[Array, Array]:
    """Normal points and a function of a few of their features, with a little noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, dim))
    return X, np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)


_CHILD = """
import json, time
from kernelbandits import ConjugateGradient, Gaussian, MinNormInterpolator
from benchmarks.iterative import DIM, GAMMA, N, data
from benchmarks.measure import resident_peak as peak
from threadpoolctl import threadpool_limits
import numpy as np
with threadpool_limits(1):
    (X, y), (Z, _) = data(N, DIM), data(1000, DIM)
    Z = Z[::-1] + 0.5
    base, start = peak(), time.perf_counter()
    ours = ConjugateGradient(Gaussian(GAMMA)).fit(X, y)
    seconds, memory = time.perf_counter() - start, peak() - base
    approximate = ours.mean(Z)
    start = time.perf_counter()
    ConjugateGradient(Gaussian(GAMMA), memory=2_000_000_000).fit(X, y)
    kept_seconds, kept_memory = time.perf_counter() - start, peak() - base
    start = time.perf_counter()
    exact = MinNormInterpolator(Gaussian(GAMMA)).fit(X, y)
    print(json.dumps({
        "seconds, conjugate gradients": seconds,
        "seconds, conjugate gradients with memory=2_000_000_000": kept_seconds,
        "seconds, exact": time.perf_counter() - start,
        "iterations": ours.report.iterations,
        "relative residual (goal ≤ 1e-8)": ours.report.residual,
        "extra memory in MB, conjugate gradients": memory / 1e6,
        "extra memory in MB, conjugate gradients with memory=2_000_000_000": kept_memory / 1e6,
        "extra memory in MB, exact": (peak() - base) / 1e6,
        "largest difference of 1,000 predictions (goal ≤ 1e-6)": float(np.abs(exact.mean(Z) - approximate).max()),
    }))
"""


def _against_exact() -> Mapping[str, float]:
    """In a process of its own, conjugate gradients first: the peak of memory only grows."""
    done = subprocess.run([sys.executable, "-c", _CHILD], check=True, capture_output=True, text=True)
    facts: dict[str, float] = json.loads(done.stdout)
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
            warnings.simplefilter("ignore", NotConverged)  # the iterations up to the limit count as so many
            report = ConjugateGradient(Gaussian(1.0), 1e-3, preconditioner, max_iterations=3000).fit(X, y).report
        iterations[f"iterations {name} a preconditioner, N = 3,000, d = 3, ridge = 0.001"] = float(report.iterations)
        iterations[f"relative residual {name} a preconditioner"] = report.residual
    return iterations


def cases() -> Iterator[Case]:
    """Figures rather than ratios: one exact fit of this size takes most of a minute."""
    title = f"conjugate gradients against the exact interpolator, N = {N}, d = {DIM}, one thread"
    yield Case("cg-exact", title, nothing, facts=_against_exact)
    yield Case("cg-preconditioner", "what the preconditioner saves", nothing, facts=_ill_conditioned)
