"""Contexts that stay in their table: encoded for some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from kernelbandits.tables import TableEncoder
from kernelbandits.types import Array

if TYPE_CHECKING:
    from kernelbandits.tables import RowBlocks

BLOCK = 65_536
"""Rows that are in memory at a time."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class TableContexts:
    """The contexts of a table of n rows in a file; `contexts[start:stop]` reads and encodes a block, shape (b, d)."""

    rows: RowBlocks
    columns: tuple[str, ...]
    encoder: TableEncoder

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self.rows.n, self.encoder.dim

    @property
    def ndim(self) -> int:
        """2: all arms share a context."""
        return 2

    def __getitem__(self, part: slice) -> Array:
        start, stop, _ = part.indices(self.rows.n)
        frame = self.rows.block(start, stop, self.columns)
        file = f"{self.rows.name}, after row {start:,}" if start else self.rows.name
        return self.encoder.transform_frame(frame, file)
