"""Policies and the agents that they start: an agent checks input, counts decisions, and asks its learner."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, final

import numpy as np

from kernelbandits import arm_checks, checks
from kernelbandits.beliefs import Belief, Prefetched
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.kernels import Kernel
from kernelbandits.policies.active_arms import ActiveArms, ineligible
from kernelbandits.policies.learner import Choice, Decision, Decisions, Learner, Scores
from kernelbandits.policies.rehearsal import rehearse
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator
from kernelbandits.saving import save
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike, BoolArray


class Policy(Spec, ABC):
    """How to decide. One policy can start any number of agents, which share nothing. See also `Agent`, `Learner`.

    >>> [Uniform().start(Problem(n_arms=9, dim=3), seed).choose(np.ones(3)).arm for seed in (7, 7)]  # one seed, one arm
    [8, 8]
    """

    __slots__ = ()

    def start(self, problem: Problem, rng: np.random.Generator | int) -> Agent:
        """An agent for this problem. All of its randomness comes from `rng` (a generator or a seed)."""
        checks.instance("problem", problem, Problem, "Problem(n_arms=3, dim=50)")
        return Agent(problem, self.learner(problem, checks.generator(rng)), self)

    @abstractmethod
    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        """The learner of a new agent; raises if the problem does not state what this policy needs."""


@final
class Agent:
    """Plays one bandit, one round at a time: `choose`, then `observe`. See also `Policy`, `Learner`.

    Checks come before any change. `_choose`, `_observe` and `_prefetch` are for callers that made the data themselves.

    Attributes:
        problem, learner, policy: what is known, what decides and learns, and the policy that made the learner, or None.

    >>> agent = LinearUCB().start(Problem(n_arms=2, dim=3), rng=0)
    >>> agent.observe(np.ones(3), agent.choose(np.ones((2, 3))).arm, reward=1.0)
    """

    __slots__ = (
        *("_active", "_block", "_kernels", "_last_id", "_learner", "_n_decisions", "_observe", "policy", "problem"),
    )

    def __init__(self, problem: Problem, learner: Learner, policy: Policy | None = None) -> None:
        """`policy` is what made the learner; its kernels must have values in double precision at every context."""
        self.problem = problem
        self.policy = policy
        self._learner = learner
        self._kernels: list[Kernel] | None = None  # looked for when contexts are checked
        self._observe = learner.observe
        self._active = ActiveArms(np.ones(problem.n_arms, dtype=np.bool_), all=True)
        self._n_decisions = 0
        self._last_id: int | None = None
        self._block: Prefetched | None = None

    def choose(self, contexts: ArrayLike, eligible: ArrayLike | Collection[str] | None = None) -> Decision:
        """Decide for contexts of shape (K, d), or (d,) if all arms share one.

        `eligible` masks arms, shape (K,), or names those that may be played.
        """
        problem, block, known = self.problem, self._block, None
        X = checks.contexts(contexts, problem.n_arms, problem.dim)
        mask = None if eligible is None else arm_checks.eligible(eligible, problem.n_arms, problem.arms)
        if not self._active.all:
            X, mask = self._active.shown(X), self._active.eligible(mask, problem)
        if block is not None:
            known = block.take(X)  # checked when it was announced
        if known is None:
            self._refuse_unusable("contexts", known := X)
        arm, propensity, scores, explored, _ = self._choose(known, mask)
        self._last_id = number = self._n_decisions - 1
        return Decision(number, arm, propensity, scores, explored, problem.arms[arm] if problem.arms else None)

    def _choose(self, contexts: Array, eligible: BoolArray | None = None) -> Choice:
        """`choose` without checks. A prefetched round must be the array that was taken from its block."""
        if self._block is not None and self._block.shown is not contexts:
            self._forget()
        choice = self._learner.decide(contexts, eligible)
        if eligible is not None and not eligible[choice.arm]:
            raise ineligible(choice.arm)
        self._n_decisions += 1
        return choice

    def choose_batch(self, contexts: ArrayLike, eligible: ArrayLike | Collection[str] | None = None) -> Decisions:
        """Decide for B rounds at once, before any of their rewards is known; the same as B calls of `choose`, faster.

        Contexts have shape (B, K, d), or (B, d) if all arms share one; so K rows of d numbers are K rounds here, and
        one round with a context per arm is (1, K, d). `eligible` names arms, or masks them in all rounds (K,) or each
        (B, K).
        """
        block = self._checked_block(contexts)
        mask = self._checked_masks(eligible, len(block))
        self._forget()
        decisions = self._learner.decide_batch(block, mask)
        if decisions is None:
            masks = [None] * len(block) if mask is None else mask
            choices = [self._learner.decide(shown, row) for shown, row in zip(block, masks, strict=True)]
            arms, propensities, scores, explored, _ = zip(*choices, strict=True)
            decisions = Decisions(0, np.array(arms), np.array(propensities), np.array(scores), np.array(explored))
        if mask is not None and not (kept := mask[np.arange(len(mask)), decisions.arms]).all():
            raise ineligible(int(decisions.arms[kept.argmin()]))
        first_id = self._n_decisions
        self._n_decisions += len(block)
        return replace(decisions, first_id=first_id, arm_names=self.problem.arms)

    def score(self, contexts: ArrayLike, eligible: ArrayLike | Collection[str] | None = None) -> Scores:
        """Means, deviations and probabilities of all arms for B rounds, each as if it came next.

        Nothing changes: the next decisions are the same as without asking. Arguments as in `choose_batch`.
        """
        block = self._checked_block(contexts)
        scores = self._score(block, self._checked_masks(eligible, len(block)))
        if scores is None:
            raise InvalidArgument("agents of this policy cannot score: its learner has no method `score`")
        return scores

    def _score(self, contexts: Array, eligible: BoolArray | None = None) -> Scores | None:
        """`score` without checks, mask (B, K); None if the policy states no scores."""
        self._forget()
        return self._learner.score(self._active.per_arm(contexts), eligible)

    @property
    def active(self) -> BoolArray:
        """Which arms were not removed, shape (K,)."""
        return self._active.mask.copy()

    def observe(self, context: ArrayLike, arm: int | str, reward: float) -> None:
        """Learn that `arm`, shown with `context` of shape (d,), gave `reward`. Any order, any delay."""
        problem = self.problem
        x = checks.shaped_array("context", context, (problem.dim,), "the played arm's context")
        arm = arm_checks.arm(arm, problem.n_arms, problem.arms)
        reward = checks.reward(reward)
        if self._block is None or self._block.row_with(x, arm) is None:  # what was announced has been checked then
            self._refuse_unusable("context", x)
        self._observe(x, arm, reward)

    def observe_batch(self, contexts: ArrayLike, arms: ArrayLike, rewards: ArrayLike) -> None:
        """Learn n rewards as `observe` does, all checked first: contexts (n, d) of the arms played, the others (n,)."""
        problem = self.problem
        X = checks.shaped_array("contexts", contexts, (None, problem.dim), "(rewards, features)")
        self._refuse_unusable("contexts", X)
        numbers = arm_checks.arms(arms, len(X), problem.n_arms, problem.arms).tolist()
        values = checks.rewards("rewards", rewards, len(X), "one number per row of contexts").tolist()
        for x, arm, reward in zip(X, numbers, values, strict=True):
            self._observe(x, arm, reward)

    def withdraw(self, decision: Decision) -> None:
        """Take the last decision back: it was not carried out, and does not count as a turn of its arm."""
        checks.instance("decision", decision, Decision, "the answer of agent.choose(contexts)")
        if not decision.id == self._last_id == self._n_decisions - 1:
            raise InvalidArgument(
                f"decision: only the last one can be withdrawn, once and before the next; got number {decision.id}"
            )
        self._last_id = None
        self._learner.withdraw()

    def add_arm(self, name: str | None = None) -> int:
        """Add an arm, of which nothing is known yet, and return its number; contexts then have one more row.

        It needs a name if the others have one. Refused, with nothing changed, by policies that cannot learn about it or
        were told something about every arm.
        """
        problem = self.problem.with_another_arm(name)
        self._learner.add_arm(problem)
        self._forget()  # prefetched for the old number of arms
        self._active.add()
        self.problem = problem
        return problem.n_arms - 1

    def remove_arm(self, arm: int | str) -> None:
        """Never choose this arm again. The other arms keep their numbers, and contexts keep a row for this one.

        The values in that row do not matter. Rewards of the arm that are still on their way may be observed.
        """
        problem = self.problem
        arm = arm_checks.arm(arm, problem.n_arms, problem.arms)
        self._active.remove(arm, problem)
        self._forget()

    def prefetch(self, contexts: ArrayLike) -> None:
        """Announce the contexts of the next rounds, shape (B, K, d). A hint: it saves time and changes no decision."""
        self._prefetch(self._checked_block(contexts).copy())  # a copy, because the caller may reuse the array

    def _prefetch(self, contexts: Array) -> Prefetched:
        """`prefetch` without checks and copy. The caller takes the rounds for `_choose` from the answer."""
        self._block, block = None, Prefetched(contexts)
        try:
            self._learner.prefetch(block)
        except BaseException:
            self._learner.prefetch(None)  # a block that was prepared in part is no use
            raise
        self._block = block
        return block

    def _forget(self) -> None:
        """Forget prefetched rounds."""
        if self._block is not None:
            self._block = None
            self._learner.prefetch(None)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write this agent to one file, whole or not at all; returns the path. `kernelbandits.load` gives it back.

        The next decisions of the loaded agent are those that this one would have made, to the last bit. Decisions and
        propensities that await their reward need nothing: observe it with the loaded agent.
        """
        return save(self, path)

    def to_state(self) -> dict[str, Any]:
        """What a file must hold of this agent."""
        return {
            "policy": self.policy,
            "problem": self.problem,
            "learner": self._learner,
            "active": self._active.mask,
            "n_decisions": self._n_decisions,
            "last_id": self._last_id,
            "block": self._block,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Agent:
        """The agent with this state."""
        problem, learner, policy = state["problem"], state["learner"], state["policy"]
        active, last_id, block = state["active"], state["last_id"], state["block"]
        for part, kind in ((problem, Problem), (learner, Learner), (policy, Policy | None), (block, Prefetched | None)):
            if not isinstance(part, kind):
                raise InvalidArgument(f"{shown(part)} cannot be a part of an agent here")
        if active.shape != (problem.n_arms,) or active.dtype != np.bool_ or not active.any():
            raise InvalidArgument(f"the mask of the arms that are left does not fit {problem.n_arms} arms")
        agent = cls(problem, learner, policy)
        agent._active = ActiveArms(active, bool(active.all()))
        agent._n_decisions = checks.whole("n_decisions", state["n_decisions"], at_least=0)
        agent._last_id = None if last_id is None else checks.whole("last_id", last_id, at_least=0)
        agent._block = block
        return agent

    def _rehearse(self) -> None:
        """See whether a loaded agent works."""
        rehearse(self)

    def _checked_block(self, contexts: ArrayLike) -> Array:
        K, d = self.problem.n_arms, self.problem.dim
        block = checks.array_of("contexts", contexts, "numbers of shape (rounds, arms, features)")
        if block.ndim == 2:
            block = checks.shaped_array("contexts", block, (None, d), "(rounds, features)")
        else:
            block = self._active.shown(checks.shaped_array("contexts", block, (None, K, d), "(rounds, arms, features)"))
        self._refuse_unusable("contexts", block)
        return self._active.per_arm(block)

    def _checked_masks(self, eligible: ArrayLike | Collection[str] | None, n_rounds: int) -> BoolArray | None:
        problem = self.problem
        masks = arm_checks.eligible_batch(eligible, n_rounds, problem.n_arms, problem.arms)
        left = self._active.eligible(masks, problem)
        return None if left is None else np.broadcast_to(left, (n_rounds, problem.n_arms))

    def _refuse_unusable(self, name: str, points: Array) -> None:
        """Raise if points of shape (…, d) are not finite, or so large that a kernel overflows.

        This is checked before the learner begins, because it must not be stopped halfway. No value is out of range if
        K(x, x) is in range for every point: |K(x, z)|² ≤ K(x, x) K(z, z).
        """
        checks.refuse_unusable(name, points)
        if self._kernels is None:
            own = [] if self.policy is None else _kernels(self.policy)
            self._kernels = [kernel for kernel in own if not kernel.stationary]
        for kernel in self._kernels:
            kernel.diagonal(points.reshape(-1, points.shape[-1]))


def _kernels(spec: Spec) -> Iterator[Kernel]:
    """The kernels of contexts that a policy is made of, with its beliefs and estimators."""
    for name in getattr(spec, "__dataclass_fields__", ()):
        value = getattr(spec, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Kernel):
                yield part
            elif isinstance(part, Policy | Belief | Estimator):
                yield from _kernels(part)
