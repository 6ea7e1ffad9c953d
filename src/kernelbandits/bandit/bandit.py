"""The bandit of a practitioner: tables in, decisions out, rewards back by the decision's id."""

import copy
import os
import threading
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, final

import numpy as np
import polars as pl

from kernelbandits import arm_checks, checks
from kernelbandits.bandit.bundle import PARTS, checked_parts
from kernelbandits.bandit.calibration import Calibration, compare, learn_rows
from kernelbandits.bandit.decision import BanditDecision, contexts_of, entered
from kernelbandits.bandit.ledger import Ledger
from kernelbandits.bandit.logged_rows import read_logged_rows
from kernelbandits.bandit.scoring import point_blocks, scored
from kernelbandits.bandit.summary import BanditSummary, summarized
from kernelbandits.bandit.tally import Tally
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies import Agent, Decision, Policy, default_policy
from kernelbandits.problem import Problem
from kernelbandits.reporting import Drawn
from kernelbandits.saving import save
from kernelbandits.tables import Encoding, TableEncoder, TableEncoding, as_frame
from kernelbandits.types import Array, ArrayLike, BoolArray

_ALL_COMPARED, _THINNED = 200, 10
"""So many rewards are all compared with their prediction, then one in ten: a prediction costs as much as a decision."""


