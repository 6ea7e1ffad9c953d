"""The synthetic stand-in as a file, of any size."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO

from kernelbandits import checks
from kernelbandits.environments.avazu.standin import standin_blocks
from kernelbandits.errors import InvalidArgument

_COMPRESSION = 4  # higher levels take several times as long for a few per cent


def write_standin(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write `n_rows` synthetic rows in the Avazu schema, block by block; the file is there whole or not at all.

    The same bytes for the same rows and seed. The ending says whether to compress: .csv or .csv.gz.
    """
    checks.whole("n_rows", n_rows, at_least=1)
    checks.whole("seed", seed, at_least=0)
    if not path.name.lower().endswith((".csv", ".csv.gz")):
        raise InvalidArgument(f"the file must end in .csv or .csv.gz; got {path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as raw:
            if path.name.lower().endswith(".gz"):
                with gzip.GzipFile("", "wb", _COMPRESSION, raw, mtime=0) as file:
                    _write_blocks(file, n_rows, seed)
            else:
                _write_blocks(raw, n_rows, seed)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _write_blocks(file: gzip.GzipFile | IO[bytes], n_rows: int, seed: int) -> None:
    for block in standin_blocks(n_rows, seed):
        file.write(block.rows.write_csv(include_header=block.start == 0).encode())
