"""Bandits of many policies, and what each decides next: in the process that saved it and in a new one.

`python bandit_restarts.py FOLDER` prints the decisions of all bandits in a folder as JSON.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

import kernelbandits as kb
import shop

LOG = shop.log(80, n_numbers=4, n_categories=1)
ROWS = shop.features(20, seed=1, n_numbers=4, n_categories=1)


def fitted(policy):
    known = {"horizon": 1000, "noise_std": 0.1, "reward_norms": np.ones(4)}
    return kb.Bandit(shop.OFFERS, kb.Encoding(drop=("user_id",)), policy, **known).fit(LOG, **shop.LOGGED)


def play(bandit):
    """Decide for all rows; every third reward does not come."""
    said = []
    for number, row in enumerate(ROWS.iter_rows(named=True)):
        decision = bandit.choose(row)
        said.append([decision.arm, decision.propensity, decision.scores, decision.explored])
        if number % 3:
            bandit.observe(decision.id, reward=float(number % 4))
    return said


def go_on(bandit):
    """What is decided after the rewards of all pending decisions have come."""
    for number, entry in enumerate([*bandit.ledger]):
        bandit.observe(entry.id, reward=float(number % 7))
    return play(bandit)


if __name__ == "__main__":
    warnings.simplefilter("ignore", UserWarning)
    paths = sorted(Path(sys.argv[1]).glob("*.kb"))
    print(json.dumps({path.name: go_on(kb.load(path)) for path in paths}))  # noqa: T201
