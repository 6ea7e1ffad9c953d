"""Sections that are tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from rich.console import RenderableType


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One cell of a table.

    Attributes:
        text: the content.
        detail: smaller text below it, on the page only.
        best: whether it is shown in bold.
        tone: its colour: "green", "red", "yellow", or "" for none.

    """

    text: str
    detail: str = ""
    best: bool = False
    tone: str = ""

    def html(self) -> str:
        """The content of the cell."""
        text = f'<span class="{self.tone}">{escape(self.text)}</span>' if self.tone else escape(self.text)
        text = f"<strong>{text}</strong>" if self.best else text
        return text + (f"<small>{escape(self.detail)}</small>" if self.detail else "")


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A heading. Numeric columns are aligned to the right."""

    name: str
    numeric: bool = True

    def kind(self) -> str:
        """The HTML class of its cells."""
        return ' class="number"' if self.numeric else ""


@final
@dataclass(frozen=True, slots=True)
class Table:
    """Rows of entries under columns; the first entry of a row names it. On a page, a wide table scrolls in its box.

    `colours` gives each row the colour of its curve, as an index into `COLOURS`; empty for a table without curves.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    caption: str = ""
    colours: tuple[int, ...] = ()

    def html(self) -> str:
        head = "".join(f'<th scope="col"{column.kind()}>{escape(column.name)}</th>' for column in self.columns)
        keys = [f'<i class="key c{colour}"></i>' for colour in self.colours] or [""] * len(self.rows)
        rows = "".join(self._row(key, row) for key, row in zip(keys, self.rows, strict=True))
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        label = escape(self.title or self.caption)
        return f'{caption}<div class="scroll" tabindex="0" role="group" aria-label="{label}">{table}</div>'

    def _row(self, key: str, row: tuple[Entry, ...]) -> str:
        first, *others = (f"{column.kind()}>{entry.html()}" for column, entry in zip(self.columns, row, strict=True))
        kind, _, name = first.partition(">")
        cells = "".join(f"<td{cell}</td>" for cell in others)
        return f'<tr><th scope="row"{kind}>{key}<span>{name}</span></th>{cells}</tr>'

    def terminal(self) -> Iterable[RenderableType]:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Grid
        from rich.text import Text

        title = ". ".join(part for part in (self.title, self.caption) if part)
        grid = Grid(box=SIMPLE_HEAD, pad_edge=False)
        for i, column in enumerate(self.columns):
            grid.add_column(Text(column.name), justify="right" if column.numeric else "left", no_wrap=i == 0)
        for row in self.rows:
            grid.add_row(*(Text(entry.text, f"{'bold ' * entry.best}{entry.tone}".strip()) for entry in row))
        return [Text(title, "bold"), grid]
