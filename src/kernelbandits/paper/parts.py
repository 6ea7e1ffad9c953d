"""Studies made of parts: each part is a question with its rows, table, charts and findings."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Outcome, Runner, RunOptions, require_known, write_outcome
from kernelbandits.reporting import Charts, Column, Document, Entry, Findings, Group, Line, Picture, Table, look
from kernelbandits.specs import Spec


@dataclass(frozen=True, slots=True)
class StudyPart(Spec, ABC):
    """One question. A concrete part is a frozen spec of its sizes, with `seeds` and perhaps `horizon` among them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the part's CSV file, and for --only."""

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the table shows; `{0.dim}` stands for the size `dim`."""

    @property
    def title(self) -> str:
        """What the table shows, with the sizes."""
        return self.heading.format(self)

    @abstractmethod
    def rows(self, runner: Runner) -> pl.DataFrame:
        """Compute the tidy rows, means over the seeds."""

    @abstractmethod
    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows laid out for people."""

    @abstractmethod
    def charts(self, rows: pl.DataFrame) -> Charts:
        """The rows as charts."""

    @abstractmethod
    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        """What the rows say, one finding per line, with numbers."""


Pictures = Mapping[str, tuple[StudyPart, ...]]
"""The pictures of a study by name, each with the parts that it shows above each other."""


def report_parts(name: str, title: str, pictures: Pictures, options: RunOptions) -> None:
    """Compute the parts that the options ask for; write one CSV file per part, the pictures and the report."""
    wanted = resized(pictures, options)
    parts = [part for shown in wanted.values() for part in shown]
    runner = Runner(options.folder, options.engine)
    rows = {part.name: part.rows(runner) for part in parts}
    findings = {part.name: list(part.findings(rows[part.name])) for part in parts}
    drawn, sections = {}, []
    for stem, shown in wanted.items():
        charts = tuple(part.charts(rows[part.name]) for part in shown)
        drawn[stem] = Picture("", charts, "; ".join(part.title for part in shown))
        told = [(_table(part, rows[part.name]), Findings("", tuple(findings[part.name]))) for part in shown]
        sections.append(Group(stem, (drawn[stem], *(section for pair in told for section in pair))))
    tables = {part: frame.to_dicts() for part, frame in rows.items()}
    record = {"study": name, "tables": tables, "findings": findings}
    document = Document(title, tuple(sections), tuple(rows), record)
    files = {f"{part}.csv": frame for part, frame in rows.items()}
    provenance = {"study": name, "parts": {part.name: repr(part) for part in parts}}
    write_outcome(Outcome(document, lambda: document, files, drawn, provenance), options)


def resized(pictures: Pictures, options: RunOptions) -> dict[str, tuple[StudyPart, ...]]:
    """The pictures with the parts asked for, at the sizes asked for. An option that changes nothing is refused."""
    require_known(options.only, [part.name for parts in pictures.values() for part in parts], "the study has no part")
    wanted = [name.casefold() for name in options.only]
    given = {key: value for key in ("seeds", "horizon") if (value := getattr(options, key)) is not None}
    chosen = {
        stem: tuple(part for part in parts if not wanted or part.name.casefold() in wanted)
        for stem, parts in pictures.items()
    }
    for key in given:
        if not any(hasattr(part, key) for parts in chosen.values() for part in parts):
            what = ", ".join(options.only) or "any part of this study"
            raise InvalidArgument(f"--{key} has no meaning for {what}; run it without --{key}")
    return {
        stem: tuple(replace(part, **{key: given[key] for key in given if hasattr(part, key)}) for part in parts)
        for stem, parts in chosen.items()
        if parts
    }


def over_seeds(frame: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Mean of each value and its standard error `…_se` per group of keys, groups in the order of appearance."""
    count = pl.len().sqrt()
    pairs = [(pl.col(value).mean(), (pl.col(value).std(ddof=1) / count).alias(f"{value}_se")) for value in values]
    return frame.group_by(keys, maintain_order=True).agg(column for pair in pairs for column in pair)


def by(rows: pl.DataFrame, column: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """Each value of a column with its rows, in the order of appearance."""
    return ((value, own) for (value,), own in rows.group_by(column, maintain_order=True))


def line(rows: pl.DataFrame, x: str, y: str, place: int, label: str) -> Line:
    """One line of a chart with the look of that place, and a band of one standard error where it is known."""
    error = rows[f"{y}_se"] if f"{y}_se" in rows.columns else None
    band = None if error is None or error.null_count() else error.to_numpy()
    return Line(rows[x].to_numpy(), rows[y].to_numpy(), look(place), label, band)


def _table(part: StudyPart, rows: pl.DataFrame) -> Table:
    frame = part.table(rows)
    columns = tuple(Column(name, dtype.is_numeric()) for name, dtype in frame.schema.items())
    entries = tuple(tuple(Entry(_words(value)) for value in row) for row in frame.iter_rows())
    return Table(f"{part.name}: {part.title}", columns, entries)


def _words(value: Any) -> str:
    """A value of a table: three figures of a number, whole numbers from 100 on."""
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
