"""Tables for a terminal of any width: numbers are never wrapped; a table that is too wide is turned or split."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, final

from kernelbandits.errors import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

_GAP = 2  # blanks between two columns
_NARROW = 16  # columns of text are not made narrower than this, unless they are
_USUAL_WIDTH = 80
_BOUND = "\xa0"


def terminal_width() -> int:
    """The columns to write for: $COLUMNS, else those of the terminal that any standard stream is, else 80.

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


@final
@dataclass(frozen=True, slots=True)
class TableCell:
    """A text and its style, in the words of rich."""

    text: str
    style: str = ""


@final
@dataclass(frozen=True, slots=True)
class FittedTable:
    """A table that rich lays out for the width at hand. `numeric` says of each column whether it holds numbers."""

    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        width = options.max_width
        for table in (self, self.turned()) if self._can_turn() else (self,):
            every = range(len(table.heads))
            if _total(natural := table._natural(every)) <= width:
                yield table._grid(every, natural)
                return
        for i, part in enumerate(self.parts(width)):
            if i:
                yield ""
            yield self._grid(part, self._widths(part, width)) if len(part) > 1 else self._list()

    def _can_turn(self) -> bool:
        return len(self.rows) < len(self.heads) - 1 and all(self.numeric[1:])

    def turned(self) -> FittedTable:
        """The same with rows as columns."""
        heads = ("", *(row[0].text for row in self.rows))
        rows = tuple((TableCell(self.heads[i]), *(row[i] for row in self.rows)) for i in range(1, len(self.heads)))
        return FittedTable(heads, (False, *(True for _ in self.rows)), rows)

    def parts(self, width: int) -> list[list[int]]:
        """Groups of columns that fit side by side, each with the first one; only [0] if not even two fit."""
        least = self._least()
        others = range(1, len(self.heads))
        if any(_total([least[0], least[i]]) > width for i in others):
            return [[0]]
        groups = _greedy(least, others, width, len(self.heads))
        even = _greedy(least, others, width, -(-len(others) // len(groups)))
        return even if len(even) == len(groups) else groups

    def _longest(self, column: int) -> int:
        return max((_cells(row[column].text) for row in self.rows), default=0)

    def _natural(self, columns: Sequence[int]) -> list[int]:
        return [max(_cells(self.heads[i]), self._longest(i)) for i in columns]

    def _least(self) -> list[int]:
        """Numbers and the names of rows stay whole; headings and other texts are broken between words."""
        widths = []
        for i, natural in enumerate(self._natural(range(len(self.heads)))):
            word = max(map(_cells, _words(self.heads[i])), default=0)
            whole = self.numeric[i] or i == 0
            words = [_cells(word) for row in self.rows for word in _words(row[i].text)]
            widths.append(max(word, self._longest(i)) if whole else min(natural, max(word, _NARROW, *words, 0)))
        return widths

    def _widths(self, part: Sequence[int], width: int) -> list[int]:
        """The least widths, and what is left over for texts."""
        least, natural = self._least(), self._natural(range(len(self.heads)))
        widths = {i: least[i] for i in part}
        left = width - _total([*widths.values()])
        for i in part:
            more = 0 if self.numeric[i] else min(left, natural[i] - widths[i])
            widths[i] += more
            left -= more
        return [widths[i] for i in part]

    def _grid(self, part: Sequence[int], widths: Sequence[int]) -> RenderableType:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
        for i, width in zip(part, widths, strict=True):
            text = _together(visible(self.heads[i]))
            head = "\n".join(wrap(text, width, break_long_words=False, break_on_hyphens=False)).replace(_BOUND, " ")
            number = self.numeric[i]
            grid.add_column(Text(head), justify="right" if number else "left", width=width, no_wrap=number)
        for row in self.rows:
            grid.add_row(*(Text(visible(row[i].text), row[i].style) for i in part))
        return grid

    def _list(self) -> RenderableType:
        """One line per entry, for windows in which not even two columns fit."""
        from rich.console import Group
        from rich.text import Text

        lines = []
        for row in self.rows:
            lines.append(Text(visible(row[0].text), "bold"))
            lines += [
                Text.assemble(f"  {visible(head)}: ", (visible(cell.text), cell.style))
                for head, cell in zip(self.heads[1:], row[1:], strict=True)
            ]
        return Group(*lines, Text(""))


def _greedy(least: Sequence[int], others: Sequence[int], width: int, most: int) -> list[list[int]]:
    groups: list[list[int]] = [[0]]
    for i in others:
        if len(groups[-1]) > 1 and (len(groups[-1]) > most or _total([least[j] for j in (*groups[-1], i)]) > width):
            groups.append([0])
        groups[-1].append(i)
    return groups


def _together(text: str) -> str:
    """Formulas such as `d = 100` are not broken."""
    return text.replace(" = ", f"{_BOUND}={_BOUND}")


def _words(text: str) -> list[str]:
    return _together(text).split(" ")


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(visible(text))
