"""Where events, rewards and the journal are kept: one contract, on SQLite and on PostgreSQL."""

from kernelbandits.service.storage.addresses import open_database
from kernelbandits.service.storage.database import Database, StorageUnavailable, Transaction
from kernelbandits.service.storage.migrations import MIGRATIONS, migrate