@final
class Bandit:
    """Chooses arms by name for rows of a table, and learns from rewards that come by the decision's id.

    `fit` starts it from a log, which counts as explored. Without a log, `encode` fits the encoding to a table of rows,
    or a fitted `encoder` is given, and the bandit begins with nothing known. All methods may be called from several
    threads.

    Attributes:
        policy: how to decide; None means `default_policy()`.
        encoding: how columns become features; None means `Encoding()`.
        encoder: the fitted encoding; None before `fit` or `encode`.
        ledger: the decisions that await their reward; None means one that keeps all of them, however many.
        calibration: how well rewards were predicted before they came.
        created: when it was made, in UTC.
        arms: names of the arms; read from the bandit, those that were not removed.
        rng: a seed or generator of the policy's randomness.
        horizon, noise_std, reward_norms: what the policy may need to know, as in `Problem`; norms have shape (K,).

    >>> bandit = Bandit(["short", "long"], encoding=Encoding(rare=1))
    >>> log = {"age": [20, 30, 60, 70], "banner": ["short", "long"] * 2, "clicked": [1, 0, 0, 1]}
    >>> bandit.fit(log, arm="banner", reward="clicked")
    Bandit(2 arms, CalibratedUCB, 4 rewards, 0 awaiting)
    >>> decision = bandit.choose({"age": 25})
    >>> bandit.observe(decision.id, reward=1.0)
    >>> bandit
    Bandit(2 arms, CalibratedUCB, 5 rewards, 0 awaiting)

    See also `BanditDecision`, `BanditSummary`.
    """

    __slots__ = (
        *("_agent", "_lock", "_problem", "_rng", "_tally", "calibration"),
        *("created", "encoder", "encoding", "ledger", "policy"),
    )

    def __init__(
        self,
        arms: Iterable[str],
        encoding: TableEncoding | None = None,
        policy: Policy | None = None,
        rng: np.random.Generator | int = 0,
        *,
        encoder: TableEncoder | None = None,
        ledger: Ledger | None = None,
        horizon: int | None = None,
        noise_std: float | None = None,
        reward_norms: Array | None = None,
    ) -> None:
        self._problem = Problem(
            dim=1, horizon=horizon, noise_std=noise_std, reward_norms=reward_norms, arms=arm_checks.names_of(arms)
        )
        self.encoding = checks.instance("encoding", encoding or Encoding(), TableEncoding, "Encoding(drop=('user',))")  # type: ignore[type-abstract]
        self.policy = checks.instance("policy", policy or default_policy(), Policy, "LinearUCB()")  # type: ignore[type-abstract]
        self.ledger = checks.instance("ledger", Ledger() if ledger is None else ledger, Ledger, "Ledger()")
        self._rng = checks.generator(rng)
        self._tally = Tally(self._problem.n_arms)
        self._lock = threading.RLock()
        self.calibration = Calibration()
        self.created = datetime.now(UTC)
        self.encoder: TableEncoder | None = None
        self._agent: Agent | None = None
        self._start(dim=1)  # refuses a policy that needs to know more
        if encoder is not None:
            self.encoder = checks.instance("encoder", encoder, TableEncoder, "Encoding().fit(table)")  # type: ignore[type-abstract]
            self._agent = self._start(encoder.dim)

    def __repr__(self) -> str:
        with self._lock:
            policy, n_awaiting = type(self.policy).__name__, len(self.ledger)
            return f"Bandit({len(self.arms)} arms, {policy}, {self._tally.n:,} rewards, {n_awaiting:,} awaiting)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def plot(self) -> Drawn:
        """Draw the mean reward of every arm ± its standard error with pyplot; returns the axes."""
        return self.summary().plot()

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms that may be chosen."""
        with self._lock:
            return tuple(name for name, left in zip(self._problem.arms, self._left(), strict=True) if left)

    def encode(self, table: Any) -> Self:
        """Fit the encoding to a table of rows, without rewards, and begin with nothing known. Returns the bandit."""
        with self._lock:
            self._refuse_used("encode")
            encoder = self.encoding.fit(table)
            self.encoder, self._agent = encoder, self._start(encoder.dim)
        return self

    def fit(self, log: Any, arm: str, reward: str, propensity: str | None = None) -> Self:
        """Fit the encoding to a log and learn all of its rewards, as if they had been observed. Returns the bandit.

        The log is a data frame, an Arrow table, a dictionary of columns or the path of a file: one row per decision,
        with columns for the arm that was played, its reward, and optionally the probability with which it was played,
        for weighted means in `summary`. The others are features, as `encoding` says; an encoder that is there already
        is used. What is in the log counts as explored, and an arm without rewards in it is tried.
        """
        return self._fit(*as_frame(log, self.encoding.missing), arm, reward, propensity)

    def _fit(self, frame: pl.DataFrame, file: str, arm: str, reward: str, propensity: str | None) -> Self:
        """`fit` for a log that was read; `file` names it in messages."""
        with self._lock:
            self._refuse_used("fit")
            known = (self._problem.arms, self.encoding, self.encoder)
            rows = read_logged_rows(frame, file, arm, reward, propensity, *known)
            agent = self._start(rows.encoder.dim)
            calibration = learn_rows(agent, rows)
            self._tally.add(rows.arms, rows.rewards, rows.propensities)
            self.encoder, self._agent, self.calibration = rows.encoder, agent, calibration
        return self

    def choose(self, row: Any, eligible: Collection[str] | ArrayLike | None = None) -> BanditDecision:
        """Choose an arm for a row (a mapping, a named tuple, a table of one row); `eligible` names or masks arms.

        If each arm has features of its own, give one row per arm, `choose({"offer A": row, "offer B": row})`; arms
        without a row cannot be chosen.
        """
        with self._lock:
            agent, encoder = self._ready()
            contexts, mask = contexts_of(row, eligible, agent.problem.arms, encoder)
            decision = agent.choose(contexts, mask)
            return self._entered(decision, contexts if contexts.ndim == 1 else contexts[decision.arm], mask)

    def choose_many(self, table: Any, eligible: Collection[str] | ArrayLike | None = None) -> list[BanditDecision]:
        """Choose an arm for every row of a table, before any of their rewards is known."""
        decisions = []
        with self._lock:
            agent, encoder = self._ready()
            mask = None if eligible is None else arm_checks.eligible(eligible, agent.problem.n_arms, agent.problem.arms)
            for points in point_blocks(*as_frame(table, encoder.missing), encoder):
                batch = agent.choose_batch(points, mask)
                columns = (batch.arms.tolist(), batch.propensities.tolist(), batch.scores, batch.explored.tolist())
                for point, *decided in zip(points, *columns, strict=True):
                    decisions.append(self._entered(Decision(0, *decided), point, mask))
        return decisions

    def observe(self, id: str, reward: float) -> None:  # noqa: A002 (as the decision calls it)
        """Learn the reward of a decision, at any time and in any order.

        The same reward for the same decision again changes nothing; another one is refused.
        """
        value = checks.reward(reward)
        with self._lock:
            entry = self.ledger.find(id, value)
            if entry is None:
                return
            self._learn(entry.context, entry.arm, entry.propensity, value)
            self.ledger.settle(id, value)

    def _learn(self, context: Array, arm: int, propensity: float, reward: float) -> None:
        """Learn a reward, whoever kept its decision."""
        agent, _ = self._ready()
        if self._tally.n < _ALL_COMPARED or self._tally.n % _THINNED == 0:
            compare(agent, context[np.newaxis], np.array([arm]), np.array([reward]), self.calibration)
        agent.observe(context, arm, reward)
        self._tally.add_one(arm, reward, propensity)

    def score(self, table: Any, eligible: Collection[str] | ArrayLike | None = None) -> pl.DataFrame:
        """Return columns `mean_…`, `deviation_…` and `probability_…` of each arm that was not removed; nothing changes.

        Each row is scored as if it came next. Other threads may go on between two blocks of 1,024 rows.
        """
        _, encoder = self._ready()
        return scored(self, *as_frame(table, encoder.missing), eligible)

    def summary(self) -> BanditSummary:
        """Return what it has seen, and whether it is well."""
        with self._lock:
            return summarized(self)

    def add_arm(self, name: str) -> None:
        """Add an arm, of which nothing is known yet; refused by policies that cannot learn about it."""
        with self._lock:
            agent, _ = self._ready()
            agent.add_arm(name)
            self._problem = agent.problem
            self._tally.add_arm()

    def remove_arm(self, name: str) -> None:
        """Never choose this arm again. Rewards of it that are still on their way may be observed."""
        with self._lock:
            agent, _ = self._ready()
            agent.remove_arm(name)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the bandit to one file, whole or not at all; `kernelbandits.load` gives it back. Returns the path."""
        with self._lock:
            return save(self, path)

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""
        with self._lock:
            parts = {name: getattr(self, name if name in self.__slots__ else f"_{name}") for name in PARTS}
            return {**parts, "created": self.created.isoformat()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The bandit with this state."""
        bandit = cls.__new__(cls)
        bandit._lock = threading.RLock()
        for name, part in checked_parts(state).items():
            setattr(bandit, name if name in cls.__slots__ else f"_{name}", part)
        bandit.created = datetime.fromisoformat(state["created"])
        bandit.summary()  # fails here, if at all
        return bandit

    def __reduce__(self) -> tuple[Any, ...]:
        return Bandit.from_state, (self.to_state(),)  # the lock cannot be copied

    def _start(self, dim: int) -> Agent:
        """A new agent, with a copy of the generator: it starts the same if this is asked again."""
        return self.policy.start(replace(self._problem, dim=dim), copy.deepcopy(self._rng))

    def _left(self) -> BoolArray:
        """Which arms were not removed, shape (K,)."""
        return np.ones(self._problem.n_arms, dtype=np.bool_) if self._agent is None else self._agent.active

    def _ready(self) -> tuple[Agent, TableEncoder]:
        if self._agent is None or self.encoder is None:
            raise InvalidArgument(
                "the bandit does not know its features yet: give it a log, bandit.fit(log, arm=…, reward=…), "
                "or rows without rewards, bandit.encode(table)"
            )
        return self._agent, self.encoder

    def _refuse_used(self, verb: str) -> None:
        if self._tally.n or len(self.ledger):
            raise InvalidArgument(f"{verb} comes first: the bandit has decided or observed; start a new Bandit for it")

    def _entered(self, decision: Decision, context: Array, mask: BoolArray | None) -> BanditDecision:
        """The decision as the caller gets it, entered into the ledger."""
        entry, answer = entered(decision, context, mask, self._problem.arms, self._tally.n)
        self.ledger.add(entry)
        return answer
