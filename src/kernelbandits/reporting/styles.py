"""The look of a method, the same in every picture and report: colour, dash and marker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

# Okabe & Ito's palette, told apart by colour-blind readers; line styles and markers tell them apart in black and white.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#7F7F7F")
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (1, 1), (5, 1.5, 1, 1.5))
_MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")
_PLACES = (
    "EtC",
    "EtC-Ridge",
    "EtC-Linear",
    "EtC-Linear-Ridge",
    "CGP-UCB",
    "CGP-UCB-Ridgeless",
    "CGP-UCB-Scaled",
    "CGP-UCB-Scaled-Ridgeless",
)


@final
@dataclass(frozen=True, slots=True)
class Look:
    """A place in `COLOURS`, dashes as lengths on and off in line widths, and matplotlib's name of the marker."""

    colour: int
    dashes: tuple[float, ...]
    marker: str


def look(i: int) -> Look:
    """The i-th look; the ninth has another dash and marker than the first."""
    turn = i + i // len(COLOURS)
    return Look(i % len(COLOURS), _DASHES[turn % len(_DASHES)], _MARKERS[turn % len(_MARKERS)])


def places(methods: Sequence[str]) -> dict[str, int]:
    """Which look each method has: always the same one for the paper's, the free ones for the others."""
    order = [*_PLACES, *(method for method in methods if method not in _PLACES)]
    return {method: order.index(method) for method in methods}
