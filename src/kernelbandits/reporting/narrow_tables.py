"""Tables that are wider than a terminal: as parts below each other, or with one line per entry."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

GAP = 2
"""Blanks between two columns."""
_NARROW = 16  # columns of text are not made narrower than this, unless they are
_EQUALS = "\xa0=\xa0"  # formulas such as `d = 100` are not broken


class Grid(NamedTuple):
    """Headings, whether each column has numbers, rows of entries, and the widths of the columns."""

    heads: Sequence[Text]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[Text]]
    widths: Sequence[int]


def narrowed(whole: Grid, width: int) -> list[Grid]:
    """The table in parts, none wider than `width`; empty if not even two columns fit side by side.

    Numbers and the names of rows stay whole; headings and other texts are broken between words.
    """
    from rich.text import Text

    least = []
    for i, head in enumerate(whole.heads):
        entries = [row[i] for row in whole.rows]
        word, longest = _longest_word([head]), max((entry.cell_len for entry in entries), default=0)
        text = min(whole.widths[i], max(word, _NARROW, _longest_word(entries)))
        least.append(max(word, longest) if whole.numeric[i] or i == 0 else text)
    if len(least) == 1 or any(_total([least[0], other]) > width for other in least[1:]):
        return []
    parts = []
    for part in _parts(least, width):
        heads, widths, left = [], [], width - _total([least[i] for i in part])
        for i in part:  # what is left over is for texts
            more = 0 if whole.numeric[i] else min(left, whole.widths[i] - least[i])
            widths.append(least[i] + more)
            left -= more
            title = whole.heads[i].plain.replace(" = ", _EQUALS)
            lines = wrap(title, widths[-1], break_long_words=False, break_on_hyphens=False)
            heads.append(Text("\n".join(lines).replace(_EQUALS, " = ")))
        numeric, rows = [whole.numeric[i] for i in part], [[row[i] for i in part] for row in whole.rows]
        parts.append(Grid(heads, numeric, rows, widths))
    return parts


def _longest_word(texts: Sequence[Text]) -> int:
    from rich.cells import cell_len

    return max((cell_len(word) for text in texts for word in text.plain.replace(" = ", _EQUALS).split(" ")), default=0)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


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


def listed(heads: Sequence[Text], rows: Sequence[Sequence[Text]]) -> RenderableType:
    """One line per entry, for windows in which not even two columns fit."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for name, *others in rows:
        lines.append(Text(name.plain, "bold"))
        lines += [Text.assemble(f"  {head}: ", entry) for head, entry in zip(heads[1:], others, strict=True)]
    return Group(*lines, Text(""))
