"""Avazu's impressions: a sample of rows per arm from a stream of any length, and the bandit made from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from kernelbandits import checks
from kernelbandits.environments.avazu import N_ARMS, PREFIX, AvazuDesign, priorities
from kernelbandits.environments.surrogate import SurrogateInstance, fit_oracles, split_groups
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.tables import Encoding, TextBlock, first, place
from kernelbandits.types import Array, IntArray

NO_AVAZU = "synthetic stand-in: made-up rows in the Avazu schema, no Avazu data"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Impressions:
    """A sample of impressions: one-hot rows of shape (n, p), clicks of shape (n,), and the row numbers of each arm.

    `origin` says in one line where they come from, and `synthetic` whether they are rows of the stand-in.
    """

    design: AvazuDesign
    rows: sparse.csr_array
    clicks: Array
    groups: tuple[IntArray, ...]
    origin: str
    synthetic: bool

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        """Draw a bandit: `n_oracle` random rows of every arm for components and oracle, the others to serve."""
        rng, design = checks.generator(rng), self.design
        fitted, served = split_groups(self.groups, [design.n_oracle] * N_ARMS, rng)
        points = principal_components(self.rows, np.concatenate(fitted), design.dim, design.level, rng)
        oracles = fit_oracles(design.oracle, [(points[rows], self.clicks[rows]) for rows in fitted])
        groups = tuple(points[rows] for rows in served)
        return SurrogateInstance(oracles, groups, design.contexts, design.noise_std, design.norm_kernel)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader of the results."""
        design = self.design
        served = [len(group) - design.n_oracle for group in self.groups]
        span = " to ".join(f"{count:,}" for count in sorted({min(served), max(served)}))
        arms = f"arms are the last digits of {design.arm_column!r}; each arm has {design.n_oracle:,} rows for "
        return (
            *((NO_AVAZU,) if self.synthetic else ()),
            self.origin,
            f"{arms}its oracle and {span} others for contexts",
            f"contexts: {design.contexts}, mean ‖x‖²/d = {design.level:g}; oracles: {design.oracle}",
        )


def collect(blocks: Iterable[TextBlock], source: str, design: AvazuDesign) -> Impressions:
    """Sample, check and encode rows; `source` names them in messages."""
    sample = sample_rows(blocks, source, design.arm_column, design.features, design.n_oracle + design.n_contexts)
    groups = tuple(np.flatnonzero(sample.arms == arm) for arm in range(N_ARMS))
    _refuse_unusable(sample.clicks, groups, source, design)
    encoding = Encoding(categorical=design.features, missing=(), rare=1)
    rows = encoding.number(sample.features, source).one_hot(sample.features)
    origin = (
        f"{source}: {len(sample.clicks):,} of {sample.n_seen:,} rows, {rows.shape[1]:,} values of "
        f"{len(design.features)} features, click rate {sample.clicks.mean():.3f}"
    )
    synthetic = any(column.str.starts_with(PREFIX).any() for column in sample.features)
    return Impressions(design, rows, sample.clicks, groups, origin, synthetic)


class ImpressionSample(NamedTuple):
    """n rows in the order of their source: features as texts, clicks and arms (last digits) of shape (n,)."""

    features: pl.DataFrame
    clicks: Array
    arms: IntArray
    n_seen: int


def sample_rows(
    blocks: Iterable[TextBlock], source: str, arm_column: str, features: tuple[str, ...], per_arm: int
) -> ImpressionSample:
    """Sample the `per_arm` rows of lowest priority of every arm, or all if there are fewer: a uniform sample.

    Every row is checked, also those not kept; `source` names them in messages.
    """
    limits = np.full(N_ARMS, np.iinfo(np.uint64).max, dtype=np.uint64)
    kept, n_seen = pl.DataFrame(), 0
    for block in blocks:
        arms = block.rows[arm_column].str.strip_chars().str.slice(-1).cast(pl.Int64, strict=False)
        _refuse(arms.is_null(), block, source, arm_column, "its last character is the arm and must be a digit")
        clicks = block.rows["click"].str.strip_chars().cast(pl.Float64, strict=False)
        _refuse(~clicks.is_in([0.0, 1.0]).fill_null(value=False), block, source, "click", "expected 0 or 1")
        order = priorities(block.start, len(arms))
        numbers = pl.Series(block.start + np.arange(len(arms)))
        new = block.rows.select(features).with_columns(
            _arm=arms, _click=clicks, _priority=pl.Series(order), _row=numbers
        )
        new = new[np.flatnonzero(order <= limits[arms.to_numpy()])]
        kept = _lowest(pl.concat([kept, new]) if n_seen else new, per_arm, limits)
        n_seen += len(arms)
    kept = kept.sort("_row")
    return ImpressionSample(kept.select(features), kept["_click"].to_numpy(), kept["_arm"].to_numpy(), n_seen)


