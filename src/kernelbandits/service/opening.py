"""Opening a database with settings: tables, salt, arms, warm start; changed settings become an entry of the journal."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

import msgspec

from kernelbandits.bandit import load_bandit
from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.service.clock import Clock
from kernelbandits.service.events import add_arms, remove_arm
from kernelbandits.service.journal import JournalEntry, append, learning_at
from kernelbandits.service.settings import Learning, Settings
from kernelbandits.service.storage import Database, Transaction, migrate

_LARGEST_FILE = 500_000_000


def prepare(database: Database, settings: Settings) -> Clock:
    """Make the database ready for these settings; returns the clock for all processes of the service."""
    migrate(database)
    with database.write() as tx:
        tx.change("INSERT INTO facts (name, value) VALUES ('salt', ?) ON CONFLICT DO NOTHING", (secrets.token_hex(16),))
        clock = Clock.anchored(latest_time(tx))
        learning = _with_warm_start(tx, settings.learning, settings.folder)
        _refuse_impossible(tx, learning)
        before = current_learning(tx)
        if before is None or before != learning:
            detail = msgspec.json.encode(learning).decode()
            append(tx, [JournalEntry("settings", clock.now(), detail=detail)])
            if before is None:
                for name in learning.arms:
                    tx.change("INSERT INTO arms (name) VALUES (?)", (name,))
        add_arms(tx, learning.arms, clock.now())
        for name in () if before is None else before.arms:
            if name not in learning.arms:
                remove_arm(tx, name, clock.now())
    return clock


def current_learning(tx: Transaction) -> Learning | None:
    """The newest settings in the journal; None if it is empty."""
    row = tx.one("SELECT max(seq) FROM journal WHERE kind = 'settings'")
    return None if row is None or row[0] is None else learning_at(tx, row[0])


def salt_of(tx: Transaction) -> bytes:
    """What makes the draws of this service its own."""
    row = tx.one("SELECT value FROM facts WHERE name = 'salt'")
    if row is None:
        raise InvalidFile("the database was not made by `kernelbandits serve`")
    return bytes.fromhex(row[0])


def latest_time(tx: Transaction) -> int:
    """The latest time that is stored. Rewards and entries are numbered as they come, so the newest of them tell it."""
    newest = "SELECT max(time) FROM (SELECT time FROM {} ORDER BY {} DESC LIMIT 10000) AS newest"
    queries = ("SELECT max(time) FROM events", newest.format("rewards", "n"), newest.format("journal", "seq"))
    return max((row[0] or 0) for query in queries for row in tx.rows(query))


def _with_warm_start(tx: Transaction, learning: Learning, folder: Path) -> Learning:
    """The settings with the digest of the file that a warm start begins from, which the database keeps."""
    start = learning.warm_start
    if start is None:
        return learning
    name = start.log or start.bundle or ""
    path = folder / name
    if not path.is_file():
        raise InvalidFile(f"warm_start: no such file: {path}")
    if path.stat().st_size > _LARGEST_FILE:
        raise InvalidFile(f"warm_start: {path.name} is larger than {_LARGEST_FILE / 1e6:.0f} MB; use fewer rows")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    arms = learning.arms
    if start.bundle is not None:
        if learning.policy is not None:
            raise InvalidFile("warm_start: a bundle brings its policy; leave [policy] out, or start from a log")
        bandit = load_bandit(path)
        if learning.arms and learning.arms != bandit.arms:
            raise InvalidFile(f"arms: the bundle was made for {', '.join(bandit.arms)}; leave arms out")
        arms = bandit.arms
    sql = "INSERT INTO files (digest, name, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    tx.change(sql, (digest, path.name, content))
    return msgspec.structs.replace(learning, warm=digest, arms=arms)


def _refuse_impossible(tx: Transaction, learning: Learning) -> None:
    """Refuse policies that cannot be started, and arms that were removed."""
    known = [row[0] for row in tx.rows("SELECT name FROM arms")]
    if learning.new_arms or set(learning.arms) - set(known):
        _refuse_fixed_arms(learning.policy_spec(), learning, bool(known))
    gone = {row[0] for row in tx.rows("SELECT name FROM arms WHERE removed = 1")}
    back = next((name for name in learning.arms if name in gone), None)
    if back is not None:
        raise InvalidFile(f"arms: {back!r} was removed from this database; take it out of the settings, or rename it")


def _refuse_fixed_arms(policy: Policy, learning: Learning, began: bool) -> None:
    try:
        agent = policy.start(Problem(n_arms=2, dim=2, arms=("a", "b")), 0)
        if learning.new_arms or began:
            agent.add_arm("c")
    except KernelBanditsError as error:
        raise InvalidArgument(f"policy: {type(policy).__name__} cannot serve these settings: {error}") from error
