"""A Nyström fit to 100,000 rows against the bare operations that it needs, scikit-learn, and conjugate gradients.

And one to a million rows of a parquet file, in a process of its own: time and memory.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, final

import numpy as np
from scipy.linalg import blas, lapack
from scipy.sparse.linalg import LinearOperator, cg

from benchmarks.cases import Case
from benchmarks.measure import in_new_process, resident_peak
from kernelbandits import (
    Centers,
    Gaussian,
    GreedyCenters,
    Kernel,
    KMeansCenters,
    LeverageCenters,
    Nystrom,
    PivotedCenters,
    UniformCenters,
    fit_table,
)
from kernelbandits.linalg import pieces
from kernelbandits.regression import Basis, rows_of_block
from kernelbandits.types import Array

N, DIM, TEST, GAMMA, RIDGE = 100_000, 100, 5000, 1.0, 1.0
MOST_MEMORY = 150


@final
@dataclass(frozen=True, slots=True)
class TheirCenters(Centers):
    """The rows that scikit-learn's `Nystroem` takes with random_state=0."""

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        rows: Array = X[np.random.RandomState(0).permutation(len(X))[:n]]
        return rows


@cache
def data() -> tuple[Array, Array, Array, Array]:
    """Return training rows with noisy targets, and test rows with the truth."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N + TEST, DIM))
    truth = np.tanh(0.5 * X[:, :5].sum(axis=1)) + 0.1 * X[:, 5:25].sum(axis=1)
    return X[:N], truth[:N] + 0.1 * rng.standard_normal(N), X[N:], truth[N:]


def estimator(n_centers: int) -> Nystrom:
    """Ours, with the centres that scikit-learn takes."""
    return Nystrom(Gaussian(GAMMA), RIDGE, n_centers, TheirCenters())


def ours(n_centers: int) -> Any:
    """The whole fit through the public method, checks included."""
    X, y, _, _ = data()
    return estimator(n_centers).fit(X, y)


def scikit_learn(n_centers: int) -> Any:
    """`Nystroem` and `Ridge`."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    X, y, _, _ = data()
    features = Nystroem(kernel="rbf", gamma=GAMMA / DIM, n_components=n_centers, random_state=0)
    return make_pipeline(features, Ridge(alpha=RIDGE, fit_intercept=False)).fit(X, y)


def bare(n_centers: int) -> Array:
    """Blocked gemm, K.T @ K and potrf with the same size of blocks: no distances, no exp, no whitening."""
    X, y, _, _ = data()
    right = np.ascontiguousarray(X[:n_centers].T) / DIM
    gram, product, moments = np.zeros((n_centers,) * 2), np.empty((n_centers,) * 2), np.zeros(n_centers)
    room = np.empty((rows_of_block(n_centers), n_centers))
    for rows in pieces(len(X), len(room)):
        K = np.matmul(X[rows], right, out=room[: rows.stop - rows.start])
        np.matmul(K.T, K, out=product)
        gram += product
        moments += y[rows] @ K
    gram[np.diag_indices_from(gram)] += N
    factor, _ = lapack.dpotrf(gram.T, overwrite_a=1)
    solution: Array = lapack.dpotrs(factor, moments)[0]
    return solution


def conjugate_gradients(n_centers: int, tolerance: float = 1e-6) -> Array:
    """The same system without its matrix: K(X, centres) is evaluated in every step; preconditioned by (N/M) K_MM."""
    X, y, _, _ = data()
    kernel = Gaussian(GAMMA)
    basis = Basis.of(kernel, TheirCenters().select(kernel, X, n_centers, np.random.default_rng(0)))
    R, right = np.triu(basis.factor), kernel.right(basis.centers)
    preconditioner = np.linalg.inv(N / n_centers * R @ R.T + RIDGE * np.eye(len(R)))

    def product(left: Callable[[slice, Array], Array]) -> Array:
        """R⁻ᵀ K(centres, X) v for a vector v that is given by rows, from their kernel values if need be."""
        total = np.zeros(len(R))
        for rows in pieces(len(X), rows_of_block(n_centers)):
            K = kernel.evaluate(kernel.left(X[rows]), right)
            total += left(rows, K) @ K
        solved: Array = blas.dtrsv(basis.factor, total, trans=1)
        return solved

    def system(b: Array) -> Array:
        a = basis.coefficients(b)
        return product(lambda rows, K: K @ a) + RIDGE * b

    operator = LinearOperator(R.shape, matvec=system, dtype=np.float64)
    solution, _ = cg(operator, product(lambda rows, K: y[rows]), rtol=tolerance, M=preconditioner)
    return basis.coefficients(np.asarray(solution, dtype=np.float64))


