"""Documents of sections and tables, shown in a terminal, as an HTML page or as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from io import StringIO
from math import isfinite
from string import Template
from typing import TYPE_CHECKING, Any, final

from kernelbandits.errors import visible
from kernelbandits.reporting.narrow_tables import GAP, Grid, listed, narrowed
from kernelbandits.reporting.styles import COLOURS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from kernelbandits.reporting.sections import Section

_USUAL_WIDTH = 80
_SCRIPTS = ("scales.js", "chart.js", "page.js")


def terminal_width() -> int:
    """The width to write for: $COLUMNS, else that of the first standard stream that is a terminal, else 80.

    So `| less` gets what the terminal would show.
    """
    if os.environ.get("COLUMNS", "").isdigit() and int(os.environ["COLUMNS"]) > 0:
        return int(os.environ["COLUMNS"])
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            if stream is not None and (columns := os.get_terminal_size(stream.fileno()).columns) > 0:
                return columns
        except (OSError, ValueError):  # no terminal, or closed
            continue
    return shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns


def terminal_text(text: str, style: str = "") -> Text:
    """A text for a terminal, letter by letter: neither markup nor control characters have an effect."""
    from rich.text import Text

    return Text(visible(text), style)


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One cell of a table: the text, smaller text below it on the page only, whether it is bold, and its colour.

    The tone is "green", "red", "yellow", or "" for none.
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
        kinds = [' class="number"' if column.numeric else "" for column in self.columns]
        head = "".join(
            f'<th scope="col"{kind}>{escape(column.name)}</th>'
            for kind, column in zip(kinds, self.columns, strict=True)
        )
        keys = [f'<i class="key c{colour}"></i>' for colour in self.colours] or [""] * len(self.rows)
        rows = ""
        for key, row in zip(keys, self.rows, strict=True):
            name, *others = (entry.html() for entry in row)
            cells = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds[1:], others, strict=True))
            rows += f'<tr><th scope="row"{kinds[0]}>{key}<span>{name}</span></th>{cells}</tr>'
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        label = escape(self.title or self.caption)
        return f'{caption}<div class="scroll" tabindex="0" role="group" aria-label="{label}">{table}</div>'

    def terminal(self) -> list[RenderableType]:
        """The table as it is, else with its rows as columns, else in parts: whatever fits the terminal first."""
        from rich import box, table

        heads = [terminal_text(column.name) for column in self.columns]
        numeric = [column.numeric for column in self.columns]
        rows = [
            [terminal_text(entry.text, f"{'bold ' * entry.best}{entry.tone}") for entry in row] for row in self.rows
        ]
        layouts = [(heads, numeric, rows)]
        if len(rows) < len(heads) - 1 and all(numeric[1:]):
            names = [terminal_text(""), *(terminal_text(row[0].text) for row in self.rows)]
            turned = [[head, *(row[i] for row in rows)] for i, head in enumerate(heads) if i]
            layouts.append((names, [False] + [True] * len(rows), turned))
        grids = [
            Grid(*layout, [max(text.cell_len for text in column) for column in zip(layout[0], *layout[2], strict=True)])
            for layout in layouts
        ]
        width = terminal_width()
        fitting = [grid for grid in grids if sum(grid.widths) + GAP * (len(grid.widths) - 1) <= width]
        title = ". ".join(part for part in (self.title, self.caption) if part)
        shown: list[RenderableType] = [terminal_text(title, "bold")]
        for grid in fitting[:1] or narrowed(grids[0], width):
            part = table.Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
            for head, number, its_width in zip(grid.heads, grid.numeric, grid.widths, strict=True):
                part.add_column(head, justify="right" if number else "left", width=its_width, no_wrap=number)
            for row in grid.rows:
                part.add_row(*row)
            shown += ["", part]
        return [*shown, *(() if len(shown) > 1 else ("", listed(heads, rows))), ""]

    def lines(self) -> list[str]:
        """The rows under their heads as plain text that fits the terminal."""
        from rich.console import Console

        page = StringIO()
        console = Console(width=terminal_width(), file=page, color_system=None)
        for grid in self.terminal()[2:-1]:  # without title and margin
            console.print(grid)
        return [line.rstrip() for line in page.getvalue().splitlines()]


@final
@dataclass(frozen=True, slots=True)
class Document:
    """Sections under a title; `lead` is a few words below it, `record` the same content as plain data."""

    title: str
    sections: tuple[Section, ...]
    lead: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """One self-contained page. Its policy lets the browser run only the script inside, and load nothing."""
        palette = " ".join(f"--c{i}: {colour};" for i, colour in enumerate(COLOURS))
        style = f":root {{ {palette} }}\n{_asset('report.css')}"
        script = "(() => {\n" + "\n".join(_asset(name) for name in _SCRIPTS) + "})();\n"
        titles = [escape(section.title) for section in self.sections]
        return Template(_asset("page.html")).substitute(
            title=escape(self.title),
            lead="".join(f"<li>{escape(part)}</li>" for part in self.lead),
            policy=f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}",
            style=style,
            script=script,
            contents="".join(f'<li><a href="#part-{i}">{title}</a></li>' for i, title in enumerate(titles)),
            sections="".join(
                f'<section id="part-{i}" aria-labelledby="title-{i}"><h2 id="title-{i}">{titles[i]}</h2>'
                f"{section.html()}</section>\n"
                for i, section in enumerate(self.sections)
            ),
        )

    def json(self, indent: int | None = None) -> str:
        """The record as JSON: arrays become lists, NaN and ±∞ become null."""
        return json.dumps(_plain(self.record), ensure_ascii=False, indent=indent)

    def show(self, *closing: str) -> None:
        """Print texts and tables, then the closing lines. Pictures, settings and provenance are for the page."""
        from rich.console import Console

        page = StringIO()
        plain = sys.stdout is None or not sys.stdout.isatty()
        kind: dict[str, Any] = {"file": page, "color_system": None} if plain else {"highlight": False}
        console = Console(width=terminal_width(), **kind)
        # Through a pipe, tables fit as well; texts are left for whoever reads them to wrap.
        for section in self.sections:
            for item in section.terminal():
                console.print(item, soft_wrap=plain)
        for line in closing:
            console.print(terminal_text(line), soft_wrap=plain)
        if plain:
            print("\n".join(line.rstrip() for line in page.getvalue().splitlines()))  # noqa: T201


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as one line of JSON, for other programs; in ASCII, which any of them can read."""
    print(json.dumps(_plain(record)))  # noqa: T201


def _plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as Python's; what is not a finite number becomes None."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The hash by which a content policy names an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
