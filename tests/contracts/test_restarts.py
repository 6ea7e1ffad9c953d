"""Whatever is saved goes on in a new process as if it had never been, to the last bit, with rewards on their way."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

import kernelbandits as kb
import restarts
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.testing import check_saving


@pytest.mark.parametrize("rounds", [12, pytest.param(500, marks=pytest.mark.slow)])
def test_everything_goes_on_after_a_restart(tmp_path, rounds):
    here = restarts.save_all(tmp_path, 30, rounds)
    command = [sys.executable, "-W", "ignore", restarts.__file__, str(tmp_path), str(rounds)]
    alike = os.environ | {"OMP_NUM_THREADS": "1"}  # as in the process of the tests
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=alike)
    there = json.loads(done.stdout)
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []


@final
@dataclass(frozen=True, slots=True)
class Cautious(kb.Policy):
    """Plays the arm whose worst reward is the best."""

    first: float = 0.0

    def learner(self, problem, rng):
        return CautiousLearner(np.full(problem.n_arms, self.first), rng)


@final
class CautiousLearner(kb.Learner):
    def __init__(self, worst, rng):
        self.worst, self.rng = worst, rng

    def decide(self, contexts, eligible):
        return kb.policies.selection.pick_best(self.worst.copy(), eligible, self.rng)

    def observe(self, context, arm, reward):
        self.worst[arm] = min(self.worst[arm], reward)

    def to_state(self):
        return {"worst": self.worst, "rng": self.rng}

    @classmethod
    def from_state(cls, state):
        return cls(**state)


@final
class ForgetfulLearner(kb.Learner):
    def __init__(self, n_arms):
        self.n = 0

    def decide(self, contexts, eligible):
        self.n += 1
        return kb.Choice(self.n % len(contexts), 1.0, np.zeros(len(contexts)), explored=True)

    def observe(self, context, arm, reward):
        pass

    def to_state(self):
        return {"n_arms": 3}

    @classmethod
    def from_state(cls, state):
        return cls(**state)


@final
@dataclass(frozen=True, slots=True)
class Forgetful(kb.Policy):
    def learner(self, problem, rng):
        return ForgetfulLearner(problem.n_arms)


def test_a_policy_of_ones_own_takes_part_by_two_methods():
    check_saving(Cautious(), classes=[Cautious, CautiousLearner])


def test_the_check_finds_a_learner_that_forgets():
    with pytest.raises(AssertionError, match="decision 0 after loading is"):
        check_saving(Forgetful(), classes=(each for each in [Forgetful, ForgetfulLearner]))


def test_classes_of_ones_own_must_be_passed(tmp_path):
    agent = Cautious().start(kb.Problem(3, 2), 0)
    path = agent.save(tmp_path / "agent.kb")
    with pytest.raises(
        InvalidFile, match=r"agent.kb: it holds a Cautious, which is not of this library.*none was given"
    ):
        kb.load(path)
    with pytest.raises(InvalidFile, match=r"it holds a CautiousLearner.*; did you mean 'Cautious'\?"):
        kb.load(path, classes=[Cautious])
    with pytest.raises(InvalidArgument, match="classes must be classes; got Cautious"):
        kb.load(path, classes=[Cautious()])
    with pytest.raises(InvalidArgument, match="two of them are called Cautious"):
        kb.load(path, classes=[Cautious, type("Cautious", (), {})])
    assert kb.load(path, classes=[Cautious, CautiousLearner]).policy == Cautious()
