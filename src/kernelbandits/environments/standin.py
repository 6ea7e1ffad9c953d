"""The synthetic stand-in: made-up rows in the Avazu schema, as blocks or as a file.

Names of sites, apps and devices begin with "s-", so that no row can be mistaken for one of Avazu.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.environments.avazu import COLUMNS
from kernelbandits.environments.impressions import PREFIX, priorities
from kernelbandits.errors import InvalidArgument
from kernelbandits.reporting import replacing
from kernelbandits.tables import TextBlock
from kernelbandits.types import Array, BoolArray, IntArray

BLOCK_ROWS = 100_000
CLICK_RATE = 0.17

_TASTES = 4  # hidden coordinates of users, publishers and ads
_DAYS = 10
_N_USERS = 4_000_000
_N_MODELS = 8200
_BY_HOUR = 1.0 + 0.55 * np.sin(2.0 * np.pi * (np.arange(24) - 7.0) / 24.0)  # traffic is lowest at night
_SIZES = np.array([(320, 50), (300, 250), (216, 36), (728, 90), (300, 50), (480, 320), (768, 1024)])
_SIZE_SHARES = (0.9, 0.06, 0.02, 0.008, 0.006, 0.004, 0.002)
_BANNERS_ON_SITES = (0.66, 0.32, 0.004, 0.002, 0.004, 0.003, 0.0, 0.007)
_BANNERS_IN_APPS = (0.97, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Publishers(NamedTuple):
    """Sites or apps that show ads. Number 0 of names, domains and categories stands for "none"."""

    popularity: Array
    domain: IntArray
    category: IntArray
    banner: IntArray
    effect: Array
    taste: Array


class Ads(NamedTuple):
    """Creatives (C14), each of a campaign (C17), which determines its size, other codes, effect and taste."""

    popularity: Array
    number: IntArray
    campaign: IntArray
    size: IntArray
    codes: dict[str, IntArray]
    effect: Array
    taste: Array


class World(NamedTuple):
    """All that is the same for every row; sizes are those of ten days of the competition's data."""

    sites: Publishers
    apps: Publishers
    ads: Ads
    models: Array
    model_taste: Array


class Shown(NamedTuple):
    """Impressions: the hour since the start, the user with a device model, the site or app, and the ad."""

    hour: IntArray
    user: IntArray
    model: IntArray
    on_site: BoolArray
    site: IntArray
    app: IntArray
    ad: IntArray
    campaign: IntArray


