"""Rows of the synthetic stand-in: the Avazu schema, made-up content. Blocks of any number of rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.environments.avazu.blocks import Block
from kernelbandits.environments.avazu.catalogue import Catalogue, Places, hexadecimal, names
from kernelbandits.environments.avazu.sampling import priorities
from kernelbandits.environments.avazu.schema import COLUMNS
from kernelbandits.types import Array, BoolArray, IntArray

BLOCK_ROWS = 100_000
CLICK_RATE = 0.17

_DAYS = 10
_N_USERS = 4_000_000
_SITE_SHARE = 0.7
_NO_DEVICE = 0.83
_BY_HOUR = 1.0 + 0.55 * np.sin(2.0 * np.pi * (np.arange(24) - 7.0) / 24.0)  # traffic is lowest at night


def standin_blocks(n_rows: int, seed: int = 0) -> Iterator[Block]:
    """`n_rows` rows in the order of time, the same ones for the same seed. Memory does not grow with their number."""
    world, offset = _world(seed)
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        n = min(BLOCK_ROWS, n_rows - start)
        rng = np.random.default_rng([seed, 1, number])
        time = (start + np.arange(n) + 0.5) / n_rows
        rows, logit = _impressions(world, time, rng)
        clicks = rng.random(n) < _chance(logit + offset)
        identity = priorities(start + (seed << 40), n)  # one-to-one, so that no id comes twice
        columns = rows | {"id": pl.Series(identity).cast(pl.String), "click": _texts(clicks.astype(np.int64))}
        yield Block(pl.DataFrame({name: columns[name] for name in COLUMNS}), start)


@lru_cache(maxsize=1)
def _world(seed: int) -> tuple[Catalogue, float]:
    """The catalogue, and what to add to all logits so that CLICK_RATE of the rows are clicks."""
    world = Catalogue.make(seed)
    rng = np.random.default_rng([seed, 2])
    _, logit = _impressions(world, rng.random(20_000), rng)
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _chance(logit + middle).mean() < CLICK_RATE else (low, middle)
    return world, low


def _chance(logit: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))


def _impressions(world: Catalogue, time: Array, rng: np.random.Generator) -> tuple[dict[str, pl.Series], Array]:
    """Features of the impressions at these times in [0, 1), and the logit of a click up to a constant."""
    n = len(time)
    hour = _hours(time)
    user = np.minimum((_N_USERS * rng.random(n) ** 3.5).astype(np.int64), _N_USERS - 1)  # few addresses are seen often
    model = world.models.at(_hashed(user, 1))
    on_site = rng.random(n) < _SITE_SHARE
    site, app = world.sites.ranking.draw(n, rng), world.apps.ranking.draw(n, rng)
    category = np.where(on_site, world.sites.category[site], 100 + world.apps.category[app])
    ad = _shown_ads(world, hour, category, rng)
    campaign = world.ads.campaign[ad]
    device_type = np.where(_hashed(user, 2) < 0.93, 1, np.where(_hashed(user, 3) < 0.6, 0, 4))
    features = {
        "hour": _hour_names()[hour],
        "C1": _texts(np.where(device_type == 1, 1005, np.where(device_type == 0, 1002, 1010))),
        "banner_pos": _texts(np.where(on_site, world.sites.banner[site], world.apps.banner[app])),
        **_place("site", world.sites, site, on_site),
        **_place("app", world.apps, app, ~on_site),
        "device_id": hexadecimal(np.where(_hashed(user, 4) < _NO_DEVICE, 0, 1 + user).astype(np.uint64)),
        "device_ip": hexadecimal(user.astype(np.uint64) + np.uint64(1 << 23)),
        "device_model": names("model", len(world.models))[model],
        "device_type": _texts(device_type),
        "device_conn_type": _texts(np.array([0, 2, 3, 5])[rng.choice(4, size=n, p=[0.87, 0.08, 0.045, 0.005])]),
        "C14": _texts(world.ads.number[ad]),
        "C15": world.ads.banner_size(campaign, 0),
        "C16": world.ads.banner_size(campaign, 1),
        "C17": _texts(112 + 5 * campaign),
        **{name: _texts(code[campaign]) for name, code in world.ads.codes.items()},
        "C20": _texts(np.where(rng.random(n) < 0.5, -1, 100_000 + (37 * campaign + rng.integers(3, size=n)) % 172)),
    }
    return features, _logit(world, hour, model, on_site, site, app, campaign)


def _logit(
    world: Catalogue,
    hour: IntArray,
    model: IntArray,
    on_site: BoolArray,
    site: IntArray,
    app: IntArray,
    campaign: IntArray,
) -> Array:
    """Who likes what where: besides effects of place, ad and hour, a product of the tastes of all three.

    Neither the pull of an ad nor that of a place can be learnt alone: it turns with the user.
    """
    place = np.where(on_site[:, np.newaxis], world.sites.taste[site], world.apps.taste[app])
    user, ad = world.model_taste[model], world.ads.taste[campaign]
    together = np.tanh((user * ad).sum(axis=1)) * np.tanh((place * ad).sum(axis=1))
    effect = np.where(on_site, 0.4 + world.sites.effect[site], world.apps.effect[app]) + world.ads.effect[campaign]
    evening = 0.25 * np.sin(2.0 * np.pi * (hour % 24 - 13) / 24.0)
    return np.asarray(effect + evening + 1.5 * together)


def _hours(time: Array) -> IntArray:
    """Hours since the start, 0 … 239, at these times in [0, 1): more rows fall into busy hours."""
    busy = np.cumsum(np.tile(_BY_HOUR, _DAYS))
    return np.asarray(np.minimum(np.searchsorted(busy, time * busy[-1], side="right"), len(busy) - 1))


@lru_cache(maxsize=1)
def _hour_names() -> pl.Series:
    return pl.Series([f"1410{21 + day}{hour:02d}" for day in range(_DAYS) for hour in range(24)])


def _shown_ads(world: Catalogue, hour: IntArray, category: IntArray, rng: np.random.Generator) -> IntArray:
    """Half of the time the ads in favour that day, else those in favour with that category of places."""
    rank = world.ads.ranking.draw(len(hour), rng)
    shift = np.where(rng.random(len(hour)) < 0.5, 41 * (hour // 24), 17 * category)
    return np.asarray((rank + shift) % len(world.ads.ranking))


def _place(kind: str, places: Places, which: IntArray, shown: BoolArray) -> dict[str, pl.Series]:
    """Name, domain and category of a site or app; the value for "none" where the ad was shown on the other kind."""
    codes = {"id": 1 + which, "domain": places.domain[which], "category": places.category[which]}
    return {
        f"{kind}_{what}": names(f"{kind} {what}", 1 + int(code.max()))[np.where(shown, code, 0)]
        for what, code in codes.items()
    }


def _hashed(user: IntArray, salt: int) -> Array:
    """A number in [0, 1) that belongs to the user: their device does not change from row to row."""
    mixed: NDArray[np.uint64] = (user.astype(np.uint64) + np.uint64(salt << 32)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2.0**53)


def _texts(numbers: IntArray) -> pl.Series:
    return pl.Series(numbers).cast(pl.String)
