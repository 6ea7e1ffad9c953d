"""The report of a study: every picture, with the table and the findings of each of its parts below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from kernelbandits.experiments.report import (
    Cell,
    Column,
    Findings,
    Group,
    Picture as Image,
    Report,
    Section,
    Table,
    origin,
)
from kernelbandits.paper.parts import Part, Picture


def study_html(
    title: str,
    pictures: Sequence[Picture],
    rows: Mapping[str, pl.DataFrame],
    images: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> str:
    """One self-contained page from the rows by part and the SVG text by picture."""
    sections = [Group(picture.name, _sections(picture, rows, images[picture.name])) for picture in pictures]
    lead = tuple(part.name for picture in pictures for part in picture.parts)
    return Report(title, lead, (*sections, origin(provenance))).html()


def word(value: Any) -> str:
    """A value of a table: three figures of a number, whole numbers from 100 on."""
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _sections(picture: Picture, rows: Mapping[str, pl.DataFrame], svg: str) -> tuple[Section, ...]:
    description = "; ".join(part.title for part in picture.parts)
    below = (section for part in picture.parts for section in _part_sections(part, rows[part.name]))
    return (Image("", svg, description), *below)


def _part_sections(part: Part, rows: pl.DataFrame) -> tuple[Section, ...]:
    frame = part.table(rows)
    columns = tuple(Column(name, dtype.is_numeric()) for name, dtype in frame.schema.items())
    cells = tuple(tuple(Cell(word(value)) for value in row) for row in frame.iter_rows())
    return (Table(f"{part.name}: {part.title}", columns, cells), Findings("", tuple(part.findings(rows))))
