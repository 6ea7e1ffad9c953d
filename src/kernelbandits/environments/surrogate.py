"""A table with an arm and a reward in every row as a bandit: oracles fitted to some rows, the other rows served."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks, tables
from kernelbandits.environments.base import Environment, Instance, Rounds, require_rounds
from kernelbandits.environments.contexts import Contexts, OwnContexts
from kernelbandits.environments.held_out import OracleQuality, oracle_quality
from kernelbandits.environments.labelled_points import LabelledPoints, reward_points
from kernelbandits.errors import InvalidArgument, InvalidFile, WeakEvidence
from kernelbandits.kernels import Gaussian, Kernel, KernelExpansion, values_by_arm
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator, KernelRidge, Predictor
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Count, FilePath, NonNegative, conform
from kernelbandits.tables import Encoding, TableEncoding
from kernelbandits.types import Array, IntArray

MOST_HELD_OUT = 2000
"""Rows per arm on which an oracle is judged: with so many, the noise is known to 2 %."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class SurrogateInstance(Instance):
    """Mean rewards are fitted functions, contexts are recorded rows, noise is N(0, noise_std²).
    See also `Environment`, `Surrogate`.

    Attributes:
        oracles: the mean reward of each arm.
        groups: the rows of each arm to serve, shape (n_i, d).
        contexts: how the rows are served.
        noise_std: standard deviation of the noise of all arms, or of each, shape (K,).
        norm_kernel: kernel of the norms √(cᵀKc) that learners are told; None means each oracle's own.
        arms: names of the arms; empty if they only have numbers.

    >>> f = KernelExpansion(Gaussian(), np.zeros((1, 2)), np.ones(1))
    >>> instance = SurrogateInstance((f, f), (np.zeros((3, 2)), np.ones((3, 2))), OwnContexts(), 0.1)
    >>> instance.rounds(1, np.random.default_rng(0)).contexts.tolist()
    [[[0.0, 0.0], [1.0, 1.0]]]
    """

    oracles: tuple[KernelExpansion, ...]
    groups: tuple[Array, ...]
    contexts: Contexts
    noise_std: Array | float
    norm_kernel: Kernel | None = None
    arms: tuple[str, ...] = ()

    __repr__ = short_repr
    _repr_html_ = short_html

    def __post_init__(self) -> None:
        if not len(self.oracles) == len(self.groups) > 0:
            raise InvalidArgument(
                f"oracles and groups must have one entry per arm; got {len(self.oracles)} and {len(self.groups)}"
            )
        groups = []
        for arm, (oracle, rows) in enumerate(zip(self.oracles, self.groups, strict=True)):
            dim = self.oracles[0].centers.shape[1]
            if oracle.centers.shape[1] != dim:
                raise InvalidArgument(f"oracles[{arm}] has {oracle.centers.shape[1]} features, oracles[0] has {dim}")
            groups.append(checks.points(f"groups[{arm}]", rows, dim))
        object.__setattr__(self, "groups", tuple(groups))
        object.__setattr__(self, "noise_std", _checked_noise(self.noise_std, len(groups)))

    def problem(self, horizon: int | None = None) -> Problem:
        """Return what a learner may know; the noise is that of the noisiest arm."""
        told = (replace(oracle, kernel=self.norm_kernel or oracle.kernel) for oracle in self.oracles)
        norms, noise_std = np.array([oracle.norm for oracle in told]), float(np.max(self.noise_std))
        return Problem(len(self.groups), self.groups[0].shape[1], horizon, noise_std, norms, self.means, self.arms)

    def means(self, contexts: Array) -> Array:
        """Return the mean rewards f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d)."""
        return values_by_arm(self.oracles, contexts)

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        dim = self.groups[0].shape[1]
        require_rounds(conform(horizon, Count, "horizon"), len(self.groups), dim)
        contexts = self.contexts.serve(self.groups, horizon, rng)
        return Rounds(contexts, self.means(contexts), np.multiply.outer(rng.standard_normal(horizon), self.noise_std))


