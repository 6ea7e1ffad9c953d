"""A shop's log: numbers in raw units, categories, missing values, four offers, and few purchases."""

import numpy as np
import polars as pl

OFFERS = ("none", "5pct", "10pct", "free_ship")
LOGGED = {"arm": "offer", "reward": "purchase", "propensity": "p"}


def features(n, seed=0, n_numbers=30, n_categories=6):
    """A table of visitors."""
    rng = np.random.default_rng(seed)
    taste = rng.standard_normal((n, 3))
    columns = {"user_id": [f"u{seed}-{i}" for i in range(n)]}
    for j in range(n_numbers):
        hidden = taste[:, j % 3] + 0.7 * rng.standard_normal(n)
        raw = (np.exp(4.0 + hidden), np.round(45.0 + 12.0 * hidden), 1e6 * np.exp(2.0 * hidden))[j % 3]
        name = f"{('money', 'age', 'bytes')[j % 3]}_{j}"
        values = pl.Series(name, raw)
        columns[name] = values.set(pl.Series(rng.random(n) < 0.05), None) if j % 4 == 0 else values
    for j in range(n_categories):
        codes = np.clip(np.round(2.0 + taste[:, j % 3] + rng.standard_normal(n)), 0, 4 + j).astype(int)
        texts = pl.Series(f"kind_{j}", [f"{'abcdefghij'[code]}{j}" for code in codes])
        columns[f"kind_{j}"] = texts.set(pl.Series(rng.random(n) < 0.03), None) if j % 2 else texts
    return pl.DataFrame(columns)


def rewards(table, offers, seed=0):
    """What each visitor spends with an offer: nothing in 84 of 100 cases."""
    rng = np.random.default_rng([seed, 7])
    money = np.log(table["money_0"].fill_null(50.0).to_numpy()) - 4.0
    age = (table["age_1"].to_numpy() - 45.0) / 12.0
    pull = np.choose(offers, [0.0 * money, 0.4 * money, 0.8 * age, 0.3 - 0.5 * money])
    buys = rng.random(len(money)) < 1.0 / (1.0 + np.exp(1.75 - 0.8 * pull))
    return np.where(buys, np.round(20.0 * np.exp(0.3 * pull + 0.4 * rng.standard_normal(len(money))), 2), 0.0)


def log(n, seed=0, **sizes):
    """A log of offers that were made at random."""
    table = features(n, seed, **sizes)
    offers = np.random.default_rng([seed, 3]).integers(len(OFFERS), size=n)
    spent = rewards(table, offers, seed)
    return table.with_columns(
        pl.Series("offer", [OFFERS[offer] for offer in offers]),
        pl.Series("purchase", spent),
        pl.Series("p", np.full(n, 1.0 / len(OFFERS))),
    )
