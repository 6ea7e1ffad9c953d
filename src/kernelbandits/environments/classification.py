"""A table with a class in every row as a bandit: one arm per class, reward 1 for the right one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks, tables
from kernelbandits.environments.base import Environment, Instance, Rounds
from kernelbandits.environments.labelled_points import LabelledPoints, label_points
from kernelbandits.errors import InvalidArgument
from kernelbandits.problem import Problem
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Count, FilePath, NonNegative, conform
from kernelbandits.tables import Encoding, TableEncoding
from kernelbandits.types import Array, ArrayLike, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassificationInstance(Instance):
    """Points in random order, each served at most once; the class of a point is the arm with reward 1.

    Attributes:
        data: points of shape (n, d) with their classes.
        order: the rows in random order, shape (n,); `rounds` shuffles them once more.
        reward_norm: the bound on RKHS norms that learners are told; 1 is a convention.

    >>> rng = np.random.default_rng(0)
    >>> instance = ClassificationInstance.of(rng.standard_normal((30, 4)), np.arange(30) % 3, rng)
    >>> instance.rounds(4, rng).means.sum(axis=1)  # one arm has reward 1
    array([1., 1., 1., 1.])

    See also `Environment`, `Classification`, `Surrogate`, `SurrogateInstance`.
    """

    data: LabelledPoints
    order: IntArray
    reward_norm: float = 1.0

    __repr__ = short_repr
    _repr_html_ = short_html

    @staticmethod
    def of(
        X: ArrayLike,
        y: ArrayLike,
        rng: np.random.Generator | int,
        encoding: TableEncoding = Encoding(),  # noqa: B008
        reward_norm: float = 1.0,
    ) -> ClassificationInstance:
        """Make an instance of numbers X, shape (n, d), and one class per row in y; columns are called x0, x1, …, and y.

        >>> instance = ClassificationInstance.of(np.eye(6), ["a", "b"] * 3, rng=0)
        >>> float(play(Oracle(), instance, 6, rng=1).rewards.sum())
        6.0
        """
        data = label_points(tables.frame_of(np.asarray(X), np.asarray(y), "arrays"), "y", encoding, "arrays")
        return ClassificationInstance(data, checks.generator(rng).permutation(len(data.codes)), reward_norm)

    def problem(self, horizon: int | None = None) -> Problem:
        n_arms = len(self.data.names)
        norms = np.full(n_arms, self.reward_norm)
        return Problem(n_arms, self.data.points.shape[1], horizon, 0.0, norms, self.means, self.data.arms)

    def means(self, contexts: Array) -> Array:
        """Return for each arm the share of its class among the points equal to its context; shape (K,) for (K, d)."""
        rows = _rows_by_point(self.data)
        shares = np.empty(len(contexts))
        for arm, context in enumerate(contexts):
            found = rows.get((context + 0.0).tobytes())
            if found is None:
                raise InvalidArgument(f"contexts: that of arm {arm} is no row of the table; only rows have a class")
            shares[arm] = np.mean(self.data.codes[found] == arm)
        return shares

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        _refuse_horizon(horizon, len(self.order))
        rows = self.order[rng.permutation(len(self.order))[:horizon]]
        points, n_arms = self.data.points[rows], len(self.data.names)
        shared = np.broadcast_to(points[:, np.newaxis], (horizon, n_arms, points.shape[1]))
        return Rounds(shared, np.eye(n_arms)[self.data.codes[rows]], np.zeros(horizon))


@lru_cache(maxsize=4)
def _rows_by_point(data: LabelledPoints) -> dict[bytes, list[int]]:
    """Return the rows of every distinct point, by its bytes; −0 counts as 0."""
    rows: dict[bytes, list[int]] = {}
    for row, point in enumerate(data.points + 0.0):
        rows.setdefault(point.tobytes(), []).append(row)
    return rows


def _refuse_horizon(horizon: int, n_rows: int) -> None:
    """Raise if there are fewer rows than rounds: the answer to a repeated row would be known."""
    conform(horizon, Count, "horizon")
    if horizon > n_rows:
        raise InvalidArgument(f"horizon must be at most {n_rows}, as each row is served once; got {horizon}")


@final
@dataclass(frozen=True, slots=True)
class Classification(Environment):
    r"""One arm per class, reward 1 for the right class and 0 otherwise, without noise; all arms share the context.

    Every run serves the rows in its own random order, each at most once. Class i in sorted order is arm i.

    Attributes:
        path: a .csv, .csv.gz, .parquet or .npz file (arrays X and y).
        label: column of the class; rows without one are left out.
        cuts: make classes of a number: below c₁, from c₁ to below c₂, …, from c_m.
        encoding: how the other columns become features.
        max_rows: largest number of rows to use, the same random ones in every run; None uses all.
        min_rows: refuse a table in which a class has fewer rows, among those used.
        reward_norm: the bound on RKHS norms that learners are told (CGP-UCB needs one). A table does not contain it;
            1 is a convention.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "flowers.csv")
    >>> _ = path.write_text("size,y\n" + "1,small\n9,large\n" * 20)
    >>> environment = Classification(path)
    >>> environment.arm_names()
    ('large', 'small')
    >>> bool(play(LinearUCB(), environment.draw(rng=0), 40, rng=1).rewards.mean() > 0.8)
    True

    See also `Environment`, `SyntheticInstance`, `ClassificationInstance`, `Surrogate`.
    """

    path: FilePath
    label: str = "y"
    cuts: tuple[float, ...] = ()
    encoding: TableEncoding = Encoding()
    max_rows: Count | None = None
    min_rows: Count = 10
    reward_norm: NonNegative = 1.0

    def _validate(self) -> None:
        if any(low >= high for low, high in zip(self.cuts, self.cuts[1:], strict=False)):
            raise InvalidArgument(f"Classification: cuts must increase; got {list(self.cuts)}")

    def draw(self, rng: np.random.Generator | int) -> ClassificationInstance:
        data = self.data()
        order = checks.generator(rng).permutation(len(data.codes))
        return ClassificationInstance(data, order, self.reward_norm)

    def notes(self, horizon: int) -> tuple[str, ...]:
        data = self.data()
        _refuse_horizon(horizon, len(data.codes))
        return data.notes

    def arm_names(self) -> tuple[str, ...]:
        return self.data().arms

    def data(self) -> LabelledPoints:
        """Return the encoded table; the file is read again only if it has changed."""
        return _read(self, tables.content_digest(self.path))


@lru_cache(maxsize=4)
def _read(spec: Classification, digest: str) -> LabelledPoints:
    path = Path(spec.path)
    frame = tables.read_frame(path, spec.encoding.missing)
    return label_points(
        frame, spec.label, spec.encoding, path.name, cuts=spec.cuts, max_rows=spec.max_rows, min_rows=spec.min_rows
    )
