"""Files that the database keeps, by their digest: logs and bundles that replays begin from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from kernelbandits.errors import InvalidFile
from kernelbandits.service.storage.database import Database, Transaction


def keep_file(tx: Transaction, path: Path) -> str:
    """Keep a copy of a file; returns its digest."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    sql = "INSERT INTO files (digest, name, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    tx.change(sql, (digest, path.name, content))
    return digest


@contextmanager
def kept_file(database: Database, digest: str) -> Iterator[Path]:
    """A file that was kept, until the block ends."""
    with database.read() as tx:
        row = tx.one("SELECT name, content FROM files WHERE digest = ?", (digest,))
    if row is None:
        raise InvalidFile(f"the file {digest}, which the journal begins from, is not in the database")
    with TemporaryDirectory() as folder:
        path = Path(folder) / row[0]
        path.write_bytes(row[1])
        yield path
