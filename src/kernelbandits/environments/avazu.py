"""The paper's Avazu study: ten arms of ads, contexts from held-out impressions, rewards from fitted oracles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import tables
from kernelbandits.environments.base import Environment
from kernelbandits.environments.contexts import Contexts, SharedContexts
from kernelbandits.environments.surrogate import SurrogateInstance
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.regression import Estimator, KernelRidge, Predictor
from kernelbandits.specs import Count, CountFromZero, FilePath, NonNegative, Positive, Spec

if TYPE_CHECKING:
    from kernelbandits.environments.impressions import Impressions

FEATURES = (
    *("hour", "C1", "banner_pos"),
    *("site_id", "site_domain", "site_category", "app_id", "app_domain", "app_category"),
    *("device_id", "device_ip", "device_model", "device_type", "device_conn_type"),
    *("C14", "C15", "C16", "C17", "C18", "C19", "C20", "C21"),
)
"""Features of an impression. `id` numbers the rows and `click` is the outcome: neither is a feature."""
COLUMNS = ("id", "click", *FEATURES)

N_ARMS = 10
"""One arm for each last digit."""

PREFIX = "s-"
"""The beginning of every name of the stand-in: a file of it must not pass for Avazu."""


def priorities(start: int, n: int) -> NDArray[np.uint64]:
    """Return a pseudo-random number for each of the rows start … start + n − 1: the mixing function of SplitMix64.

    It depends only on the number of the row in its source, not on versions, threads or the size of blocks.
    """
    z = np.arange(start + 1, start + n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


@final
@dataclass(frozen=True, slots=True)
class AvazuDesign(Spec):
    """How impressions become a bandit. The defaults give the figures nearest to the paper's.

    Attributes:
        arm_column: its last digit is the arm; `id` as in the paper, or `C14`, whose ten groups really differ.
        contexts: whether all arms show the same row, or every arm one of its own.
        dim: number of principal components d.
        level: average of ‖x‖²/d over the rows of the oracles.
        drop: features to leave out, such as `device_ip` and `device_id`.
        n_oracle: rows per arm for its oracle; the principal components are those of the same rows, 10 × 2,000.
        n_contexts: largest number of rows per arm to serve as contexts.
        oracle: what is fitted to the clicks of an arm. γ = 1 is scikit-learn's own choice for `KernelRidge`.
        norm_kernel: kernel of the norms √(Σ_jl c_j c_l F(x_j, x_l)) that learners are told: the paper's F_RBF, which is
            the learners' and need not be the oracle's.
        noise_std: standard deviation of the noise of rewards.

    >>> AvazuDesign(arm_column="C14", drop=("device_ip", "device_id")).columns[:4]  # a file must have these, and more
    ('C14', 'click', 'hour', 'C1')

    See also `Avazu`, `AvazuStandIn`.
    """

    arm_column: str = "id"
    contexts: Contexts = SharedContexts()
    dim: Count = 100
    level: Positive = 0.5
    drop: tuple[str, ...] = ()
    n_oracle: Count = 2000
    n_contexts: Count = 3000
    oracle: Estimator[Predictor] = KernelRidge(Gaussian(gamma=1.0), ridge=0.1)
    norm_kernel: Kernel = Gaussian(gamma=4.0)
    noise_std: NonNegative = 0.01

    def _validate(self) -> None:
        known = ("id", *FEATURES)
        if self.arm_column not in known:
            hint = nearest(self.arm_column, known)
            raise InvalidArgument(f"AvazuDesign: arm_column must be id or a feature; got {self.arm_column!r}; {hint}")
        for name in self.drop:
            if name not in FEATURES:
                raise InvalidArgument(f"AvazuDesign: drop has no feature {name!r}; {nearest(name, FEATURES)}")
        if not self.features:
            raise InvalidArgument("AvazuDesign: drop leaves no feature")

    @property
    def features(self) -> tuple[str, ...]:
        """The features that are encoded."""
        return tuple(name for name in FEATURES if name not in self.drop)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        return tuple(dict.fromkeys((self.arm_column, "click", *self.features)))


class ImpressionEnvironment(Environment, ABC):
    """Bandits made from one sample of impressions."""

    __slots__ = ()

    @abstractmethod
    def impressions(self) -> Impressions:
        """Return the sampled rows, made once."""

    def draw(self, rng: np.random.Generator | int) -> SurrogateInstance:
        return self.impressions().draw(rng)

    def notes(self, horizon: int) -> tuple[str, ...]:
        return self.impressions().notes


@final
@dataclass(frozen=True, slots=True)
class Avazu(ImpressionEnvironment):
    r"""Ten arms of real impressions; mean rewards are those of an oracle fitted to each arm's clicks.

    The file is read in one pass, whatever its size, and a fixed sample of its rows is kept. Every draw splits the
    sample anew into rows for the oracles and rows to serve, so standard errors cover the choice of rows.

    Attributes:
        path: the .csv or .csv.gz file of the Avazu competition, or any part of it with the same header.
        design: which columns, arms, contexts and oracles to use.

    >>> import tempfile, pathlib
    >>> from kernelbandits.environments.standin import write_standin
    >>> path = write_standin(pathlib.Path(tempfile.mkdtemp(), "clicks.csv"), n_rows=2000)
    >>> instance = Avazu(path, AvazuDesign(dim=5, n_oracle=50, n_contexts=100)).draw(rng=0)
    >>> instance.rounds(3, np.random.default_rng(1)).contexts.shape
    (3, 10, 5)

    See also `AvazuDesign`, `AvazuStandIn`.
    """

    path: FilePath
    design: AvazuDesign = AvazuDesign()

    def impressions(self) -> Impressions:
        """Return the sampled rows; the file is read again only if it has changed."""
        return _from_file(self, tables.content_digest(self.path))


@final
@dataclass(frozen=True, slots=True)
class AvazuStandIn(ImpressionEnvironment):
    """The same bandit on synthetic rows, for machines without the Avazu file. Nothing in it comes from Avazu.

    Attributes:
        n_rows: synthetic rows to make; each of the ten arms, with about a tenth of them, needs more than
            `design.n_oracle`.
        seed: each seed gives other rows.
        design: which columns, arms, contexts and oracles to use.

    >>> print(AvazuStandIn(2000, design=AvazuDesign(dim=5, n_oracle=50, n_contexts=100)).notes(horizon=10)[2])
    arms are the last digits of 'id'; each arm has 50 rows for its oracle and 100 others for contexts

    See also `Avazu`, `AvazuDesign`.
    """

    n_rows: Count = 100_000
    seed: CountFromZero = 0
    design: AvazuDesign = AvazuDesign()

    def impressions(self) -> Impressions:
        return _made_up(self)


@lru_cache(maxsize=2)
def _from_file(spec: Avazu, digest: str) -> Impressions:
    from kernelbandits.environments.impressions import collect

    path = Path(spec.path)
    return collect(tables.read_blocks(path, spec.design.columns), path.name, spec.design)


@lru_cache(maxsize=2)
def _made_up(spec: AvazuStandIn) -> Impressions:
    from kernelbandits.environments.impressions import collect
    from kernelbandits.environments.standin import standin_blocks

    return collect(standin_blocks(spec.n_rows, spec.seed), "synthetic stand-in", spec.design)
