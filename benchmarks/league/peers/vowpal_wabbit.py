"""Vowpal Wabbit's `--cb_explore_adf`: one set of weights per arm, learned online."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.policies import Choice, Learner, Policy
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class VowpalWabbit(Policy):
    """`vw --cb_explore_adf` with these further options; features and a constant of each arm are its own.

    Costs are rewards turned around and brought to [0, 1] by the range of those seen so far, as squarecb assumes.
    """

    options: str = "--squarecb"

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        from vowpalwabbit import Workspace

        workspace = Workspace(f"--cb_explore_adf --noconstant --quiet {self.options}")
        row = " ".join(f"{j}:%.6g" for j in range(problem.dim))
        return _VowpalWabbitLearner(workspace, f"c:1 {row}", rng)


@final
@dataclass(slots=True, eq=False)
class _VowpalWabbitLearner(Learner):
    workspace: Any
    template: str
    rng: np.random.Generator
    shown: Array | None = None
    lines: list[str] = field(default_factory=list)
    chances: Array | None = None
    lowest: float = np.inf
    highest: float = -np.inf

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        if contexts.strides[0] == 0:  # shared by all arms
            rows = [self.template % tuple(contexts[0].tolist())] * len(contexts)
        else:
            rows = [self.template % tuple(context) for context in contexts.tolist()]
        self.lines = [f"|a{arm} {row}" for arm, row in enumerate(rows)]
        chances = np.array(self.workspace.predict(self.lines))
        if eligible is not None:
            chances = np.where(eligible, chances, 0.0)
        self.shown, self.chances = contexts, chances / chances.sum()
        arm = int(self.rng.choice(len(contexts), p=self.chances))
        explored = bool(self.chances[arm] < self.chances.max())
        return Choice(arm, float(self.chances[arm]), self.chances, explored, self.chances)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        if self.shown is None or self.chances is None or not np.array_equal(self.shown[arm], context):
            raise InvalidArgument("Vowpal Wabbit plays the league with the reward of the last decision only")
        self.lowest, self.highest = min(self.lowest, reward), max(self.highest, reward)
        spread = self.highest - self.lowest
        cost = (self.highest - reward) / spread if spread > 0.0 else 0.5
        chosen = f"0:{cost:.6g}:{self.chances[arm]:.6g} {self.lines[arm]}"
        self.workspace.learn([*self.lines[:arm], chosen, *self.lines[arm + 1 :]])
