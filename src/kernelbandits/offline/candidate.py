"""What may be evaluated on a log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from kernelbandits import arm_checks, checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.offline.log import Log
from kernelbandits.offline.split import Split
from kernelbandits.tables import TableEncoder
from kernelbandits.types import Array, ArrayLike, IntArray

if TYPE_CHECKING:
    from kernelbandits.bandit import Bandit

_TOLERANCE = 1e-6


class Candidate(ABC):
    """A way to decide, as a log can value it: probabilities of all arms in every row.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> evaluation = evaluate(log, {"old": AlwaysArm("old"), "mostly new": GivenChances([0.2, 0.8])})
    >>> {each.name: round(each.value, 2) for each in evaluation.candidates}
    {'old': 0.5, 'mostly new': 0.3}

    See also `evaluate`, `AlwaysArm`, `UniformArms`.
    """

    __slots__ = ()

    needs_contexts: bool = True
    """Whether the probabilities depend on the contexts."""

    def prepare(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        """Return a function that gives the probabilities for blocks of rows of a log, checked."""
        ask = self.chances_of(log, split, rng)

        def checked(contexts: Array, start: int) -> Array:
            block = checks.array_of(type(self).__name__, ask(contexts, start), "probabilities of all arms")
            _refuse_wrong(self, block, (len(contexts), log.n_arms), start)
            return np.asarray(block, dtype=np.float64)

        return checked

    def encoder_and_arms(self) -> tuple[TableEncoder, tuple[str, ...]] | None:
        """The encoder whose features it needs, and its arms; None if any will do."""
        return None

    @abstractmethod
    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        """A function of contexts (m, d) or (m, K, d) and the number of their first row: probabilities (m, K)."""


Chances = Callable[[Array, int], Array]


@final
@dataclass(frozen=True, slots=True)
class AlwaysArm(Candidate):
    """One arm in every row, by name or number; where it is not eligible, all that are, with equal probabilities.

    Attributes:
        arm: its name if the log's arms have names, or its number, 0 … K − 1.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> [round(evaluate(log, {"it": AlwaysArm(arm)})["it"].value, 2) for arm in ("old", "new")]
    [0.5, 0.25]

    See also `evaluate`, `Candidate`, `UniformArms`, `GivenChances`.
    """

    arm: str | int

    needs_contexts = False

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        names = log.names
        number = int(self.arm) if isinstance(self.arm, str) and not names and self.arm.isdecimal() else self.arm
        one = np.zeros(log.n_arms)
        one[arm_checks.arm(number, log.n_arms, names)] = 1.0
        return _in_every_row(one, log)


@final
@dataclass(frozen=True, slots=True)
class UniformArms(Candidate):
    """All eligible arms with equal probabilities.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> round(evaluate(log, {"any arm": UniformArms()})["any arm"].value, 3)
    0.375

    See also `evaluate`, `AlwaysArm`, `GivenChances`, `ByFunction`.
    """

    needs_contexts = False

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        return _in_every_row(np.full(log.n_arms, 1.0 / log.n_arms), log)


@final
@dataclass(frozen=True, slots=True, eq=False)
class GivenChances(Candidate):
    """Probabilities of all arms, shape (n, K), one row per row of the log, or (K,) for every row.

    Attributes:
        chances: probabilities of the K arms, which sum to 1, shape (n, K) or (K,).

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> round(evaluate(log, {"mostly new": GivenChances([0.2, 0.8])})["mostly new"].value, 2)
    0.3

    See also `evaluate`, `UniformArms`, `ByFunction`, `SavedBandit`.
    """

    chances: ArrayLike

    needs_contexts = False

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        table = checks.array_of("chances", self.chances, "probabilities of all arms")
        if table.shape not in ((log.n_arms,), (len(log), log.n_arms)):
            raise InvalidArgument(
                f"GivenChances: chances must have shape ({len(log)}, {log.n_arms}), one row per row of the log, or "
                f"({log.n_arms},); got {table.shape}"
            )
        full = np.broadcast_to(table, (len(log), log.n_arms))
        return lambda contexts, start: full[start : start + len(contexts)]


@final
@dataclass(frozen=True, slots=True)
class ByFunction(Candidate):
    """A function of contexts (m, d) or (m, K, d) that returns probabilities (m, K), or numbers of arms (m,).

    Attributes:
        function: called with blocks of contexts, shape (m, d), or (m, K, d) if each arm has its own; it returns
            probabilities, shape (m, K), or whole numbers of arms, shape (m,).

    >>> rng, arms = np.random.default_rng(0), np.arange(200) % 2
    >>> contexts, luck = rng.standard_normal((200, 1)), rng.random(200)
    >>> best = (contexts[:, 0] > 0).astype(int)
    >>> log = Log(contexts, arms, 1.0 * (luck < 0.2 + 0.6 * (arms == best)), np.full(200, 0.5), 2)
    >>> by_sign = ByFunction(lambda contexts: (contexts[:, 0] > 0).astype(int))
    >>> evaluate(log, {"by sign": by_sign})["by sign"].verdict.kind
    'better'

    See also `evaluate`, `GivenChances`, `SavedBandit`, `LearnedPolicy`.
    """

    function: Callable[[Array], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidArgument(f"ByFunction: function must be callable; got {shown(self.function)}")

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        def chances(contexts: Array, start: int) -> Array:
            answer = checks.array_of("ByFunction", self.function(contexts), "probabilities, or numbers of arms")
            if answer.ndim != 1 or answer.dtype.kind not in "iu" or answer.shape != (len(contexts),):
                return answer
            wrong = np.flatnonzero((answer < 0) | (answer >= log.n_arms))
            if len(wrong):
                raise InvalidArgument(
                    f"ByFunction: numbers of arms must be from 0 to {log.n_arms - 1}; row {start + wrong[0]} has "
                    f"{answer[wrong[0]]} ({len(wrong)} such)"
                )
            return np.asarray(np.eye(log.n_arms)[answer])

        return chances


@final
@dataclass(frozen=True, slots=True, eq=False)
class SavedBandit(Candidate):
    """A bandit as it is now, from a file (`kb.load`) or in hand; it learns nothing here.

    It must not have learned from the rows of the log: then it would be valued by rewards that it has seen.

    Attributes:
        bandit: a `Bandit` that knows its features (after `fit` or `encode`), with the arms of the log.

    >>> table, arms, luck = {"age": [20, 60] * 50}, np.arange(100) % 2, np.random.default_rng(0).random(100)
    >>> bandit = Bandit(["a", "b"], policy=Uniform()).encode(table)
    >>> contexts, rewards = bandit.encoder.transform(table), 1.0 * (luck < 0.3)
    >>> log = Log(contexts, arms, rewards, np.full(100, 0.5), 2, ("a", "b"))
    >>> float(rewards.mean()), round(evaluate(log, {"saved": SavedBandit(bandit)})["saved"].value, 2)
    (0.25, 0.25)

    See also `evaluate`, `ByFunction`, `LearnedPolicy`, `GivenChances`.
    """

    bandit: Bandit

    def encoder_and_arms(self) -> tuple[TableEncoder, tuple[str, ...]] | None:
        agent, encoder = self.bandit._ready()
        return encoder, agent.problem.arms

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        agent, encoder = self.bandit._ready()
        names = agent.problem.arms
        if set(names) != set(log.names):
            raise InvalidArgument(
                f"the bandit has the arms {shown(names)}, the log {shown(log.names)}; name all arms of the log, and "
                "evaluate a bandit for the same ones"
            )
        if encoder.dim != log.dim:
            raise InvalidArgument(
                f"the bandit expects {encoder.dim} features, the log has {log.dim}; read the log with the bandit's "
                "encoder: open_log(file, encoder=bandit.encoder)"
            )
        return agent_chances(agent, log, [names.index(name) for name in log.names])


def agent_chances(agent: Any, log: Log, order: list[int] | None = None) -> Chances:
    """Return the exact probabilities of an agent, which stays as it is; `order` has its numbers of the log's arms."""
    places = order or list(range(log.n_arms))
    back = np.argsort(places)

    def chances(contexts: Array, start: int) -> Array:
        own = contexts if contexts.ndim == 3 else np.repeat(contexts[:, np.newaxis], log.n_arms, axis=1)
        mask = None if log.eligible is None else log.eligible[start : start + len(contexts)][:, back]
        return np.asarray(agent.score(own[:, back], mask).probabilities)[:, places]

    return chances


