"""The tables, as numbered steps from the first release on. A step that was published is never changed."""

from __future__ import annotations

from kernelbandits.errors import InvalidFile
from kernelbandits.service.storage.database import Database

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)""",
        """CREATE TABLE events (
            n {number}, id TEXT NOT NULL UNIQUE, time BIGINT NOT NULL, due BIGINT NOT NULL, version BIGINT NOT NULL,
            revision BIGINT NOT NULL, arm TEXT NOT NULL, preferred TEXT NOT NULL, propensity {real} NOT NULL,
            ranking TEXT NOT NULL, request TEXT NOT NULL, control INTEGER NOT NULL, active INTEGER NOT NULL,
            settled INTEGER NOT NULL DEFAULT 0, outcome {real}, fate TEXT)""",
        "CREATE INDEX events_due ON events (due) WHERE settled = 0 AND active = 1",
        """CREATE TABLE rewards (
            n {number}, event_id TEXT NOT NULL, reward_id TEXT NOT NULL, value {real} NOT NULL, time BIGINT NOT NULL,
            fate TEXT, UNIQUE (event_id, reward_id))""",
        "CREATE INDEX rewards_new ON rewards (n) WHERE fate IS NULL",
        """CREATE TABLE arms (name TEXT PRIMARY KEY, removed INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE journal (
            seq BIGINT PRIMARY KEY, kind TEXT NOT NULL, event_id TEXT, arm TEXT, value {real}, detail TEXT,
            time BIGINT NOT NULL)""",
    ),
    (
        """CREATE TABLE snapshots (
            version BIGINT PRIMARY KEY, time BIGINT NOT NULL, statistics TEXT NOT NULL, bundle {bytes})""",
        "CREATE TABLE files (digest TEXT PRIMARY KEY, name TEXT NOT NULL, content {bytes} NOT NULL)",
    ),
    (
        """CREATE TABLE counters (
            worker TEXT NOT NULL, name TEXT NOT NULL, value {real} NOT NULL, PRIMARY KEY (worker, name))""",
    ),
    ("CREATE INDEX events_time ON events (time)",),
    ("CREATE INDEX events_by_due ON events (due, n)",),
)


def migrate(database: Database, steps: tuple[tuple[str, ...], ...] = MIGRATIONS) -> int:
    """Bring the tables to the newest form, all steps or none; returns how many steps were taken."""
    with database.write() as tx:
        tx.change("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done: int = tx.value("SELECT coalesce(max(number), 0) FROM migrations")
        if done > len(steps):
            raise InvalidFile(
                f"the database was written by a newer release (schema {done}, this one knows {len(steps)}); "
                "install that release, or restore a backup"
            )
        for number, statements in enumerate(steps[done:], start=done + 1):
            for statement in statements:
                tx.change(statement.format(**database.kinds))
            tx.change("INSERT INTO migrations (number) VALUES (?)", (number,))
    return len(steps) - done
