"""A table with an arm and a reward in every row, as a bandit: oracles fitted to some rows, the others served."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.base import Environment
from kernelbandits.environments.pools import Contexts, OwnContexts
from kernelbandits.environments.rewarded import RewardedPoints, reward_points
from kernelbandits.environments.surrogate import SurrogateInstance, fit_oracles, split_rows
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.kernels import Gaussian
from kernelbandits.regression import Estimator, KernelRidge, Predictor
from kernelbandits.specs import Count, FilePath, NonNegative
from kernelbandits.tables import Encoding
from kernelbandits.tables.digests import content_digest

MOST_FITTED = 2000
"""Rows an oracle is fitted to at most, unless told otherwise: as in the paper's Avazu study."""


@final
@dataclass(frozen=True, slots=True)
class Surrogate(Environment):
    """One function an arm, fitted to part of that arm's rows, is the mean reward; the other rows are the contexts.

    As the paper does with Avazu's clicks: what an arm would have given in a row where another was played is not
    recorded, so a fitted function stands for it. No row serves both. Each run splits the rows anew; a row is served
    again only after all others were.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm: column of the arm that was played.
        reward: column of the reward that it gave, a number.
        encoding: how the other columns become features.
        contexts: whether every arm shows a row of its own group (`OwnContexts`) or all the same one (`SharedContexts`).
        oracle: what is fitted.
        n_fit: rows an arm that the oracle is fitted to; none given means half of them, 2000 at most.
        noise_std: standard deviation of the noise added to the oracle's mean.
        max_rows: use this many rows at most, the same random ones in every run.
        min_rows: refuse an arm with fewer rows.

    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    encoding: Encoding = Encoding()
    contexts: Contexts = OwnContexts()
    oracle: Estimator[Predictor] = KernelRidge(Gaussian(gamma=4.0), ridge=0.1)
    n_fit: Count | None = None
    noise_std: NonNegative = 0.01
    max_rows: Count | None = None
    min_rows: Count = 20

    def _validate(self) -> None:
        if self.arm == self.reward:
            raise InvalidArgument(f"Surrogate: arm and reward must be two columns; both are {self.arm!r}")

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        rng = checks.generator(rng)
        data, samples, held_out = self.data(), [], []
        for arm, n_fit in enumerate(self._sizes(data)):
            rows = np.flatnonzero(data.arms == arm)
            fitted, served = split_rows(len(rows), n_fit, rng)
            samples.append((data.points[rows[fitted]], data.rewards[rows[fitted]]))
            held_out.append(data.points[rows[served]])
        return SurrogateInstance(fit_oracles(self.oracle, samples), self.contexts.pool(held_out), self.noise_std)

    def notes(self, horizon: int) -> tuple[str, ...]:
        data = self.data()
        sizes = self._sizes(data)
        left = np.bincount(data.arms) - sizes
        fitted, served = (f"{min(counts)} – {max(counts)}" for counts in (sizes, left))
        note = f"each arm's oracle is fitted to {fitted} rows; its other {served} are served"
        return (*data.notes, note)

    def data(self) -> RewardedPoints:
        """The encoded table; read again only if the file has changed."""
        return _read(self, content_digest(self.path))

    def _sizes(self, data: RewardedPoints) -> list[int]:
        """How many rows of each arm its oracle is fitted to."""
        counts = np.bincount(data.arms)
        if self.n_fit is None:
            return [min(int(count) // 2, MOST_FITTED) for count in counts]
        if counts.min() <= self.n_fit:
            few = int(counts.argmin())
            raise InvalidFile(
                f"{Path(self.path).name}: arm {data.names[few]!r} has {counts[few]} rows; with n_fit = {self.n_fit} "
                "rows for the oracle none is left to serve: lower n_fit, or leave the arm out"
            )
        return [self.n_fit] * len(counts)


@lru_cache(maxsize=4)
def _read(spec: Surrogate, digest: str) -> RewardedPoints:
    from kernelbandits.tables.reading import read_frame

    path = Path(spec.path)
    frame = read_frame(path, spec.encoding.missing)
    return reward_points(
        frame, spec.arm, spec.reward, spec.encoding, path.name, max_rows=spec.max_rows, min_rows=spec.min_rows
    )
