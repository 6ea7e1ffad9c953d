"""The one place for how pictures look: colours, dashes, markers, bands, legends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

# Okabe and Ito's palette, which colour-blind readers can tell apart, and four darker ones of Tol's; dashes and markers
# serve black and white.
COLOURS = (
    *("#000000", "#D55E00", "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#7F7F7F"),
    *("#332288", "#882255", "#8C8C1A", "#8B5A2B"),
)
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (1, 1), (5, 1.5, 1, 1.5))
_MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*", "<", ">", "p", "d")
PAPER = (
    *("EtC", "EtC-Ridge", "EtC-Linear", "EtC-Linear-Ridge"),
    *("CGP-UCB", "CGP-UCB-Ridgeless", "CGP-UCB-Scaled", "CGP-UCB-Scaled-Ridgeless"),
)
"""The paper's eight have the same look in every picture, in this order."""

QUIET, FRAME, SHADE = "0.45", "0.92", "0.9"
LINE: dict[str, Any] = {"linewidth": 1.4, "markersize": 4.5}
BAND, BAND_EDGE = 0.12, 0.5
"""How opaque a band is. Its edges stay visible where bands lie on top of each other and their areas mix."""
LEGEND: dict[str, Any] = {"frameon": False, "handlelength": 3.4, "fontsize": 9}
ROOM = 0.02
"""Share of an axis that is left free beyond given limits, so that no marker at the edge is cut."""


@final
@dataclass(frozen=True, slots=True)
class Look:
    """An index into `COLOURS`, dashes as lengths on and off in line widths, and matplotlib's name of the marker."""

    colour: int
    dashes: tuple[float, ...] = ()
    marker: str = ""


def look(i: int) -> Look:
    """The i-th look. From the thirteenth on colours come again, with another dash and marker."""
    turn = i + i // len(COLOURS)
    return Look(i % len(COLOURS), _DASHES[turn % len(_DASHES)], _MARKERS[turn % len(_MARKERS)])


def looks(names: Iterable[str], order: Sequence[str] = ()) -> dict[str, Look]:
    """One look per name of a picture: the paper's methods have theirs, the others take those that are free.

    Looks are given out in the order of `order` first, then of the names. Names of `order` that are not in the picture
    keep theirs free as long as there are colours enough, so that part of an experiment looks as the whole does.
    """
    names = dict.fromkeys(names)
    places = list(dict.fromkeys((*order, *names)))
    if len(places) > len(COLOURS):
        places = [name for name in places if name in names]
    taken = [PAPER.index(name) for name in places if name in PAPER]
    free = (i for i in range(len(PAPER) + len(places)) if i not in taken)
    given = dict.fromkeys(names, look(0))
    for name in places:
        i = PAPER.index(name) if name in PAPER else next(free)
        if name in given:
            given[name] = look(i)
    return given


def spread(n: int, height: float = 0.56) -> list[float]:
    """Offsets of n marks in one row of a dot plot, so that none hides another: evenly from above to below."""
    return [0.0] if n < 2 else [height * (i / (n - 1) - 0.5) for i in range(n)]