def _checked_noise(noise_std: Array | float, n_arms: int) -> Array | float:
    """Return the standard deviation of the noise of all arms, or of each, shape (K,); raise if it is not one."""
    if np.ndim(noise_std) == 0:
        return float(conform(noise_std, NonNegative, "noise_std"))
    values = checks.finite_array("noise_std", noise_std, (n_arms,), "one number, or one per arm")
    return np.array([conform(value, NonNegative, f"noise_std[{arm}]") for arm, value in enumerate(values)])


def fit_oracles(estimator: Estimator[Predictor], samples: Sequence[tuple[Array, Array]]) -> tuple[KernelExpansion, ...]:
    """Fit one function per arm to the rows (X, y) of that arm, of shapes (n_i, d) and (n_i,)."""
    fitted = tuple(estimator.fit(X, y).expansion for X, y in samples)
    expansions = tuple(expansion for expansion in fitted if expansion is not None)
    if len(expansions) < len(fitted):
        raise InvalidArgument(f"{estimator} fits no kernel expansion, so its RKHS norm is unknown; use KernelRidge")
    return expansions


def split_groups(
    groups: Sequence[IntArray], sizes: Sequence[int], rng: np.random.Generator
) -> tuple[list[IntArray], list[IntArray]]:
    """Split the row numbers of each arm at random: `sizes[arm]` rows to fit its oracle to, the others to serve."""
    for group, n_fit in zip(groups, sizes, strict=True):
        if not 0 < n_fit < len(group):
            raise InvalidArgument(f"cannot take {n_fit} of {len(group)} rows for an oracle and leave rows to serve")
    orders = [group[rng.permutation(len(group))] for group in groups]
    fitted = [order[:n_fit] for order, n_fit in zip(orders, sizes, strict=True)]
    served = [order[n_fit:] for order, n_fit in zip(orders, sizes, strict=True)]
    return fitted, served


