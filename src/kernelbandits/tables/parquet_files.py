"""Parquet files, each first read in a process of its own: polars ends the process on some damaged ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.linalg import available_memory, require_memory

_BYTES_PER_VALUE = 16
_TOO_LARGE = 3
_TRIAL = f"""
import sys, polars
try:
    scan = polars.scan_parquet(sys.argv[1], glob=False)
    size = {_BYTES_PER_VALUE} * scan.select(polars.len()).collect().item() * len(scan.collect_schema())
    if size > int(sys.argv[2]):
        print(size)
        sys.exit({_TOO_LARGE})
    polars.read_parquet(sys.argv[1], glob=False)
except Exception:  # the next process can say what it is
    pass
"""


def read_parquet(path: Path) -> pl.DataFrame:
    """Read a parquet file whole; refuse one that is damaged or larger than memory."""
    command = [sys.executable, "-P", "-c", _TRIAL, str(path.absolute()), str(available_memory())]
    trial = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (the path is an argument, no code)
    if trial.returncode == _TOO_LARGE:
        require_memory(int(trial.stdout), path.name, "leave out rows or columns")
    if trial.returncode:
        raise InvalidFile(f"{path.name} cannot be read: its content is damaged; get the file again")
    return pl.read_parquet(path, glob=False)
