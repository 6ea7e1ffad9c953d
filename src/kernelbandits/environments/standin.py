"""The synthetic stand-in: made-up rows in the Avazu schema, as blocks or as a file.

Names of sites, apps and devices begin with "s-", so that no row can be mistaken for one of Avazu.
"""

import gzip
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.environments.avazu import COLUMNS, PREFIX, priorities
from kernelbandits.errors import InvalidArgument
from kernelbandits.reporting import replacing
from kernelbandits.specs import Count, CountFromZero, conform
from kernelbandits.tables import TextBlock
from kernelbandits.types import Array, BoolArray, IntArray

BLOCK_ROWS = 100_000
CLICK_RATE = 0.17

_TASTES = 4  # hidden coordinates of users, publishers and ads
_DAYS = 10
_N_USERS = 4_000_000
_N_SITES, _N_APPS, _N_ADS, _N_MODELS = 4700, 8500, 2600, 8200  # as in ten days of the competition's data
_BY_HOUR = 1.0 + 0.55 * np.sin(2.0 * np.pi * (np.arange(24) - 7.0) / 24.0)  # traffic is lowest at night
_SIZES = np.array([(320, 50), (300, 250), (216, 36), (728, 90), (300, 50), (480, 320), (768, 1024)])
_SIZE_SHARES = (0.9, 0.06, 0.02, 0.008, 0.006, 0.004, 0.002)


class Publishers(NamedTuple):
    """First the sites, then the apps that show ads. Number 0 of domains and categories stands for "none"."""

    domain: IntArray
    category: IntArray
    banner: IntArray
    effect: Array
    taste: Array


class Ads(NamedTuple):
    """Creatives (C14), each of a campaign (C17), which determines its size, other codes, effect and taste."""

    number: IntArray
    campaign: IntArray
    size: IntArray
    codes: dict[str, IntArray]
    effect: Array
    taste: Array


class World(NamedTuple):
    """All that is the same for every row."""

    publishers: Publishers
    ads: Ads
    model_taste: Array


class Shown(NamedTuple):
    """Impressions: the hour since the start, the user with a device model, the site or app, and the ad."""

    hour: IntArray
    user: IntArray
    model: IntArray
    on_site: BoolArray
    publisher: IntArray
    ad: IntArray


