"""Sections that are tables."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """A text, a smaller one below it, and whether it is the best of its kind."""

    text: str
    detail: str = ""
    best: bool = False

    def html(self) -> str:
        """The content of the cell; the best stands in bold."""
        text = f"<strong>{escape(self.text)}</strong>" if self.best else escape(self.text)
        return text + (f"<small>{escape(self.detail)}</small>" if self.detail else "")


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and whether numbers stand below it, which are set to the right."""

    name: str
    numeric: bool = True

    @property
    def kind(self) -> str:
        """The class of its cells."""
        return ' class="number"' if self.numeric else ""


@final
@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns; the first cell of a row names it. A wide table scrolls inside its own box.

    `looks` gives each row the colour (a place in `COLOURS`) that its curve has; empty for a table without curves.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    looks: tuple[int, ...] = ()

    def body(self) -> str:
        head = "".join(f'<th scope="col"{column.kind}>{escape(column.name)}</th>' for column in self.columns)
        keys = [f'<i class="key c{place}"></i>' for place in self.looks] or [""] * len(self.rows)
        rows = "".join(self._row(key, row) for key, row in zip(keys, self.rows, strict=True))
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        label = escape(self.title or self.caption)
        return f'{caption}<div class="scroll" tabindex="0" role="group" aria-label="{label}">{table}</div>'

    def _row(self, key: str, row: tuple[Cell, ...]) -> str:
        name, *values = row
        cells = "".join(
            f"<td{column.kind}>{cell.html()}</td>" for column, cell in zip(self.columns[1:], values, strict=True)
        )
        return f'<tr><th scope="row"{self.columns[0].kind}>{key}<span>{name.html()}</span></th>{cells}</tr>'
