"""The synthetic stand-in: made-up rows in the Avazu schema, as blocks or as a file."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.environments.avazu.catalogue import Catalogue, Publishers, hexadecimal, names
from kernelbandits.environments.avazu.sampling import priorities
from kernelbandits.environments.avazu.schema import COLUMNS
from kernelbandits.errors import InvalidArgument
from kernelbandits.tables import TextBlock
from kernelbandits.types import Array, BoolArray, IntArray

BLOCK_ROWS = 100_000
CLICK_RATE = 0.17

_DAYS = 10
_N_USERS = 4_000_000
_SITE_SHARE = 0.7
_NO_DEVICE = 0.83
_COMPRESSION = 4  # higher levels take several times as long for a few per cent
_BY_HOUR = 1.0 + 0.55 * np.sin(2.0 * np.pi * (np.arange(24) - 7.0) / 24.0)  # traffic is lowest at night


def standin_blocks(n_rows: int, seed: int = 0) -> Iterator[TextBlock]:
    """Yield `n_rows` rows in order of time, the same for the same seed. Memory does not grow with their number."""
    world, offset = _world(seed)
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        n = min(BLOCK_ROWS, n_rows - start)
        rng = np.random.default_rng([seed, 1, number])
        time = (start + np.arange(n) + 0.5) / n_rows
        rows, logit = _impressions(world, time, rng)
        clicks = rng.random(n) < _chance(logit + offset)
        identity = priorities(start + (seed << 40), n)  # one-to-one, so that no id is repeated
        columns = rows | {"id": pl.Series(identity).cast(pl.String), "click": _texts(clicks.astype(np.int64))}
        yield TextBlock(pl.DataFrame({name: columns[name] for name in COLUMNS}), start)


@lru_cache(maxsize=1)
def _world(seed: int) -> tuple[Catalogue, float]:
    """Return the catalogue, and the constant of the logits such that CLICK_RATE of the rows are clicks."""
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
    """Draw the impressions at these times in [0, 1): features, and logits of a click up to a constant."""
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
        **_columns("site", world.sites, site, on_site),
        **_columns("app", world.apps, app, ~on_site),
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
    """Return logits with effects of publisher, ad and hour, and a product of the tastes of user, publisher and ad.

    So the effect of an ad, or of a publisher, cannot be learnt alone: its sign depends on the user.
    """
    publisher = np.where(on_site[:, np.newaxis], world.sites.taste[site], world.apps.taste[app])
    user, ad = world.model_taste[model], world.ads.taste[campaign]
    together = np.tanh((user * ad).sum(axis=1)) * np.tanh((publisher * ad).sum(axis=1))
    effect = np.where(on_site, 0.4 + world.sites.effect[site], world.apps.effect[app]) + world.ads.effect[campaign]
    evening = 0.25 * np.sin(2.0 * np.pi * (hour % 24 - 13) / 24.0)
    return np.asarray(effect + evening + 1.5 * together)


def _hours(time: Array) -> IntArray:
    """Return the hours since the start, 0 … 239, at these times in [0, 1): busy hours have more rows."""
    busy = np.cumsum(np.tile(_BY_HOUR, _DAYS))
    return np.asarray(np.minimum(np.searchsorted(busy, time * busy[-1], side="right"), len(busy) - 1))


@lru_cache(maxsize=1)
def _hour_names() -> pl.Series:
    return pl.Series([f"1410{21 + day}{hour:02d}" for day in range(_DAYS) for hour in range(24)])


def _shown_ads(world: Catalogue, hour: IntArray, category: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw ads: half of the time those popular on that day, otherwise those popular in that category."""
    rank = world.ads.ranking.draw(len(hour), rng)
    shift = np.where(rng.random(len(hour)) < 0.5, 41 * (hour // 24), 17 * category)
    return np.asarray((rank + shift) % len(world.ads.ranking))


def _columns(kind: str, publishers: Publishers, which: IntArray, shown: BoolArray) -> dict[str, pl.Series]:
    """Return name, domain and category of sites or apps; those of "none" where the ad was shown on the other kind."""
    codes = {"id": 1 + which, "domain": publishers.domain[which], "category": publishers.category[which]}
    return {
        f"{kind}_{what}": names(f"{kind} {what}", 1 + int(code.max()))[np.where(shown, code, 0)]
        for what, code in codes.items()
    }


def _hashed(user: IntArray, salt: int) -> Array:
    """Return a fixed number in [0, 1) of each user, so that a device does not change from row to row."""
    mixed: NDArray[np.uint64] = (user.astype(np.uint64) + np.uint64(salt << 32)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2.0**53)


def _texts(numbers: IntArray) -> pl.Series:
    return pl.Series(numbers).cast(pl.String)


def write_standin(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write `n_rows` synthetic rows in the Avazu schema, block by block. The file is written completely or not at all.

    The same rows and seed give the same bytes. The ending says whether to compress: .csv or .csv.gz.
    """
    checks.whole("n_rows", n_rows, at_least=1)
    checks.whole("seed", seed, at_least=0)
    if not path.name.lower().endswith((".csv", ".csv.gz")):
        raise InvalidArgument(f"the file must end in .csv or .csv.gz; got {path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as raw, _compressed(raw) if path.name.lower().endswith(".gz") else raw as file:
            for block in standin_blocks(n_rows, seed):
                file.write(block.rows.write_csv(include_header=block.start == 0).encode())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _compressed(file: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0)  # without name and time: the same rows, the same bytes
