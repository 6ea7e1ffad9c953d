"""What both databases must do."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import postgres
import psycopg
import pytest
from serving import wait_for

from kernelbandits.errors import InvalidFile
from kernelbandits.service.storage import MIGRATIONS, Busy, StorageUnavailable, migrate, open_database


@pytest.fixture
def database(address):
    database = open_database(address)
    migrate(database)
    yield database
    database.close()


FACT = "INSERT INTO facts (name, value) VALUES (?, ?)"


def test_what_was_committed_is_seen_by_others(database, address):
    with database.write() as tx:
        assert tx.change(FACT, ("percent % and ?", "'; DROP TABLE facts; --")) == 1
    other = open_database(address)
    with other.read() as tx:
        assert tx.rows("SELECT name, value FROM facts") == [("percent % and ?", "'; DROP TABLE facts; --")]
        assert tx.one("SELECT value FROM facts WHERE name = ?", ("nobody",)) is None
    other.close()


def test_what_fails_is_undone(database):
    with pytest.raises(ZeroDivisionError), database.write() as tx:
        tx.change(FACT, ("a", str(1 // (tx.change(FACT, ("b", "2")) - 1))))
    with database.read() as tx:
        assert tx.rows("SELECT * FROM facts") == []
    with pytest.raises(StorageUnavailable), database.write() as tx:
        tx.change("INSERT INTO nowhere VALUES (1)")
    with database.write() as tx:  # it goes on
        tx.change(FACT, ("a", "1"))


def test_part_of_a_transaction_can_be_undone(database):
    with database.write() as tx:
        for name in ("a", "b", "c"):
            tx.change("SAVEPOINT batch")
            tx.change(FACT, (name, "1"))
            if name == "b":
                tx.change("ROLLBACK TO SAVEPOINT batch")
    with database.read() as tx:
        assert tx.rows("SELECT name FROM facts ORDER BY name") == [("a",), ("c",)]


def test_a_reader_sees_one_state(database, address):
    other = open_database(address)
    with database.write() as tx:
        tx.change(FACT, ("a", "1"))
    with other.read() as tx:
        assert len(tx.rows("SELECT * FROM facts")) == 1
        with database.write() as writing:
            writing.change(FACT, ("b", "2"))
        assert len(tx.rows("SELECT * FROM facts")) == 1
    other.close()


def test_a_connection_that_was_lost_while_idle_is_replaced_unless_it_leads(postgres_server):
    address = postgres_server.database("lost")
    database, leader = open_database(address), open_database(address)
    migrate(database)
    assert leader.lead()
    for one in (database, leader):
        with one.read() as tx:
            [(pid,)] = tx.rows("SELECT pg_backend_pid()")
        with psycopg.connect(postgres_server.address("postgres"), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))
    with database.write() as tx:
        tx.change(FACT, ("a", "1"))
    with pytest.raises(StorageUnavailable), leader.write() as tx:
        tx.change(FACT, ("b", "2"))
    assert leader.lead()
    for one in (database, leader):
        one.close()


def test_one_learner_at_a_time(database, address):
    other = open_database(address)
    assert database.lead()
    assert database.lead()
    assert not other.lead()
    database.close()
    wait_for(other.lead, "the server to notice that the connection was closed")
    other.close()


def test_journal_numbers_have_no_gaps_under_concurrent_writers(database, address):
    from kernelbandits.service.journal import JournalEntry, append

    def write(name):
        own = open_database(address)
        for _ in range(20):
            with own.write() as tx:
                append(tx, [JournalEntry("arm", 0, arm=name)])
        own.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        assert [row[0] for row in tx.rows("SELECT seq FROM journal ORDER BY seq")] == [*range(1, 61)]


@pytest.mark.parametrize("first", range(1, len(MIGRATIONS)))
def test_every_older_schema_is_brought_up_to_date(address, first):
    database = open_database(address)
    assert migrate(database, MIGRATIONS[:first]) == first
    with database.write() as tx:
        tx.change(FACT, ("kept", "yes"))
    assert migrate(database) == len(MIGRATIONS) - first
    assert migrate(database) == 0
    with database.read() as tx:
        assert tx.rows("SELECT * FROM facts") == [("kept", "yes")]
        assert tx.rows("SELECT number FROM migrations ORDER BY number")[-1] == (len(MIGRATIONS),)
    database.close()


def test_a_newer_schema_is_refused(database):
    with pytest.raises(InvalidFile, match="written by a newer release"):
        migrate(database, MIGRATIONS[:1])


def test_sqlite_never_waits_if_told_so(tmp_path):
    path = tmp_path / "a.db"
    database = open_database(str(path))
    migrate(database)
    with sqlite3.connect(path, isolation_level=None) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy), database.write(wait=False):
            pass
        foreign.execute("ROLLBACK")
    with database.write(wait=False) as tx:
        tx.change(FACT, ("a", "1"))
        with pytest.raises(Busy), open_database(str(path)).write(wait=False):
            pass
    assert database._connected().execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_write_returns_when_the_log_is_on_disk_and_lets_others_write_meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    database, other = open_database(str(path)), open_database(str(path))
    migrate(database)
    seen = []

    def fdatasync(descriptor):
        assert os.path.samestat(os.fstat(descriptor), (tmp_path / "a.db-wal").stat())
        with other.read() as tx:
            seen.append([row[0] for row in tx.rows("SELECT name FROM facts ORDER BY name")])
        if len(seen) == 1:
            with other.write(wait=False) as tx:
                tx.change(FACT, ("b", "2"))

    monkeypatch.setattr("os.fdatasync", fdatasync)
    with database.write() as tx:
        tx.change(FACT, ("a", "1"))
        assert seen == []
    assert seen == [["a"], ["a", "b"]]
    database.shrink()
    with database.write() as tx:
        tx.change(FACT, ("c", "3"))
    assert seen[2:] == [["a", "b", "c"]]
    database.close()
    other.close()


def test_a_disk_that_fails_is_told_and_the_next_write_begins_anew(tmp_path, monkeypatch):
    database = open_database(str(tmp_path / "a.db"))
    migrate(database)

    def fail(descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr("os.fdatasync", fail)
        with pytest.raises(StorageUnavailable, match=r"a\.db: Input/output error"), database.write() as tx:
            tx.change(FACT, ("a", "1"))
    with database.write() as tx:
        tx.change(FACT, ("b", "2"))
        assert tx.rows("SELECT value FROM facts WHERE name = 'b'") == [("2",)]
    database.close()


def test_a_server_of_the_tests_ends_with_them(tmp_path):
    if postgres.BINARIES is None:
        pytest.skip(postgres.MISSING)
    program = (
        "import postgres, sys, time\n"
        "with postgres.running() as server:\n"
        "    print(server.process.pid, server.folder, flush=True)\n"
        "    time.sleep(600)\n"
    )
    folder = Path(postgres.__file__).parent
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, text=True)
    pid, made = parent.stdout.readline().split()
    assert is_alive(int(pid))
    parent.kill()
    parent.communicate()
    wait_for(lambda: not is_alive(int(pid)), "the end of the server")
    shutil.rmtree(made)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
