"""What a study is made of: parts, each a question with its rows, table and panels, and pictures that show parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, final

import polars as pl
from matplotlib.figure import Figure, SubFigure

from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.paper.work import Work

WIDTH = 10.5
"""Inches across a picture."""


@dataclass(frozen=True, slots=True)
class Part(ABC):
    """One question. A concrete part is a frozen spec of its sizes, `seeds` and maybe `horizon` among them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the part's CSV file, and for --only."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What the table shows, with the sizes."""

    @property
    @abstractmethod
    def height(self) -> float:
        """Inches that the panels take."""

    @abstractmethod
    def rows(self, work: Work) -> pl.DataFrame:
        """Compute the tidy rows, means over the seeds."""

    @abstractmethod
    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows laid out for people."""

    @abstractmethod
    def draw(self, rows: pl.DataFrame, figure: SubFigure) -> None:
        """Draw the panels."""

    @abstractmethod
    def findings(self, rows: pl.DataFrame) -> list[str]:
        """What the rows say, a line each, numbers included."""


@final
@dataclass(frozen=True, slots=True)
class Picture:
    """Parts shown above each other in one picture, `name`.png and `name`.svg."""

    name: str
    parts: tuple[Part, ...]

    def draw(self, rows: Mapping[str, pl.DataFrame]) -> Figure:
        """The picture of rows by part."""
        heights = [part.height for part in self.parts]
        figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
        bands = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)
        for part, band in zip(self.parts, bands.flat, strict=True):
            part.draw(rows[part.name], band)
        return figure


def resized(
    pictures: Sequence[Picture], seeds: int | None, horizon: int | None, only: tuple[str, ...]
) -> list[Picture]:
    """The pictures with the parts asked for, at the sizes asked for. An option that changes nothing is refused."""
    known = [part.name for picture in pictures for part in picture.parts]
    for name in only:
        if name not in known:
            raise InvalidArgument(f"the study has no part {name!r}; {nearest(name, known)}")
    given = {key: value for key, value in (("seeds", seeds), ("horizon", horizon)) if value is not None}
    chosen = [
        replace(picture, parts=tuple(part for part in picture.parts if not only or part.name in only))
        for picture in pictures
    ]
    for key in given:
        if not any(key in _sizes(part) for picture in chosen for part in picture.parts):
            raise InvalidArgument(f"--{key} has no meaning for {', '.join(only)}: nothing is played there")
    return [
        replace(picture, parts=tuple(_resized(part, given) for part in picture.parts))
        for picture in chosen
        if picture.parts
    ]


def _sizes(part: Part) -> set[str]:
    return {field.name for field in fields(part)}


def _resized(part: Part, given: Mapping[str, Any]) -> Part:
    return replace(part, **{key: value for key, value in given.items() if key in _sizes(part)})
