"""The Avazu bandit: sampled impressions are split, embedded, fitted and served."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import polars as pl
from scipy import sparse

from kernelbandits import checks
from kernelbandits.environments.avazu.catalogue import PREFIX
from kernelbandits.environments.avazu.sampling import refuse_unusable, sample_rows
from kernelbandits.environments.avazu.schema import N_ARMS
from kernelbandits.environments.surrogate import SurrogateInstance, fit_oracles, split_groups
from kernelbandits.tables import TextBlock, sparse_components, sparse_one_hot
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    from kernelbandits.environments.avazu.environment import AvazuDesign


NO_AVAZU = "synthetic stand-in: made-up rows in the Avazu schema, no Avazu data"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Impressions:
    """A sample of impressions, encoded.

    Attributes:
        design: how the sample becomes a bandit.
        rows: one-hot, shape (n, p).
        clicks: shape (n,).
        groups: row numbers of each arm.
        origin: where the sample comes from, in one line.
        synthetic: whether its rows are those of the stand-in, also if they were read from a file.

    """

    design: AvazuDesign
    rows: sparse.csr_array
    clicks: Array
    groups: tuple[IntArray, ...]
    origin: str
    synthetic: bool

    @staticmethod
    def collect(blocks: Iterable[TextBlock], source: str, design: AvazuDesign) -> Impressions:
        """Sample, check and encode rows; `source` names them in messages."""
        per_arm = design.n_oracle + design.n_contexts
        sample = sample_rows(blocks, source, design.arm_column, design.features, per_arm)
        refuse_unusable(sample, source, design.arm_column, design.n_oracle)
        rows = sparse_one_hot(sample.features)
        groups = tuple(np.flatnonzero(sample.arms == arm) for arm in range(N_ARMS))
        origin = (
            f"{source}: {len(sample.clicks):,} of {sample.n_seen:,} rows, {rows.shape[1]:,} values of "
            f"{len(design.features)} features, click rate {sample.clicks.mean():.3f}"
        )
        return Impressions(design, rows, sample.clicks, groups, origin, _made_up(sample.features))

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        """Draw a bandit: `n_oracle` random rows of every arm for components and oracle, the others to serve."""
        rng = checks.generator(rng)
        design = self.design
        fitted, served = split_groups(self.groups, [design.n_oracle] * N_ARMS, rng)
        components = sparse_components(self.rows[np.concatenate(fitted)], design.dim, design.level, rng)
        points = components.transform(self.rows)
        oracles = fit_oracles(design.oracle, [(points[rows], self.clicks[rows]) for rows in fitted])
        groups = tuple(points[rows] for rows in served)
        return SurrogateInstance(oracles, groups, design.contexts, design.noise_std)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader of the results."""
        served = [len(group) - self.design.n_oracle for group in self.groups]
        return (
            *((NO_AVAZU,) if self.synthetic else ()),
            self.origin,
            f"arms are the last digits of {self.design.arm_column!r}; each arm has {self.design.n_oracle:,} rows for "
            f"its oracle and {_span(served)} others for contexts",
        )


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _made_up(features: pl.DataFrame) -> bool:
    """Whether a name begins like those of the stand-in: a file of the stand-in must not pass for Avazu."""
    return any(features[name].str.starts_with(PREFIX).any() for name in features.columns)
