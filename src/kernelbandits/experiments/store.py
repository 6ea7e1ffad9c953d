"""The store of finished runs: one file per cell, with a digest of what is in it."""

from __future__ import annotations

import hashlib
import logging
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile
from kernelbandits.experiments.grid import Cell
from kernelbandits.reporting import replacing

Rows = NDArray[np.void]
"""What is kept of a run: (arm, regret) of every round."""

ROW = np.dtype([("arm", "<i4"), ("regret", "<f8")])
_HEADER, _DIGEST = 128, 32  # bytes before and after the rows

logger = logging.getLogger("kernelbandits.experiments")


@final
@dataclass(frozen=True, slots=True)
class Store:
    """An absolute folder with one file per finished cell, named by the cell's fingerprint.

    A file is an array as `numpy.save` writes it, followed by the SHA-256 of fingerprint and array. A cell is there
    whole or not at all, whatever kills the process; one that was damaged later is computed again.
    """

    cells: Path

    def save(self, fingerprint: str, rows: Rows) -> None:
        """Write a cell so that no reader ever sees half of it."""
        path = self.cells / f"{fingerprint}.npy"
        if path.is_dir():  # a file can replace anything else
            path.rename(path.with_suffix(f".{secrets.token_hex(4)}.damaged"))
        file = BytesIO()
        np.save(file, rows)
        array = file.getvalue()
        with replacing(path) as part:
            part.write_bytes(array + hashlib.sha256(fingerprint.encode() + array).digest())

    def load(self, cell: Cell) -> Rows:
        """The rows of a cell; raises FileNotFoundError if there is none, `InvalidFile` if its file is damaged."""
        path = self.cells / f"{cell.fingerprint}.npy"
        size = _HEADER + cell.horizon * ROW.itemsize
        try:
            facts = path.stat()
            if not stat.S_ISREG(facts.st_mode):  # a pipe would have to be waited for
                raise InvalidFile(f"{path.name} is not a file")
            if facts.st_size != size + _DIGEST:
                raise InvalidFile(f"{path.name} has {facts.st_size} bytes instead of {size + _DIGEST}")
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileNotFoundError(f"{path.name} is not in {self.cells}") from error
        except OSError as error:
            raise InvalidFile(f"{path.name} cannot be read: {error.strerror}") from error
        array = content[:size]
        if content[size:] != hashlib.sha256(cell.fingerprint.encode() + array).digest():
            raise InvalidFile(f"{path.name} does not match its digest")
        return np.frombuffer(array, ROW, offset=_HEADER)

    def unfinished(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells that must be computed. Warns of damaged ones, and of those that other arithmetic has computed."""
        found, damage = [], []
        for cell in cells:
            try:
                self.load(cell)
            except FileNotFoundError:
                found.append(cell)
            except InvalidFile as error:
                found.append(cell)
                damage.append(str(error))
        if damage:
            logger.warning(
                "%d of the runs kept in %s are damaged and are computed again: %s%s",
                *(len(damage), self.cells, damage[0], ", …" * (len(damage) > 1)),
            )
        own = dict(cell.fingerprint.split("-", 1) for cell in found)  # content → arithmetic
        kept = [path.stem.split("-", 1) for path in self.cells.glob("*-*.npy")]
        elsewhere = [content for content, arithmetic in kept if own.get(content, arithmetic) != arithmetic]
        if elsewhere:
            logger.warning(
                "%d of the runs kept in %s come from another kind of processor, or another numpy, scipy or BLAS, and "
                "may differ in their last bits; these are computed again, and both are kept",
                *(len(set(elsewhere)), self.cells),
            )
        return found