def write_standin(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write `n_rows` synthetic rows in the Avazu schema, block by block. The file is written completely or not at all.

    The same rows and seed give the same bytes. The ending says whether to compress: .csv or .csv.gz.
    """
    checks.whole("n_rows", n_rows, at_least=1)
    checks.whole("seed", seed, at_least=0)
    if not path.name.lower().endswith((".csv", ".csv.gz")):
        raise InvalidArgument(f"the file must end in .csv or .csv.gz; got {path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part, part.open("wb") as raw:
        # Without name and time: the same rows give the same bytes. Higher levels gain little and take much longer.
        packed = path.name.lower().endswith(".gz")
        with gzip.GzipFile("", "wb", compresslevel=4, fileobj=raw, mtime=0) if packed else raw as file:
            for block in standin_blocks(n_rows, seed):
                file.write(block.rows.write_csv(include_header=block.start == 0).encode())
    return path


def standin_blocks(n_rows: int, seed: int = 0) -> Iterator[TextBlock]:
    """Yield `n_rows` rows in order of time, the same for the same seed. Memory does not grow with their number."""
    world, offset = _world(seed)
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        n = min(BLOCK_ROWS, n_rows - start)
        rng = np.random.default_rng([seed, 1, number])
        shown = _shown(world, (start + np.arange(n) + 0.5) / n_rows, rng)
        columns = _features(world, shown, rng)
        columns["id"] = _texts(priorities(start + (seed << 40), n))  # one-to-one, so that no id is repeated
        columns["click"] = _texts((rng.random(n) < _chance(_logit(world, shown) + offset)).astype(np.int64))
        yield TextBlock(pl.DataFrame({name: columns[name] for name in COLUMNS}), start)


@lru_cache(maxsize=1)
def _world(seed: int) -> tuple[World, float]:
    """Make everything that is the same for every row, and the constant of the logits that gives CLICK_RATE."""
    rng = np.random.default_rng([seed, 0])
    sites = _publishers(4700, 1.45, 7700, 26, _BANNERS_ON_SITES, rng)
    apps = _publishers(8500, 1.3, 560, 36, _BANNERS_IN_APPS, rng)
    ads = _ads(2600, 435, rng)
    world = World(sites, apps, ads, _popularity(_N_MODELS, 1.1), rng.standard_normal((_N_MODELS, _TASTES)))
    rng = np.random.default_rng([seed, 2])
    logit = _logit(world, _shown(world, rng.random(20_000), rng))
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _chance(logit + middle).mean() < CLICK_RATE else (low, middle)
    return world, low


def _popularity(n: int, exponent: float) -> Array:
    """Return cumulative weights of n items; rank r has weight (1 + r)^−exponent, so few are frequent."""
    return np.cumsum((1.0 + np.arange(n)) ** -exponent)


def _ranks(popularity: Array, u: Array) -> IntArray:
    """Return the ranks at quantiles u in [0, 1)."""
    return np.asarray(np.searchsorted(popularity, u * popularity[-1], side="right"))


def _publishers(
    n: int, exponent: float, n_domains: int, n_categories: int, banners: Sequence[float], rng: np.random.Generator
) -> Publishers:
    return Publishers(
        popularity=_popularity(n, exponent),
        domain=1 + _ranks(_popularity(n_domains - 1, 0.6), rng.random(n)),
        category=1 + _ranks(_popularity(n_categories - 1, 1.3), rng.random(n)),
        banner=rng.choice(8, size=n, p=banners),
        effect=0.6 * rng.standard_normal(n),
        taste=rng.standard_normal((n, _TASTES)),
    )


def _ads(n: int, n_campaigns: int, rng: np.random.Generator) -> Ads:
    campaign = _ranks(_popularity(n_campaigns, 0.9), rng.random(n))
    codes = {
        "C18": rng.choice(4, size=n_campaigns, p=[0.55, 0.02, 0.13, 0.3]),
        "C19": 33 + 2 * _ranks(_popularity(68, 1.1), rng.random(n_campaigns)),
        "C21": 13 + 4 * _ranks(_popularity(60, 0.8), rng.random(n_campaigns)),
    }
    return Ads(
        popularity=_popularity(n, 1.1),
        number=375 + 9 * rng.permutation(n),
        campaign=campaign,
        size=rng.choice(len(_SIZES), size=n_campaigns, p=_SIZE_SHARES),
        codes=codes,
        effect=0.5 * rng.standard_normal(n_campaigns),
        taste=rng.standard_normal((n_campaigns, _TASTES)),
    )


def _shown(world: World, time: Array, rng: np.random.Generator) -> Shown:
    """Draw the impressions at these times in [0, 1)."""
    n, (sites, apps, ads, models, _) = len(time), world
    busy = np.cumsum(np.tile(_BY_HOUR, _DAYS))
    hour = np.minimum(_ranks(busy, time), len(busy) - 1)
    user = np.minimum((_N_USERS * rng.random(n) ** 3.5).astype(np.int64), _N_USERS - 1)  # few addresses are seen often
    on_site = rng.random(n) < 0.7
    site, app = _ranks(sites.popularity, rng.random(n)), _ranks(apps.popularity, rng.random(n))
    category = np.where(on_site, sites.category[site], 100 + apps.category[app])
    rank = _ranks(ads.popularity, rng.random(n))  # half of the ads are popular on that day, half in that category
    ad = (rank + np.where(rng.random(n) < 0.5, 41 * (hour // 24), 17 * category)) % len(ads.popularity)
    return Shown(hour, user, _ranks(models, _hashed(user, 1)), on_site, site, app, ad, ads.campaign[ad])


def _features(world: World, shown: Shown, rng: np.random.Generator) -> dict[str, pl.Series]:
    hour, user, model, on_site, site, app, ad, campaign = shown
    n, (sites, apps, ads, _, _) = len(user), world
    device_type = np.where(_hashed(user, 2) < 0.93, 1, np.where(_hashed(user, 3) < 0.6, 0, 4))
    return {
        "hour": _texts(14_10_21_00 + 100 * (hour // 24) + hour % 24),
        "C1": _texts(np.where(device_type == 1, 1005, np.where(device_type == 0, 1002, 1010))),
        "banner_pos": _texts(np.where(on_site, sites.banner[site], apps.banner[app])),
        **_publisher_columns("site", sites, site, on_site),
        **_publisher_columns("app", apps, app, ~on_site),
        "device_id": _hexadecimal(np.where(_hashed(user, 4) < 0.83, 0, 1 + user)),
        "device_ip": _hexadecimal(user + (1 << 23)),
        "device_model": _names("model", _N_MODELS)[model],
        "device_type": _texts(device_type),
        "device_conn_type": _texts(np.array([0, 2, 3, 5])[rng.choice(4, size=n, p=[0.87, 0.08, 0.045, 0.005])]),
        "C14": _texts(ads.number[ad]),
        "C15": _texts(_SIZES[ads.size[campaign], 0]),
        "C16": _texts(_SIZES[ads.size[campaign], 1]),
        "C17": _texts(112 + 5 * campaign),
        **{name: _texts(code[campaign]) for name, code in ads.codes.items()},
        "C20": _texts(np.where(rng.random(n) < 0.5, -1, 100_000 + (37 * campaign + rng.integers(3, size=n)) % 172)),
    }


def _publisher_columns(kind: str, publishers: Publishers, which: IntArray, shown: BoolArray) -> dict[str, pl.Series]:
    """Return name, domain and category of sites or apps; those of "none" where the ad was shown on the other kind."""
    codes = {"id": 1 + which, "domain": publishers.domain[which], "category": publishers.category[which]}
    return {
        f"{kind}_{what}": _names(f"{kind} {what}", 1 + int(code.max()))[np.where(shown, code, 0)]
        for what, code in codes.items()
    }


def _logit(world: World, shown: Shown) -> Array:
    """Return logits, up to a constant: effects of publisher, ad and hour, and a product of tastes.

    The sign of an effect of an ad or publisher depends on the user, so that none can be learnt alone.
    """
    sites, apps, ads, _, model_taste = world
    publisher = np.where(shown.on_site[:, np.newaxis], sites.taste[shown.site], apps.taste[shown.app])
    user, ad = model_taste[shown.model], ads.taste[shown.campaign]
    together = np.tanh((user * ad).sum(axis=1)) * np.tanh((publisher * ad).sum(axis=1))
    effect = np.where(shown.on_site, 0.4 + sites.effect[shown.site], apps.effect[shown.app])
    evening = 0.25 * np.sin(2.0 * np.pi * (shown.hour % 24 - 13) / 24.0)
    return np.asarray(effect + ads.effect[shown.campaign] + evening + 1.5 * together)


def _chance(logit: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))


def _hashed(user: IntArray, salt: int) -> Array:
    """Return a fixed number in [0, 1) of each user, so that a device does not change from row to row."""
    mixed = (user.astype(np.uint64) + np.uint64(salt << 32)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2.0**53)


def _names(kind: str, n: int) -> pl.Series:
    """Return n different names that look hashed, always the same."""
    return _hexadecimal(np.arange(n) + (sum(map(ord, kind)) << 12))


def _hexadecimal(numbers: IntArray) -> pl.Series:
    """Return PREFIX and six hexadecimal digits for each number below 2²⁴, by a one-to-one mixing."""
    mixed = (numbers * 0x9E3779 + 0x3C6EF3) & 0xFFFFFF
    digits = _three_digits()
    return PREFIX + digits[mixed >> 12] + digits[mixed & 0xFFF]


@lru_cache(maxsize=1)
def _three_digits() -> pl.Series:
    return pl.Series([f"{number:03x}" for number in range(4096)])


def _texts(numbers: NDArray[np.integer]) -> pl.Series:
    return pl.Series(numbers).cast(pl.String)
