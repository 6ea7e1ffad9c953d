"""Texts and tables for a terminal of any width: numbers are never wrapped, and a wide table is turned or split."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from kernelbandits.errors import visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_GAP = 2  # blanks between two columns
_NARROW = 16  # columns of text are not made narrower than this, unless they are
_USUAL_WIDTH = 80
_EQUALS = "\xa0=\xa0"  # formulas such as `d = 100` are not broken


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


def fitted(
    heads: Sequence[Text], numeric: Sequence[bool], rows: Sequence[Sequence[Text]], width: int
) -> Iterator[RenderableType]:
    """Yield the table, or parts of it below each other, none wider than `width`; `numeric` are columns of numbers."""
    from rich.text import Text

    longest, natural = _widths(heads, rows)
    if _total(natural) <= width:
        yield _grid(heads, numeric, rows, natural)
        return
    if len(rows) < len(heads) - 1 and all(numeric[1:]):  # with rows as columns
        turned_heads = [Text(), *(Text(row[0].plain) for row in rows)]
        turned = [[head, *(row[i] for row in rows)] for i, head in enumerate(heads) if i]
        _, turned_widths = _widths(turned_heads, turned)
        if _total(turned_widths) <= width:
            yield _grid(turned_heads, [False, *(True for _ in rows)], turned, turned_widths)
            return
    least = []  # numbers and the names of rows stay whole; headings and other texts are broken between words
    for i, head in enumerate(heads):
        word = _longest_word([head])
        whole = numeric[i] or i == 0
        text = max(word, _NARROW, _longest_word([row[i] for row in rows]))
        least.append(max(word, longest[i]) if whole else min(natural[i], text))
    if len(heads) == 1 or any(_total([least[0], other]) > width for other in least[1:]):
        yield _list(heads, rows)
        return
    for number, part in enumerate(_parts(least, width)):
        widths, left = [], width - _total([least[i] for i in part])
        for i in part:  # what is left over is for texts
            more = 0 if numeric[i] else min(left, natural[i] - least[i])
            widths.append(least[i] + more)
            left -= more
        if number:
            yield ""
        own = [[row[i] for i in part] for row in rows]
        yield _grid([heads[i] for i in part], [numeric[i] for i in part], own, widths)


def _widths(heads: Sequence[Text], rows: Sequence[Sequence[Text]]) -> tuple[list[int], list[int]]:
    """How wide the longest entry of each column is, without and with its heading."""
    longest = [max((row[i].cell_len for row in rows), default=0) for i in range(len(heads))]
    return longest, [max(head.cell_len, width) for head, width in zip(heads, longest, strict=True)]


def _longest_word(texts: Sequence[Text]) -> int:
    from rich.cells import cell_len

    return max((cell_len(word) for text in texts for word in text.plain.replace(" = ", _EQUALS).split(" ")), default=0)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _parts(least: Sequence[int], width: int) -> list[list[int]]:
    """Groups of columns that fit side by side, each with the first one, as equal in number as that allows."""

    def greedy(most: int) -> list[list[int]]:
        groups: list[list[int]] = [[0]]
        for i in range(1, len(least)):
            own = groups[-1]
            if len(own) > 1 and (len(own) > most or _total([least[j] for j in (*own, i)]) > width):
                groups.append([0])
            groups[-1].append(i)
        return groups

    groups = greedy(len(least))
    even = greedy(-(-(len(least) - 1) // len(groups)))
    return even if len(even) == len(groups) else groups


def _grid(
    heads: Sequence[Text], numeric: Sequence[bool], rows: Sequence[Sequence[Text]], widths: Sequence[int]
) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for head, number, width in zip(heads, numeric, widths, strict=True):
        lines = wrap(head.plain.replace(" = ", _EQUALS), width, break_long_words=False, break_on_hyphens=False)
        text = Text("\n".join(lines).replace(_EQUALS, " = "))
        grid.add_column(text, justify="right" if number else "left", width=width, no_wrap=number)
    for row in rows:
        grid.add_row(*row)
    return grid


def _list(heads: Sequence[Text], rows: Sequence[Sequence[Text]]) -> RenderableType:
    """One line per entry, for windows in which not even two columns fit."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for name, *others in rows:
        lines.append(Text(name.plain, "bold"))
        lines += [Text.assemble(f"  {head}: ", entry) for head, entry in zip(heads[1:], others, strict=True)]
    return Group(*lines, Text(""))
