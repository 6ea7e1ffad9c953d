"""A place of the league, and the kind that can be drawn as often as one likes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import polars as pl

from benchmarks.league.contenders import Contender, contenders, forests, logistic_regressions, vowpal_wabbits
from benchmarks.league.playing import play
from kernelbandits.environments import Environment
from kernelbandits.experiments import Engine, Panel


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
    def runs(self, entrants: Sequence[Contender], seeds: Sequence[int], folder: Path, engine: Engine) -> pl.DataFrame:
        """Play what the folder lacks; return one row per contender and seed, with the columns `COLUMNS`."""


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

    def runs(self, entrants: Sequence[Contender], seeds: Sequence[int], folder: Path, engine: Engine) -> pl.DataFrame:
        panel = Panel(self.name, self.environment, {each.name: each.policy for each in entrants})
        return with_families(play(panel, self.horizon, seeds, folder, engine), self.kind, entrants)


def with_families(played: pl.DataFrame, kind: str, entrants: Sequence[Contender]) -> pl.DataFrame:
    """The runs with the kind of their place and the family of each contender."""
    family = {each.name: each.family for each in entrants}
    return played.with_columns(pl.lit(kind).alias("kind"), pl.col("contender").replace_strict(family).alias("family"))
