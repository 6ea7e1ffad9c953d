"""Where the league is played: worlds that are drawn, tables with one arm per class, and logs."""

from __future__ import annotations

import gzip
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias, cast, final

import numpy as np
import polars as pl

import kernelbandits as kb
from benchmarks.league.contenders import Contender, contenders, forests, logistic_regressions, vowpal_wabbits
from benchmarks.league.near_repeats import NearRepeats  # in a module of its own: draws depend on its name
from benchmarks.league.worlds import (
    LinearRewards,
    RawUnits,
    RepeatedContexts,
    SparsePurchases,
    StarRatings,
    TwoCoins,
    UselessContexts,
)
from kernelbandits.environments import Classification, Environment, replay
from kernelbandits.errors import CellFailed
from kernelbandits.experiments import Engine, load_experiment, seed_sequence, world
from kernelbandits.experiments.engines import in_order
from kernelbandits.experiments.store import fingerprint
from kernelbandits.paper import beyond, data_sets
from kernelbandits.reporting import write_text
from kernelbandits.tables import Encoding, content_digest

WORLD_ROUNDS = 2000
TABLE_ROUNDS = 1500  # ISOLET has 1,560 rows, and each is shown once
COLUMNS = ("problem", "kind", "contender", "family", "seed", "regret", "seconds", "world")
"""Of a table of runs, one row for each."""

Play: TypeAlias = Callable[[kb.Policy], float]


class Place(ABC):
    """A named problem of the league."""

    __slots__ = ()
    name: str
    kind: str

    @abstractmethod
    def contenders(self) -> list[Contender]:
        """Everyone from this library."""

    @abstractmethod
    def peers(self) -> list[Contender]:
        """Methods of other libraries that can play here."""

    @abstractmethod
    def start(self, seed: int) -> Play:
        """Prepare what all contenders meet at this seed; returns what plays one of them and tells its regret."""

    @abstractmethod
    def fingerprint(self, policy: kb.Policy, seed: int) -> str:
        """What changes when anything changes that a run computes."""

    @abstractmethod
    def world(self, seed: int) -> str:
        """What is drawn: runs of another day can be compared if and only if this is the same."""

    def runs(self, entrants: Sequence[Contender], seeds: Sequence[int], folder: Path, engine: Engine) -> pl.DataFrame:
        """Play what the folder lacks; return one row per contender and seed, with the columns `COLUMNS`."""
        kept = folder.absolute() / "runs"
        kept.mkdir(parents=True, exist_ok=True)
        by_seed = in_order(engine, partial(_play_seed, self, entrants, kept), seeds)
        rows = [
            (self.name, self.kind, each.name, each.family, seed, *by_seed[j][i], self.world(seed))
            for i, each in enumerate(entrants)
            for j, seed in enumerate(seeds)
        ]
        return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _play_seed(place: Place, entrants: Sequence[Contender], folder: Path, seed: int) -> list[tuple[float, float]]:
    """Regret and processor seconds of all contenders at one seed, from the folder if they are there."""
    found, play = [], None
    for each in entrants:
        kept = folder / place.fingerprint(each.policy, seed)
        if not kept.is_file():
            play = play or place.start(seed)
            began = time.process_time()
            try:
                regret = play(each.policy)
            except Exception as error:
                message = f"{place.name}, {each.name}, seed {seed}: {type(error).__name__}: {error}"
                raise CellFailed(message) from error
            write_text(kept, f"{regret!r} {time.process_time() - began:.4f}\n")
        regret, seconds = map(float, kept.read_text(encoding="utf-8").split())
        found.append((regret, seconds))
    return found


@final
@dataclass(frozen=True, slots=True)
class Drawn(Place):
    """An environment, how many rounds are played, and whether its arms share a context and pay 0 or 1."""

    name: str
    kind: str
    environment: Environment
    horizon: int
    coins: bool = False

    def contenders(self) -> list[Contender]:
        return contenders(self.environment.draw(0).problem(), self.horizon)

    def peers(self) -> list[Contender]:
        return [*vowpal_wabbits(), *forests(), *(logistic_regressions() if self.coins else ())]

    def start(self, seed: int) -> Play:
        problem, rounds, new_rng = world(self.environment, self.horizon, seed)
        return lambda policy: float(replay(policy, problem, rounds, new_rng()).regrets.sum())

    def fingerprint(self, policy: kb.Policy, seed: int) -> str:
        return fingerprint(self.environment, policy, self.horizon, seed)

    def world(self, seed: int) -> str:
        _, content = seed_sequence(self.environment, seed).entropy  # type: ignore[misc]
        return f"{content:016x} T={self.horizon}"