def write_standin(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write `n_rows` synthetic rows in the Avazu schema, block by block. The file is written completely or not at all.

    The same rows and seed give the same bytes. The ending says whether to compress: .csv or .csv.gz.
    """
    conform(n_rows, Count, "n_rows")
    conform(seed, CountFromZero, "seed")
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
    sites = _publishers(_N_SITES, 7700, 26, (0.66, 0.32, 0.004, 0.002, 0.004, 0.003, 0.0, 0.007), rng)
    apps = _publishers(_N_APPS, 560, 36, (0.97, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), rng)
    publishers = Publishers(*(np.concatenate(pair) for pair in zip(sites, apps, strict=True)))
    publishers.effect[:_N_SITES] += 0.4
    world = World(publishers, _ads(435, rng), rng.standard_normal((_N_MODELS, _TASTES)))
    rng = np.random.default_rng([seed, 2])
    logit = _logit(world, _shown(world, rng.random(20_000), rng))
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _chance(logit + middle).mean() < CLICK_RATE else (low, middle)
    return world, low


def _ranks(n: int, exponent: float, u: Array) -> IntArray:
    """Return the ranks of n items at quantiles u; rank r has weight (1 + r)^−exponent, so few are frequent."""
    return _at(np.cumsum((1.0 + np.arange(n)) ** -exponent), u)


def _at(cumulative: Array, u: Array) -> IntArray:
    return np.asarray(np.searchsorted(cumulative, u * cumulative[-1], side="right"))


def _publishers(
    n: int, n_domains: int, n_categories: int, banners: Sequence[float], rng: np.random.Generator
) -> Publishers:
    return Publishers(
        domain=1 + _ranks(n_domains - 1, 0.6, rng.random(n)),
        category=1 + _ranks(n_categories - 1, 1.3, rng.random(n)),
        banner=rng.choice(len(banners), size=n, p=banners),
        effect=0.6 * rng.standard_normal(n),
        taste=rng.standard_normal((n, _TASTES)),
    )


def _ads(n_campaigns: int, rng: np.random.Generator) -> Ads:
    campaign = _ranks(n_campaigns, 0.9, rng.random(_N_ADS))
    codes = {
        "C18": rng.choice(4, size=n_campaigns, p=[0.55, 0.02, 0.13, 0.3]),
        "C19": 33 + 2 * _ranks(68, 1.1, rng.random(n_campaigns)),
        "C21": 13 + 4 * _ranks(60, 0.8, rng.random(n_campaigns)),
    }
    return Ads(
        number=375 + 9 * rng.permutation(_N_ADS),
        campaign=campaign,
        size=rng.choice(len(_SIZES), size=n_campaigns, p=_SIZE_SHARES),
        codes=codes,
        effect=0.5 * rng.standard_normal(n_campaigns),
        taste=rng.standard_normal((n_campaigns, _TASTES)),
    )


def _shown(world: World, time: Array, rng: np.random.Generator) -> Shown:
    """Draw the impressions at these times in [0, 1)."""
    n = len(time)
    hour = np.minimum(_at(np.cumsum(np.tile(_BY_HOUR, _DAYS)), time), 24 * _DAYS - 1)
    user = np.minimum((_N_USERS * rng.random(n) ** 3.5).astype(np.int64), _N_USERS - 1)  # few addresses are seen often
    model = _ranks(_N_MODELS, 1.1, _hashed(user, 1))
    on_site = rng.random(n) < 0.7
    site, app = _ranks(_N_SITES, 1.45, rng.random(n)), _ranks(_N_APPS, 1.3, rng.random(n))
    publisher = np.where(on_site, site, _N_SITES + app)
    category = world.publishers.category[publisher] + np.where(on_site, 0, 100)
    rank = _ranks(_N_ADS, 1.1, rng.random(n))  # half of the ads are popular on that day, half in that category
    ad = (rank + np.where(rng.random(n) < 0.5, 41 * (hour // 24), 17 * category)) % _N_ADS
    return Shown(hour, user, model, on_site, publisher, ad)


def _features(world: World, shown: Shown, rng: np.random.Generator) -> dict[str, pl.Series]:
    hour, user, model, on_site, publisher, ad = shown
    n, ads, campaign = len(user), world.ads, world.ads.campaign[ad]
    device_type = np.where(_hashed(user, 2) < 0.93, 1, np.where(_hashed(user, 3) < 0.6, 0, 4))
    places = {
        "id": np.where(on_site, publisher, publisher - _N_SITES) + 1,
        "domain": world.publishers.domain[publisher],
        "category": world.publishers.category[publisher],
    }
    return {
        "hour": _texts(14_10_21_00 + 100 * (hour // 24) + hour % 24),
        "C1": _texts(np.where(device_type == 1, 1005, np.where(device_type == 0, 1002, 1010))),
        "banner_pos": _texts(world.publishers.banner[publisher]),
        **{f"site_{what}": _names(f"site {what}", np.where(on_site, code, 0)) for what, code in places.items()},
        **{f"app_{what}": _names(f"app {what}", np.where(on_site, 0, code)) for what, code in places.items()},
        "device_id": _hexadecimal(np.where(_hashed(user, 4) < 0.83, 0, 1 + user)),
        "device_ip": _hexadecimal(user + (1 << 23)),
        "device_model": _names("model", model),
        "device_type": _texts(device_type),
        "device_conn_type": _texts(np.array([0, 2, 3, 5])[rng.choice(4, size=n, p=[0.87, 0.08, 0.045, 0.005])]),
        "C14": _texts(ads.number[ad]),
        "C15": _texts(_SIZES[ads.size[campaign], 0]),
        "C16": _texts(_SIZES[ads.size[campaign], 1]),
        "C17": _texts(112 + 5 * campaign),
        **{name: _texts(code[campaign]) for name, code in ads.codes.items()},
        "C20": _texts(np.where(rng.random(n) < 0.5, -1, 100_000 + (37 * campaign + rng.integers(3, size=n)) % 172)),
    }


def _logit(world: World, shown: Shown) -> Array:
    """Return logits, up to a constant: effects of publisher, ad and hour, and a product of tastes.

    The sign of an effect of an ad or publisher depends on the user, so that none can be learnt alone.
    """
    publishers, ads, model_taste = world
    campaign = ads.campaign[shown.ad]
    user, publisher, ad = model_taste[shown.model], publishers.taste[shown.publisher], ads.taste[campaign]
    together = np.tanh((user * ad).sum(axis=1)) * np.tanh((publisher * ad).sum(axis=1))
    evening = 0.25 * np.sin(2.0 * np.pi * (shown.hour % 24 - 13) / 24.0)
    return np.asarray(publishers.effect[shown.publisher] + ads.effect[campaign] + evening + 1.5 * together)


def _chance(logit: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))


def _hashed(user: IntArray, salt: int) -> Array:
    """Return a fixed number in [0, 1) of each user, so that a device does not change from row to row."""
    mixed = (user.astype(np.uint64) + np.uint64(salt << 32)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2.0**53)


def _names(kind: str, numbers: IntArray) -> pl.Series:
    """Return a name that looks hashed for each number, always the same."""
    levels = np.arange(1 + int(numbers.max()))  # name each once: making names is slow
    return _hexadecimal(levels + (sum(map(ord, kind)) << 12))[numbers]


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
