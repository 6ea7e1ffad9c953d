"""Sites, apps, ads and device models of the synthetic stand-in, with names, popularity and hidden tastes.

All are made up. Names begin with "s-", so that no row can be mistaken for one of Avazu.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.types import Array, IntArray

TASTES = 4
"""Number of hidden coordinates of users, publishers and ads."""

PREFIX = "s-"
"""The beginning of every made-up name."""

_SIZES = (("320", "50"), ("300", "250"), ("216", "36"), ("728", "90"), ("300", "50"), ("480", "320"), ("768", "1024"))


def names(kind: str, n: int) -> pl.Series:
    """Return n different names that look hashed, always the same."""
    return hexadecimal(np.arange(n, dtype=np.uint64) + np.uint64(sum(map(ord, kind)) << 12))


def hexadecimal(numbers: NDArray[np.uint64]) -> pl.Series:
    """Return PREFIX and six hexadecimal digits for each number below 2²⁴, by a one-to-one mixing."""
    mixed = (numbers * np.uint64(0x9E3779) + np.uint64(0x3C6EF3)) & np.uint64(0xFFFFFF)
    digits = _three_digits()
    return PREFIX + digits[mixed >> np.uint64(12)] + digits[mixed & np.uint64(0xFFF)]


@lru_cache(maxsize=1)
def _three_digits() -> pl.Series:
    return pl.Series([f"{number:03x}" for number in range(4096)])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """n items of falling popularity: rank r has weight (1 + r)^−exponent, so few are frequent and most are rare."""

    cumulative: Array

    @staticmethod
    def of(n: int, exponent: float) -> Ranking:
        return Ranking(np.cumsum((1.0 + np.arange(n)) ** -exponent))

    def __len__(self) -> int:
        return len(self.cumulative)

    def at(self, u: Array) -> IntArray:
        """Return the ranks at quantiles u in [0, 1)."""
        return np.asarray(np.searchsorted(self.cumulative, u * self.cumulative[-1], side="right"))

    def draw(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n ranks."""
        return self.at(rng.random(n))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Publishers:
    """Sites or apps that show ads. Number 0 of names, domains and categories stands for "none"."""

    ranking: Ranking
    domain: IntArray
    category: IntArray
    banner: IntArray
    effect: Array
    taste: Array

    @staticmethod
    def make(
        n: int, exponent: float, n_domains: int, n_categories: int, banners: Any, rng: np.random.Generator
    ) -> Publishers:
        return Publishers(
            Ranking.of(n, exponent),
            1 + Ranking.of(n_domains - 1, 0.6).draw(n, rng),
            1 + Ranking.of(n_categories - 1, 1.3).draw(n, rng),
            rng.choice(8, size=n, p=banners),
            0.6 * rng.standard_normal(n),
            rng.standard_normal((n, TASTES)),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ads:
    """Creatives (C14), each of a campaign (C17), which determines its size, other codes, effect and taste."""

    ranking: Ranking
    number: IntArray
    campaign: IntArray
    size: IntArray
    codes: dict[str, IntArray]
    effect: Array
    taste: Array

    @staticmethod
    def make(n: int, n_campaigns: int, rng: np.random.Generator) -> Ads:
        campaign = Ranking.of(n_campaigns, 0.9).draw(n, rng)
        codes = {
            "C18": rng.choice(4, size=n_campaigns, p=[0.55, 0.02, 0.13, 0.3]),
            "C19": 33 + 2 * Ranking.of(68, 1.1).draw(n_campaigns, rng),
            "C21": 13 + 4 * Ranking.of(60, 0.8).draw(n_campaigns, rng),
        }
        return Ads(
            Ranking.of(n, 1.1),
            375 + 9 * rng.permutation(n),
            campaign,
            rng.choice(len(_SIZES), size=n_campaigns, p=[0.9, 0.06, 0.02, 0.008, 0.006, 0.004, 0.002]),
            codes,
            0.5 * rng.standard_normal(n_campaigns),
            rng.standard_normal((n_campaigns, TASTES)),
        )

    def banner_size(self, campaign: IntArray, side: int) -> pl.Series:
        """Return C15 (side 0) or C16 (side 1)."""
        return pl.Series([size[side] for size in _SIZES])[self.size[campaign]]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All that is the same for every row; sizes are those of ten days of the competition's data."""

    sites: Publishers
    apps: Publishers
    ads: Ads
    models: Ranking
    model_taste: Array

    @staticmethod
    def make(seed: int) -> Catalogue:
        """Make the catalogue of a seed."""
        rng = np.random.default_rng([seed, 0])
        on_sites = [0.66, 0.32, 0.004, 0.002, 0.004, 0.003, 0.0, 0.007]
        on_apps = [0.97, 0.03, 0, 0, 0, 0, 0, 0]
        n_models = 8200
        return Catalogue(
            Publishers.make(4700, 1.45, 7700, 26, on_sites, rng),
            Publishers.make(8500, 1.3, 560, 36, on_apps, rng),
            Ads.make(2600, 435, rng),
            Ranking.of(n_models, 1.1),
            rng.standard_normal((n_models, TASTES)),
        )
