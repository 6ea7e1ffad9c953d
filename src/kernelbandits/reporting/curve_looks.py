"""How curves are told apart: colours, dashes and markers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

# Okabe and Ito's palette, which colour-blind readers can tell apart; dashes and markers serve black and white.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#7F7F7F")
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (1, 1), (5, 1.5, 1, 1.5))
_MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")


@final
@dataclass(frozen=True, slots=True)
class Look:
    """An index into `COLOURS`, dashes as lengths on and off in line widths, and matplotlib's name of the marker."""

    colour: int
    dashes: tuple[float, ...] = ()
    marker: str = ""


def look(i: int) -> Look:
    """The i-th look. The ninth has the colour of the first with another dash and marker."""
    turn = i + i // len(COLOURS)
    return Look(i % len(COLOURS), _DASHES[turn % len(_DASHES)], _MARKERS[turn % len(_MARKERS)])


def looks(names: Iterable[str], order: Sequence[str] = ()) -> dict[str, Look]:
    """One look per name, given out in the order of `order` first, then of the names."""
    names = list(dict.fromkeys(names))
    places = list(dict.fromkeys((*order, *names)))
    return dict(zip(names, [look(places.index(name)) for name in names], strict=True))