@final
@dataclass(frozen=True, slots=True)
class Logged(Place):
    """A log of random decisions, on which contenders are replayed by rejection. A seed is an order of its rows.

    The regret is the number of rounds without a click in 1,000. Only what decides quickly round by round can play: a
    contender sees every row, and agrees with one in K.
    """

    name: str
    file: kb.LogFile
    kind: str = "logs"

    def contenders(self) -> list[Contender]:
        log = _read(self.file)
        return contenders(_problem(log), len(log) // log.n_arms)

    def peers(self) -> list[Contender]:
        return vowpal_wabbits()

    def start(self, seed: int) -> Play:
        log = _read(self.file)
        entropy = [seed, len(log), log.n_arms]
        order = np.random.default_rng(entropy).spawn(1)[0].permutation(len(log))
        columns = {name: getattr(log, name)[order] for name in ("contexts", "arms", "rewards", "propensities")}
        shuffled, problem = replace(log, **columns), _problem(log)

        def play(policy: kb.Policy) -> float:
            _, rng = np.random.default_rng(entropy).spawn(2)
            return 1000.0 * (1.0 - kb.replay_log(policy, shuffled, rng, problem, n_resamples=0).mean)

        return play

    def fingerprint(self, policy: kb.Policy, seed: int) -> str:
        return fingerprint(self.file, policy, len(_read(self.file)), seed)

    def world(self, seed: int) -> str:
        return f"{content_digest(self.file.path)[:16]} log"


def _problem(log: kb.Log) -> kb.Problem:
    """What contenders are told; the norms are a convention, for CGP-UCB, which asks for them."""
    norms = np.ones(log.n_arms)
    return kb.Problem(log.n_arms, log.contexts.shape[1], len(log) // log.n_arms, float(log.rewards.std()), norms)


@lru_cache(maxsize=2)
def _read(file: kb.LogFile) -> kb.Log:
    return file.read()


def worlds() -> list[Drawn]:
    """The paper's panels, the same with one change each, and worlds with what real rewards are like."""
    panels = [*load_experiment("figure-1").panels, *beyond.misspecified(WORLD_ROUNDS)]
    smooth: dict[str, Environment] = {panel.name: panel.environment for panel in panels}
    smooth |= {
        "d = 1": kb.Synthetic(kb.LowRank(), dim=1),
        "d = 5": kb.Synthetic(kb.LowRank(), dim=5),
        "K = 5": kb.Synthetic(kb.LowRank(), n_arms=5),
        "linear, d = 1": LinearRewards(dim=1),
        "linear, d = 5": LinearRewards(dim=5),
        "linear, d = 20": LinearRewards(),
        "linear, d = 100": LinearRewards(dim=100),
        "linear, d = 500": LinearRewards(n_arms=3, dim=500),
        "sparse purchases": SparsePurchases(),
        "sparse purchases, d = 30": SparsePurchases(n_arms=3, dim=30),
        "star ratings": StarRatings(),
        "raw units": RawUnits(),
    }
    coins: dict[str, Environment] = {
        "useless contexts": UselessContexts(),
        "two coins": TwoCoins(),
        "two likely coins": TwoCoins(0.8, 0.9),
        "repeated contexts": RepeatedContexts(),
        "near repeats": NearRepeats(),
    }
    found = [Drawn(name, "worlds", environment, WORLD_ROUNDS) for name, environment in smooth.items()]
    return found + [Drawn(name, "worlds", environment, WORLD_ROUNDS, coins=True) for name, environment in coins.items()]


def tables(folder: Path | None, out: Path) -> list[Drawn]:
    """The digits, which are written to `out`, and the tables of the folder: known ones, and all with a column `class`.

    Contexts are standardised: every number has mean 0 and variance 1 (pixels and sounds share one unit), and all are
    multiplied such that ‖x‖²/d averages 1. MNIST and ISOLET are played on their first 100 principal components. Every
    row is shown at most once.
    """
    data_sets.write_digits(out)
    found = {data_sets.DIGITS.name: data_sets.DIGITS.environment(out)}
    if folder is not None:
        known = {data.file: data for data in data_sets.FROM_FOLDER}
        found |= {data.name: data.environment(folder) for file, data in known.items() if (folder / file).is_file()}
        found |= {
            path.name.partition(".")[0]: Classification(str(path), "class", min_rows=1)
            for path in sorted(folder.glob("*.csv*"))
            if path.name not in known and "class" in _columns(path)
        }
    places = []
    for name, table in found.items():
        standardised = replace(table, encoding=replace(cast("kb.Encoding", table.encoding), level=1.0))
        places.append(
            Drawn(name, "tables", standardised, min(TABLE_ROUNDS, len(standardised.data().codes)), coins=True)
        )
    return places


def _columns(path: Path) -> list[str]:
    """The names in the first line of a file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", errors="replace") as file:
        return [name.strip('" \r\n') for name in file.readline().split(",")]


def open_bandit(path: Path) -> kb.LogFile:
    """A random log of the Open Bandit Dataset: items as arms, position, user and affinities as context."""
    encoding = Encoding(drop=("", "timestamp"), categorical=("position",), level=1.0)
    return kb.LogFile(str(path), arm="item_id", reward="click", propensity="propensity_score", encoding=encoding)


def logs(folder: Path | None) -> list[Logged]:
    """The random logs of Open Bandit that are in the folder."""
    if folder is None:
        return []
    files = {f"Open Bandit, {shop}": folder / f"obd_random_{shop}.csv.gz" for shop in ("men", "women")}
    return [Logged(name, open_bandit(path)) for name, path in files.items() if path.is_file()]
