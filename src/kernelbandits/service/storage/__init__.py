"""Where events, rewards and the journal are kept: one contract, on SQLite and on PostgreSQL."""

from kernelbandits.service.storage.addresses import open_database
from kernelbandits.service.storage.database import Busy, Database, StorageUnavailable, Transaction
from kernelbandits.service.storage.migrations import MIGRATIONS, migrate
from kernelbandits.service.storage.sqlite import SqliteDatabase
