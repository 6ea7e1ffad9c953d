"""A decision is a function of a snapshot, a request and the event's id: it can be made again from the log."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple, Self

from kernelbandits.bandit import Bandit, reward_counts, weigh
from kernelbandits.errors import InvalidArgument, nearest, shown
from kernelbandits.service.requests import Kept, RankRequest, ShownArm
from kernelbandits.service.settings import Learning
from kernelbandits.tables import TableEncoder

MOST_ARMS = 1000


class Snapshot(NamedTuple):
    """What decisions are made with. It never changes."""

    version: int  # number of entries of the journal that it has taken in
    bandit: Bandit | None  # None while no arm is known
    counts: Mapping[str, int]  # number of rewards of each arm that can be chosen
    removed: frozenset[str]
    learning: Learning
    revision: int  # number of the entry with the settings
    encoder: TableEncoder  # of the features of requests
    salt: bytes  # makes the draws of this service its own

    @classmethod
    def of(cls, version: int, bandit: Bandit | None, learning: Learning, revision: int, salt: bytes) -> Self:
        """The snapshot of a bandit that nobody changes any more."""
        counts = {} if bandit is None else reward_counts(bandit)
        gone = frozenset() if bandit is None else frozenset(bandit._problem.arms) - counts.keys()
        encoder = learning.encoder() if bandit is None or bandit.encoder is None else bandit.encoder
        if encoder is None:
            raise InvalidArgument("there is neither a table [features] nor a warm start")
        return cls(version, bandit, counts, gone, learning, revision, encoder, salt)


class Decided(NamedTuple):
    """A decision: the arm that is answered, with which probability, and what is kept of it."""

    kept: Kept
    arm: str
    propensity: float
    preferred: str  # the arm that the policy drew
    ranking: list[tuple[str, float]]  # probabilities of all arms that could be chosen, largest first
    control: bool  # whether the event belongs to the random share
    new_arms: tuple[str, ...]  # those of the request that the policy does not know yet


def uniform(salt: bytes, purpose: bytes, event_id: str) -> float:
    """A number in [0, 1) that belongs to the event."""
    digest = blake2b(event_id.encode(), digest_size=8, key=salt, person=purpose).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


def decide(snapshot: Snapshot, request: RankRequest, event_id: str) -> Decided:
    """Decide on a request; raises `InvalidArgument` if it cannot be answered."""
    offered = _offered(snapshot, request)
    kept = Kept(request.context, offered, request.excluded, request.deferred, request.named)
    return decide_kept(snapshot, kept, event_id)


def decide_kept(snapshot: Snapshot, kept: Kept, event_id: str, weighed: dict[str, float] | None = None) -> Decided:
    """`decide` for a request in the form in which it is kept; `weighed` are the policy's probabilities, if known."""
    learning = snapshot.learning
    names = [arm.id if isinstance(arm, ShownArm) else arm for arm in kept.arms]
    excluded = set(kept.excluded)
    eligible = [name for name in names if name not in excluded]
    if not eligible:
        raise InvalidArgument("excluded: every arm is excluded; expected at least one that can be chosen")
    weighed = _weighed(snapshot, kept, eligible) if weighed is None else weighed
    least = learning.exploration / len(weighed)
    probabilities = {name: (1.0 - learning.exploration) * value + least for name, value in weighed.items()}
    control = uniform(snapshot.salt, b"control", event_id) < learning.control
    if control:
        probabilities = dict.fromkeys(eligible, 1.0 / len(eligible))
    preferred = _drawn(probabilities, uniform(snapshot.salt, b"draw", event_id))
    drawn = control or learning.plays
    arm, propensity = (preferred, probabilities[preferred]) if drawn else (eligible[0], 1.0)
    ranking = sorted(probabilities.items(), key=lambda pair: -pair[1])
    unknown = tuple(name for name in names if name not in snapshot.counts)
    return Decided(kept, arm, propensity, preferred, ranking, control, unknown)


def _offered(snapshot: Snapshot, request: RankRequest) -> tuple[str | ShownArm, ...]:
    known = snapshot.counts
    if request.arms is None:
        if not known:
            raise InvalidArgument("arms: none is known yet; name those that can be chosen")
        offered: tuple[str | ShownArm, ...] = tuple(known)
    else:
        offered = request.arms
    names = [arm.id if isinstance(arm, ShownArm) else arm for arm in offered]
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidArgument(f"arms: {shown(twice)} comes twice; expected different arms")
    for name in names:
        if name in snapshot.removed:
            raise InvalidArgument(f"arms: {shown(name)} was removed; leave it out, or give the new arm a new name")
        if name not in known and not snapshot.learning.new_arms:
            raise InvalidArgument(f"arms: no arm is called {shown(name)}; {nearest(name, known)}")
    if len(known) + sum(name not in known for name in names) > MOST_ARMS:
        raise InvalidArgument(f"arms: at most {MOST_ARMS} can be known at a time; remove some first")
    for name in request.excluded:
        if name not in names:
            raise InvalidArgument(f"excluded: {shown(name)} is not among the arms; {nearest(name, names)}")
    return offered


def _weighed(snapshot: Snapshot, kept: Kept, eligible: list[str]) -> dict[str, float]:
    """Probabilities without the floor. An arm without rewards is tried with probability 1/K."""
    n, tried = len(eligible), [name for name in eligible if snapshot.counts.get(name)]
    own = any(isinstance(arm, ShownArm) and arm.features for arm in kept.arms)
    flat, bandit, encoder = snapshot.learning.flat, snapshot.bandit, snapshot.encoder
    if own:
        rows: dict[str, Any] = {name: flat(kept.row_of(name)) for name in eligible}
        for name in eligible:
            if name not in tried:
                encoder.transform(rows[name])
        shown_row: Any = {name: rows[name] for name in tried}
    else:
        shown_row = flat(kept.context)
        if len(tried) < n:
            encoder.transform(shown_row)
    probabilities = dict.fromkeys(eligible, 1.0 / n)
    if tried and bandit is not None:
        weighed = weigh(bandit, shown_row, tried if len(tried) < len(bandit._problem.arms) else None)
        for name in tried:
            probabilities[name] = len(tried) / n * weighed[name]
    return probabilities


def _drawn(probabilities: dict[str, float], number: float) -> str:
    """The arm at `number` of the way through the probabilities."""
    total, left = sum(probabilities.values()), number
    for name, value in probabilities.items():
        left -= value / total
        if left < 0.0 and value > 0.0:
            return name
    return next(name for name in reversed(probabilities) if probabilities[name] > 0.0)