def _lowest(rows: pl.DataFrame, per_arm: int, limits: NDArray[np.uint64]) -> pl.DataFrame:
    """Return the rows of lowest priority of each arm, and update `limits`, above which a row cannot be among them."""
    arms, order = rows["_arm"].to_numpy(), rows["_priority"].to_numpy()
    by_priority = np.lexsort((order, arms))
    starts = np.searchsorted(arms[by_priority], np.arange(N_ARMS + 1))
    chosen = [by_priority[starts[arm] : starts[arm + 1]][:per_arm] for arm in range(N_ARMS)]
    for arm, mine in enumerate(chosen):
        if len(mine) == per_arm:
            limits[arm] = order[mine[-1]]
    return rows[np.concatenate(chosen)]


def _refuse(wrong: pl.Series, block: TextBlock, source: str, column: str, remedy: str) -> None:
    """Raise with row and column at the first wrong entry."""
    row = first(wrong)
    if row is not None:
        text = block.rows[column][row]
        raise InvalidFile(f"{source}: {place(block.start + row, column)} is {text!r}; {remedy}")


def _refuse_unusable(clicks: Array, groups: tuple[IntArray, ...], source: str, design: AvazuDesign) -> None:
    """Raise if an arm has too few rows for an oracle and contexts, or nothing but one outcome."""
    if len(np.unique(clicks)) < 2:
        raise InvalidFile(
            f"{source}: column 'click' is {clicks[0]:.0f} in all {len(clicks):,} rows sampled; "
            "there is nothing to learn"
        )
    for arm, rows in enumerate(groups):
        who = f"{source}: arm {arm} ({design.arm_column!r} ends in {arm})"
        if len(rows) <= design.n_oracle:
            raise InvalidFile(
                f"{who} has {len(rows):,} rows; it needs {design.n_oracle:,} for its oracle and more to serve as "
                "contexts: give a larger file, or fewer rows for the oracles"
            )
        if len(np.unique(clicks[rows])) < 2:
            raise InvalidFile(
                f"{who} has 'click' = {clicks[rows[0]]:.0f} in all its rows; its oracle has nothing to learn"
            )


def principal_components(
    rows: sparse.csr_array, fitted: IntArray, dim: int, level: float, rng: np.random.Generator
) -> Array:
    """Project rows, shape (n, p), on the `dim` leading principal components of the fitted ones; shape (n, dim).

    One factor makes ‖x‖²/d average `level` over the fitted rows. A column that is 0 in all of these adds nothing.
    A − 1μᵀ is dense, so it is applied and never formed: (A − 1μᵀ)v = Av − (μᵀv)1. ARPACK needs only such products. It
    finds the components to rounding. A randomised method would mix the last ones, which lie close together, with those
    cut off, and at this size (20,000 × 25,000, 22 entries per row) it would not be faster.
    """
    A = rows[fitted]
    n, p = A.shape
    if dim >= min(n, p):
        raise InvalidArgument(f"dim must be below {min(n, p)}, the smaller of {n:,} rows and {p:,} values; got {dim}")
    mean = np.asarray(A.sum(axis=0)).ravel() / n
    _, _, transposed = svds(_centred(A, mean), k=dim, v0=rng.standard_normal(min(n, p)))
    axes = np.ascontiguousarray(transposed[::-1].T)
    points: Array = rows @ axes
    points -= mean @ axes
    size = float((points[fitted] ** 2).sum()) / (n * dim)
    if size == 0.0:
        raise InvalidArgument("the rows do not differ in any feature, so they have no principal components")
    points *= float(np.sqrt(level / size))
    return points


def _centred(rows: sparse.csr_array, mean: Array) -> Any:
    """Return A − 1μᵀ as an operator on vectors and matrices."""
    columns = rows.T.tocsr()  # products with Aᵀ are faster by its own rows

    def forward(v: Array) -> Array:
        return np.asarray(rows @ v - mean @ v)

    def backward(u: Array) -> Array:
        return np.asarray(columns @ u - np.multiply.outer(mean, u.sum(axis=0)))

    return LinearOperator(
        rows.shape, matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float64
    )
