"""The default policy, and when not to use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from kernelbandits import checks
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.belief_policies import CalibratedUCB
from kernelbandits.problem import Problem

_SHORT = 3


def default_policy() -> Policy:
    """The policy for a user who knows only the numbers of arms and features.

    It estimates levels, amplitude, noise and bandwidth from the rewards, keeps learning, and plays the largest mean
    plus a multiple of its standard deviation (`CalibratedUCB` says which). `kernelbandits reproduce beyond` compares it
    with the paper's eight methods on 28 problems.

    Use another one if logs are to be evaluated later (its choices are certain given the past; see `ThompsonSampling`),
    if arms share their reward function, if rewards drift, or if there are only a few rounds per arm or very many
    rounds; `recommend` says so for a problem.

    >>> default_policy() == CalibratedUCB(EmpiricalBayes(), width=0.5, n_initial=1)
    True

    See also `recommend`, `PolicyAdvice`.
    """
    return CalibratedUCB()


@final
@dataclass(frozen=True, slots=True)
class PolicyAdvice:
    """A policy to start, the reasons for it, and why it may not be the right one here (often empty); one line each.

    Attributes:
        policy: the one to start.
        reasons: what speaks for it, one line each.
        cautions: why it may not be the right one for this problem, one line each; often none.

    >>> advice = recommend(Problem(n_arms=1, dim=3))
    >>> advice.cautions
    ('with one arm there is nothing to decide.',)
    >>> agent = advice.policy.start(Problem(n_arms=3, dim=3), rng=0)

    See also `default_policy`, `recommend`, `CalibratedUCB`, `ThompsonSampling`.
    """

    policy: Policy
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]

    def __str__(self) -> str:
        lines = [repr(self.policy), *self.reasons, *(f"Careful: {caution}" for caution in self.cautions)]
        return "\n".join(lines)


def recommend(problem: Problem) -> PolicyAdvice:
    """The policy for this problem, with reasons and cautions.

    Args:
        problem: what is known; the cautions depend on `n_arms` and, if it is stated, on `horizon`.

    >>> recommend(Problem(n_arms=500, dim=100, horizon=1000)).cautions[0].partition(":")[0]
    '1000 rounds are fewer than 3 for each of 500 arms'

    See also `default_policy`, `PolicyAdvice`, `CalibratedUCB`.
    """
    checks.instance("problem", problem, Problem, "Problem(n_arms=3, dim=50)")
    reasons = (
        "It needs neither the noise level, nor the RKHS norm, nor the horizon: all are estimated from the rewards.",
        "It keeps learning, and its choices are certain given the past. If logs are to be evaluated later, use "
        "ThompsonSampling(), which states exact propensities.",
    )
    return PolicyAdvice(default_policy(), reasons, tuple(_cautions(problem)))


def _cautions(problem: Problem) -> list[str]:
    horizon, n_arms = problem.horizon, problem.n_arms
    if n_arms == 1:
        return ["with one arm there is nothing to decide."]
    if horizon is None:
        return []
    if horizon < _SHORT * n_arms:
        return [
            f"{horizon} rounds are fewer than {_SHORT} for each of {n_arms} arms: most go into trying arms. "
            "Let arms share what they tell, or offer fewer."
        ]
    return []
