"""A log of random decisions, on which contenders are replayed by rejection."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import final

import numpy as np
import polars as pl

from benchmarks.league.contenders import Contender, contenders, vowpal_wabbits
from benchmarks.league.drawn import Place, with_families
from kernelbandits import Log, LogFile, replay_log
from kernelbandits.experiments import Engine
from kernelbandits.experiments.engines import in_order
from kernelbandits.experiments.grid import fingerprint
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.reporting import write_text
from kernelbandits.tables import Encoding, content_digest


def open_bandit(path: Path) -> LogFile:
    """A random log of the Open Bandit Dataset: items as arms, position, user and affinities as context."""
    encoding = Encoding(drop=("", "timestamp"), categorical=("position",), level=1.0)
    return LogFile(str(path), arm="item_id", reward="click", propensity="propensity_score", encoding=encoding)


@final
@dataclass(frozen=True, slots=True)
class Logged(Place):
    """A log in a file. A seed is an order of its rows, the same for every contender.

    The regret is the number of rounds without a click in 1,000. Only what decides quickly round by round can play: a
    contender sees every row, and agrees with one in K.
    """

    name: str
    file: LogFile
    kind: str = "logs"

    def contenders(self) -> list[Contender]:
        log = _read(self.file)
        return contenders(_problem(log), len(log) // log.n_arms)

    def peers(self) -> list[Contender]:
        return vowpal_wabbits()

    def runs(self, entrants: Sequence[Contender], seeds: Sequence[int], folder: Path, engine: Engine) -> pl.DataFrame:
        pairs = [(each, seed) for each in entrants for seed in seeds]
        replayed = in_order(engine, partial(_kept_run, self.file, folder.absolute() / "replays"), pairs)
        world = f"{content_digest(self.file.path)[:16]} log"
        rows = [
            (self.name, each.name, seed, regret, seconds, world)
            for (each, seed), (regret, seconds) in zip(pairs, replayed, strict=True)
        ]
        columns = ["problem", "contender", "seed", "regret", "seconds", "world"]
        return with_families(pl.DataFrame(rows, schema=columns, orient="row"), self.kind, entrants)


def _kept_run(file: LogFile, folder: Path, pair: tuple[Contender, int]) -> tuple[float, float]:
    """Regret and seconds of one replay, from the folder if it is there."""
    contender, seed = pair
    kept = folder / fingerprint(file, contender.policy, len(_read(file)), seed)
    if not kept.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        regret, seconds = _run(_read(file), contender.policy, seed)
        write_text(kept, f"{regret!r} {seconds:.4f}\n")
    regret, seconds = map(float, kept.read_text(encoding="utf-8").split())
    return regret, seconds


def _run(log: Log, policy: Policy, seed: int) -> tuple[float, float]:
    for_order, for_replay = np.random.default_rng([seed, len(log), log.n_arms]).spawn(2)
    order = for_order.permutation(len(log))
    shuffled = replace(
        log,
        contexts=log.contexts[order],
        arms=log.arms[order],
        rewards=log.rewards[order],
        propensities=log.propensities[order],
    )
    start = time.process_time()
    replayed = replay_log(policy, shuffled, for_replay, _problem(log), n_resamples=0)
    return 1000.0 * (1.0 - replayed.mean), time.process_time() - start


def _problem(log: Log) -> Problem:
    """What contenders are told; the norms are a convention, for CGP-UCB, which asks for them."""
    norms = np.ones(log.n_arms)
    return Problem(log.n_arms, log.contexts.shape[1], len(log) // log.n_arms, float(log.rewards.std()), norms)


@lru_cache(maxsize=2)
def _read(file: LogFile) -> Log:
    return file.read()