def _contenders(n_centers: int) -> Mapping[str, Callable[[], Any]]:
    return {
        "ours": partial(ours, n_centers),
        "bare operations": partial(bare, n_centers),
        "scikit-learn": partial(scikit_learn, n_centers),
    }


def _memory_and_error(fit: Callable[[int], Any], n_centers: int) -> tuple[float, float]:
    """Return the extra megabytes of a fit, and its error on the test rows."""
    import sklearn.kernel_approximation
    import sklearn.linear_model
    import sklearn.pipeline  # noqa: F401

    _, _, Z, truth = data()
    before = resident_peak()
    fitted = fit(n_centers)
    extra = resident_peak() - before
    predicted = fitted.mean(Z) if fit is ours else fitted.predict(Z)
    return extra / 1e6, float(((predicted - truth) ** 2).mean() ** 0.5)


def _facts(n_centers: int) -> Mapping[str, float]:
    facts = {}
    for fit, goal in ((ours, f" (goal < {MOST_MEMORY})"), (scikit_learn, "")):
        memory, error = in_new_process(_memory_and_error, fit, n_centers)
        facts[f"extra memory in MB, {fit.__name__}{goal}"], facts[f"test error, {fit.__name__}"] = memory, error
    facts["test error, ours relative to theirs (goal ≤ 1)"] = (
        facts["test error, ours"] / facts["test error, scikit_learn"]
    )
    return facts


def _by_conjugate_gradients() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(ours, 2000), "conjugate gradients": partial(conjugate_gradients, 2000)}


def clustered_error(centers: Centers, seed: int) -> float:
    """Test error on 20,000 rows in 60 tight clusters of very different sizes."""
    rng = np.random.default_rng(seed)
    middles = 3.0 * rng.standard_normal((60, 10))
    chance = 1.0 / np.arange(1, 61) ** 2
    cluster = rng.choice(60, 24_000, p=chance / chance.sum())
    X = middles[cluster] + 0.2 * rng.standard_normal((24_000, 10))
    truth = np.sin(X[:, :3].sum(axis=1)) + middles[cluster, 3]
    fit = Nystrom(Gaussian(1.0), 1e-3, 200, centers, seed).fit(X[:20_000], truth[:20_000])
    return float(np.sqrt(np.mean((fit.mean(X[20_000:]) - truth[20_000:]) ** 2)))


_CHOICES = {
    "uniform": UniformCenters(),
    "pivoted": PivotedCenters(),
    "greedy": GreedyCenters(),
    "leverage": LeverageCenters(),
    "k-means": KMeansCenters(),
}


def _clusters() -> Mapping[str, float]:
    return {
        f"test error on clusters, {name} centres (mean of 5)": float(
            np.mean([clustered_error(centers, seed) for seed in range(5)])
        )
        for name, centers in _CHOICES.items()
    }


TABLE_ROWS, TABLE_DIM, CENTERS = 1_000_000, 50, 1000


def write_table(path: Path, n: int) -> None:
    """Write n rows of normal features and a reward that depends on a few of them."""
    import polars as pl

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, TABLE_DIM))
    reward = np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)
    pl.DataFrame({**{f"x{j}": X[:, j] for j in range(TABLE_DIM)}, "reward": reward}).write_parquet(path)


def _table_facts() -> Mapping[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_table(path, TABLE_ROWS)
        return in_new_process(_fit_table, path)


def _fit_table(path: Path) -> dict[str, float]:
    start = time.perf_counter()
    fit = fit_table(Nystrom(Gaussian(1.0), 1.0, CENTERS), path, reward_column="reward")
    return {
        "seconds": time.perf_counter() - start,
        "rows": fit.report.n,
        "peak memory of the whole process in MB (goal < 1500)": resident_peak() / 1e6,
    }


def cases() -> Iterator[Case]:
    """Yield fits on one thread and on two, against conjugate gradients, and to a file."""
    for n_centers in (1000, 2000):
        for threads in (1, 2):
            yield Case(
                f"nystrom-{n_centers}-{threads}",
                f"Nyström fit, N = {N}, d = {DIM}, M = {n_centers}, {threads} thread{'s' * (threads > 1)}",
                partial(_contenders, n_centers),
                threads=threads,
                goals={"bare operations": 1 / 1.3, "scikit-learn": 1 / 0.35},
                facts=partial(_facts, n_centers) if threads == 1 else dict,
            )
    title = f"Nyström fit, N = {N}, d = {DIM}, M = 2000, one thread, against conjugate gradients on the same system"
    yield Case("nystrom-cg", title, _by_conjugate_gradients, facts=_clusters)
    title = f"fit_table on a parquet file, N = {TABLE_ROWS}, d = {TABLE_DIM}, M = {CENTERS}, one thread"
    yield Case("nystrom-table", title, facts=_table_facts)
