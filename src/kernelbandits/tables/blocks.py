"""What the encoders of numbers and of categories hand back."""

from __future__ import annotations

from typing import NamedTuple

from kernelbandits.types import Array


class Block(NamedTuple):
    """Encoded columns: points of shape (n, p), p names, and what to tell."""

    points: Array
    names: list[str]
    notes: list[str]