@final
@dataclass(frozen=True, slots=True)
class Surrogate(Environment):
    r"""The mean reward f⁽ⁱ⁾ of an arm is a fit to part of its rows, rewards are f⁽ⁱ⁾(x) + noise; x are the other rows.
    See also `Environment`, `ClassificationInstance`.

    The paper does this with Avazu's clicks: what an arm would have given in a row where another was played is not
    recorded, so a fitted function stands for it. No row is used for both. Each run splits the rows anew; a row is
    served again only after all others were.

    What the function does not explain is noise. Its standard deviation is estimated for each arm from the rows that are
    not fitted, once, so that all runs have the same. `notes` states it, and how much is explained (`quality`). If the
    functions predict these rows no better than the average of each arm does, `draw` warns with `WeakEvidence`: what is
    best in such a world depends on chance in the fits.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm, reward: columns of the arm that was played, and of the reward that it gave, a number.
        encoding: how the other columns become features.
        contexts: whether every arm shows one of its own rows (`OwnContexts`) or all arms the same (`SharedContexts`).
        oracle: what is fitted.
        n_fit: rows per arm that the oracle is fitted to; None means half of them, at most 2000.
        noise_std: standard deviation of the noise added to the oracle's mean; None means estimated for each arm.
        max_rows: largest number of rows to use, the same random ones in every run; None uses all.
        min_rows: refuse a table in which an arm has fewer rows, among those used.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = path.write_text("age,arm,reward\n" + "".join(f"{i},{i % 2},{i / 40 * (i % 2)}\n" for i in range(80)))
    >>> print(Surrogate(path, n_fit=20, noise_std=0.1).notes(horizon=10)[3])
    each arm's oracle is fitted to 20 – 20 rows; its other 20 – 20 are served
    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    encoding: TableEncoding = Encoding()
    contexts: Contexts = OwnContexts()
    oracle: Estimator[Predictor] = KernelRidge(Gaussian(gamma=4.0), ridge=0.1)
    n_fit: Count | None = None
    noise_std: NonNegative | None = None
    max_rows: Count | None = None
    min_rows: Count = 20

    def _validate(self) -> None:
        if self.arm == self.reward:
            raise InvalidArgument(f"Surrogate: arm and reward must be two columns; both are {self.arm!r}")

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        data, rewards = self.data()
        quality = self.quality()
        if not quality.explains:
            warnings.warn(f"{Path(self.path).name}: {_explained(quality)}", WeakEvidence, stacklevel=2)
        fitted, served = self._split(data, checks.generator(rng))
        oracles = fit_oracles(self.oracle, [(data.points[rows], rewards[rows]) for rows in fitted])
        noise_std = quality.noise_std if self.noise_std is None else self.noise_std
        groups = tuple(data.points[rows] for rows in served)
        return SurrogateInstance(oracles, groups, self.contexts, noise_std, arms=data.arms)

    def notes(self, horizon: int) -> tuple[str, ...]:
        data, _ = self.data()
        require_rounds(horizon, len(data.names), data.points.shape[1])
        sizes = self._sizes(data)
        left = np.bincount(data.codes) - sizes
        fitted, served = (f"{min(counts)} – {max(counts)}" for counts in (sizes, left))
        note = f"each arm's oracle is fitted to {fitted} rows; its other {served} are served"
        quality = self.quality()
        estimated = f"{_span(quality.noise_std)}, estimated for each arm from rows that are not fitted"
        noise = estimated if self.noise_std is None else f"{self.noise_std:.4g} as stated ({estimated})"
        return (*data.notes, note, _explained(quality), f"standard deviation of the noise: {noise}")

    def arm_names(self) -> tuple[str, ...]:
        return self.data()[0].arms

    def quality(self) -> OracleQuality:
        """Return how well the oracles predict rewards they are not fitted to, in a split that is always the same."""
        return _judged(self, tables.content_digest(self.path))

    def data(self) -> tuple[LabelledPoints, Array]:
        """Return the encoded table and the rewards; the file is read again only if it has changed."""
        return _read(self, tables.content_digest(self.path))

    def _split(self, data: LabelledPoints, rng: np.random.Generator) -> tuple[list[IntArray], list[IntArray]]:
        """Split the rows of each arm at random: those to fit its oracle to, and those to serve."""
        groups = [np.flatnonzero(data.codes == arm) for arm in range(len(data.names))]
        return split_groups(groups, self._sizes(data), rng)

    def _sizes(self, data: LabelledPoints) -> list[int]:
        """Return how many rows of each arm its oracle is fitted to."""
        counts = np.bincount(data.codes)
        if self.n_fit is None:
            return [min(int(count) // 2, 2000) for count in counts]  # 2000 as in the paper's Avazu study
        if counts.min() <= self.n_fit:
            few = int(counts.argmin())
            raise InvalidFile(
                f"{Path(self.path).name}: arm {data.names[few]!r} has {counts[few]} rows; with n_fit = {self.n_fit} "
                "rows for the oracle none is left to serve: lower n_fit, or leave the arm out"
            )
        return [self.n_fit] * len(counts)


@lru_cache(maxsize=4)
def _read(spec: Surrogate, digest: str) -> tuple[LabelledPoints, Array]:
    path = Path(spec.path)
    frame = tables.read_frame(path, spec.encoding.missing)
    return reward_points(
        frame, spec.arm, spec.reward, spec.encoding, path.name, max_rows=spec.max_rows, min_rows=spec.min_rows
    )


@lru_cache(maxsize=4)
def _judged(spec: Surrogate, digest: str) -> OracleQuality:
    data, rewards = _read(spec, digest)
    fitted, served = spec._split(data, np.random.default_rng(0))
    oracles = fit_oracles(spec.oracle, [(data.points[rows], rewards[rows]) for rows in fitted])
    held_out = [rows[:MOST_HELD_OUT] for rows in served]  # in random order
    levels = [float(rewards[rows].mean()) for rows in fitted]
    return oracle_quality(oracles, levels, [(data.points[rows], rewards[rows]) for rows in held_out])


def _explained(quality: OracleQuality) -> str:
    by_arm = f"R² = {quality.average:.2g} on rows that are not fitted ({_span(quality.r_squared)} by arm)"
    if quality.explains:
        return f"oracles: {by_arm}"
    return (
        f"the oracles explain nothing beyond chance: {by_arm}, where 0 is the average of each arm. Policies would be "
        "ranked by chance in the fits: use more rows, other features, or another oracle (a larger ridge, a smoother "
        "kernel, an offset as in Gaussian(1.0) + 1.0 for rewards far from 0)"
    )


def _span(values: Array) -> str:
    return " – ".join(f"{value:.3g}" for value in (values.min(), values.max()))
