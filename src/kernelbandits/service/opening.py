"""Opening a database with settings: tables, salt, arms, warm start; changed settings become an entry of the journal."""

import hashlib
import secrets

import msgspec

from kernelbandits.bandit import load_bandit
from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError
from kernelbandits.problem import Problem
from kernelbandits.service.clock import Clock
from kernelbandits.service.events import add_arms, remove_arm
from kernelbandits.service.journal import JournalEntry, append, learning_at
from kernelbandits.service.settings import Learning, Settings
from kernelbandits.service.storage import Database, Transaction, keep_file, migrate

_LARGEST_FILE = 500_000_000


def prepare(database: Database, settings: Settings) -> Clock:
    """Make the database ready for these settings; returns the clock for all processes of the service."""
    migrate(database)
    with database.write() as tx:
        tx.change("INSERT INTO facts (name, value) VALUES ('salt', ?) ON CONFLICT DO NOTHING", (secrets.token_hex(16),))
        clock = Clock.anchored(_latest_time(tx))
        learning = with_warm_start(settings)
        if learning.warm_start is not None:
            keep_file(tx, learning.warm_start.file(settings.folder))
        _refuse_impossible(tx, learning)
        before = current_learning(tx)
        if before != learning:
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
    seq = tx.value("SELECT max(seq) FROM journal WHERE kind = 'settings'")
    return None if seq is None else learning_at(tx, seq)


def salt_of(tx: Transaction) -> bytes:
    """What makes the draws of this service its own."""
    salt = tx.value("SELECT value FROM facts WHERE name = 'salt'")
    if salt is None:
        raise InvalidFile("the database was not made by `kernelbandits serve`")
    return bytes.fromhex(salt)


def _latest_time(tx: Transaction) -> int:
    """The latest time that is stored. Rewards and entries are numbered as they come, so the newest of them tell it."""
    newest = "SELECT max(time) FROM (SELECT time FROM {} ORDER BY {} DESC LIMIT 10000) AS newest"
    queries = ("SELECT max(time) FROM events", newest.format("rewards", "n"), newest.format("journal", "seq"))
    return max(tx.value(query) or 0 for query in queries)


def with_warm_start(settings: Settings) -> Learning:
    """The settings with the digest of the file that a warm start begins from, and the arms of a bundle."""
    learning, start = settings.learning, settings.learning.warm_start
    if start is None:
        return learning
    path = start.file(settings.folder)
    if path.stat().st_size > _LARGEST_FILE:
        raise InvalidFile(f"warm_start: {path.name} is larger than {_LARGEST_FILE / 1e6:.0f} MB; use fewer rows")
    arms = learning.arms
    if start.bundle is not None:
        if learning.policy is not None:
            raise InvalidFile("warm_start: a bundle brings its policy; leave [policy] out, or start from a log")
        bandit = load_bandit(path)
        if learning.arms and learning.arms != bandit.arms:
            raise InvalidFile(f"arms: the bundle was made for {', '.join(bandit.arms)}; leave arms out")
        arms = bandit.arms
    return msgspec.structs.replace(learning, warm=hashlib.sha256(path.read_bytes()).hexdigest(), arms=arms)


def _refuse_impossible(tx: Transaction, learning: Learning) -> None:
    """Refuse policies that cannot be started, and arms that were removed."""
    known: dict[str, int] = dict(tx.rows("SELECT name, removed FROM arms"))
    if learning.new_arms or set(learning.arms) - known.keys():
        policy = learning.policy_spec()
        try:
            agent = policy.start(Problem(n_arms=2, dim=2, arms=("a", "b")), 0)
            if learning.new_arms or known:
                agent.add_arm("c")
        except KernelBanditsError as error:
            raise InvalidArgument(f"policy: {type(policy).__name__} cannot serve these settings: {error}") from error
    back = next((name for name in learning.arms if known.get(name)), None)
    if back is not None:
        raise InvalidFile(f"arms: {back!r} was removed from this database; take it out of the settings, or rename it")
