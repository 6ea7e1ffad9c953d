"""From sampled rows to a bandit: split, embed, fit, serve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import polars as pl
from scipy import sparse

from kernelbandits import checks
from kernelbandits.environments.avazu.blocks import Block
from kernelbandits.environments.avazu.catalogue import PREFIX
from kernelbandits.environments.avazu.embedding import principal_components
from kernelbandits.environments.avazu.encoding import one_hot
from kernelbandits.environments.avazu.sampling import refuse_unusable, sample_rows
from kernelbandits.environments.avazu.schema import N_ARMS
from kernelbandits.environments.surrogate import SurrogateInstance, fit_oracles, split_rows
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    from kernelbandits.environments.avazu.environment import AvazuDesign


NO_AVAZU = "synthetic stand-in: made-up rows in the Avazu schema, no Avazu data"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Impressions:
    """A sample of a source, encoded.

    Attributes:
        design: how it becomes a bandit.
        rows: one-hot, shape (n, p).
        clicks: shape (n,).
        groups: row numbers of each arm.
        origin: where it comes from, in a line.
        synthetic: whether they are rows of the stand-in, from whichever file.

    """

    design: AvazuDesign
    rows: sparse.csr_array
    clicks: Array
    groups: tuple[IntArray, ...]
    origin: str
    synthetic: bool

    @staticmethod
    def collect(blocks: Iterable[Block], source: str, design: AvazuDesign) -> Impressions:
        """Sample, check and encode the rows of a source."""
        per_arm = design.n_oracle + design.n_contexts
        sample = sample_rows(blocks, source, design.arm_column, design.features, per_arm)
        refuse_unusable(sample, source, design.arm_column, design.n_oracle)
        rows = one_hot(sample.features)
        groups = tuple(np.flatnonzero(sample.arms == arm) for arm in range(N_ARMS))
        origin = (
            f"{source}: {len(sample.clicks):,} of {sample.n_seen:,} rows, {rows.shape[1]:,} values of "
            f"{len(design.features)} features, click rate {sample.clicks.mean():.3f}"
        )
        return Impressions(design, rows, sample.clicks, groups, origin, _made_up(sample.features))

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        """A bandit: of every arm `n_oracle` random rows for the embedding and the oracle, the others to serve."""
        rng = checks.generator(rng)
        design = self.design
        parts = [split_rows(len(group), design.n_oracle, rng) for group in self.groups]
        fitted = [group[fit] for group, (fit, _) in zip(self.groups, parts, strict=True)]
        held_out = [group[rest] for group, (_, rest) in zip(self.groups, parts, strict=True)]
        embedding = principal_components(self.rows[np.concatenate(fitted)], design.dim, design.level, rng)
        points = embedding(self.rows)
        oracles = fit_oracles(design.oracle, [(points[rows], self.clicks[rows]) for rows in fitted])
        return SurrogateInstance(oracles, design.contexts.pool([points[rows] for rows in held_out]), design.noise_std)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know."""
        served = [len(group) - self.design.n_oracle for group in self.groups]
        return (
            *((NO_AVAZU,) if self.synthetic else ()),
            self.origin,
            f"arms are the last digits of {self.design.arm_column!r}; an arm has {self.design.n_oracle:,} rows for its "
            f"oracle and {_span(served)} others for contexts",
        )


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _made_up(features: pl.DataFrame) -> bool:
    """Whether a name begins as all names of the stand-in do: a file of it must not pass for Avazu."""
    return any(features[name].str.starts_with(PREFIX).any() for name in features.columns)
