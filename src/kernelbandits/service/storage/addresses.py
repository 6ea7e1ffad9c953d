"""Databases by their address."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.service.storage.database import Database
from kernelbandits.service.storage.sqlite import SqliteDatabase

POSTGRES = ("postgresql://", "postgres://")


def open_database(address: str) -> Database:
    """Return the database at `postgresql://…`, or in a file."""
    if address.startswith(POSTGRES):
        from kernelbandits.service.storage.postgres import PostgresDatabase

        return PostgresDatabase(address)
    return SqliteDatabase(Path(address))
