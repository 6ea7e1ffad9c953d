"""One large fit and prediction against scikit-learn's KernelRidge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import in_new_process, resident_peak
from kernelbandits import Gaussian, KernelRidge
from kernelbandits.types import Array

N, DIM, TEST, GAMMA, RIDGE = 6000, 500, 1000, 1.0, 0.1


@cache
def _data() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, DIM))
    return X, np.sin(X[:, :5].sum(axis=1)), rng.standard_normal((TEST, DIM))


def _ours() -> Array:
    X, y, Z = _data()
    return KernelRidge(Gaussian(GAMMA), RIDGE).fit(X, y).mean(Z)


def _scikit_learn() -> Array:
    from sklearn.kernel_ridge import KernelRidge as Theirs

    X, y, Z = _data()
    predictions: Array = Theirs(kernel="rbf", gamma=GAMMA / DIM, alpha=RIDGE).fit(X, y).predict(Z)
    return predictions


def _contenders() -> Mapping[str, Callable[[], Any]]:
    return {"ours": _ours, "scikit-learn": _scikit_learn}


def _memory() -> Mapping[str, float]:
    return {
        "peak memory, N² doubles, ours (goal ≤ 1.6)": in_new_process(_extra_doubles, _ours),
        "peak memory, N² doubles, scikit-learn": in_new_process(_extra_doubles, _scikit_learn),
    }


def _extra_doubles(run: Callable[[], Array]) -> float:
    """Return the largest resident size beyond that of the data, in multiples of N² doubles."""
    import sklearn.kernel_ridge  # noqa: F401

    _data()
    before = resident_peak()
    run()
    return (resident_peak() - before) / (8.0 * N * N)


def cases() -> Iterator[Case]:
    """Yield the same case on one and on two threads."""
    for threads in (1, 2):
        yield Case(
            f"fit-{threads}",
            f"fit + predict, N = {N}, d = {DIM}, {threads} thread{'s' * (threads > 1)}",
            _contenders,
            threads=threads,
            goals={"scikit-learn": 1 / 0.95},
            facts=_memory if threads == 1 else dict,
        )