def _in_every_row(chances: Array, log: Log) -> Chances:
    """Return these probabilities of the arms, shape (K,), for every row."""
    return lambda contexts, start: among(np.tile(chances, (len(contexts), 1)), log, slice(start, start + len(contexts)))


def among(chances: Array, log: Log, rows: IntArray | slice) -> Array:
    """Return the probabilities in these rows given that the arm is eligible; equal ones if those have none."""
    if log.eligible is None:
        return chances
    eligible = log.eligible[rows]
    kept = np.where(eligible, chances, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    equal = eligible / eligible.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, kept / np.where(total > 0.0, total, 1.0), equal)


def own_encoder(candidates: Mapping[str, Candidate]) -> tuple[TableEncoder | None, tuple[str, ...]]:
    """The encoder that candidates bring along, and their arms; None if none of them does."""
    found = [(name, own) for name, each in candidates.items() if (own := each.encoder_and_arms()) is not None]
    if not found:
        return None, ()
    (first, own), *others = found
    for name, (encoder, _) in others:
        if encoder.to_json() != own[0].to_json():
            raise InvalidArgument(
                f"{first} and {name} were fitted with different encoders; evaluate them one at a time, on the same log"
            )
    return own


def _refuse_wrong(candidate: Candidate, block: Array, shape: tuple[int, int], start: int) -> None:
    kind = type(candidate).__name__
    if block.shape != shape:
        raise InvalidArgument(
            f"{kind}: probabilities must have shape {shape}, one row per context and one column per arm; "
            f"got {block.shape}"
        )
    if block.dtype.kind not in "fiub":
        raise InvalidArgument(f"{kind}: probabilities must be numbers; got an array of type {block.dtype}")
    wrong = ~(np.isfinite(block).all(axis=1) & (block >= -_TOLERANCE).all(axis=1))
    wrong |= np.abs(block.sum(axis=1) - 1.0) > _TOLERANCE
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidArgument(
            f"{kind}: probabilities must be at least 0 and sum to 1 in every row; row {start + row} has "
            f"{block[row].round(6).tolist()[:8]} ({int(wrong.sum())} such)"
        )
