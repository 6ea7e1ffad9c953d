"""Where events, rewards and the journal are kept: one contract, on SQLite and on PostgreSQL."""

from pathlib import Path

from kernelbandits.service.storage.database import (
    MIGRATIONS,
    Busy,
    Database,
    StorageUnavailable,
    Transaction,
    keep_file,
    kept_file,
    migrate,
)
from kernelbandits.service.storage.sqlite import SqliteDatabase


def open_database(address: str) -> Database:
    """Return the database at `postgresql://…`, or in a file."""
    if address.startswith(("postgresql://", "postgres://")):
        from kernelbandits.service.storage.postgres import PostgresDatabase

        return PostgresDatabase(address)
    return SqliteDatabase(Path(address))
