"""Off-policy evaluation: log × candidates → values, differences, verdicts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.offline.candidate import Candidate, own_encoder
from kernelbandits.offline.evaluation import Evaluation, ReplayedValue
from kernelbandits.offline.intervals import IntervalMethod
from kernelbandits.offline.judging import Judging
from kernelbandits.offline.learned_policy import padded
from kernelbandits.offline.log import Log
from kernelbandits.offline.log_tables import open_log
from kernelbandits.offline.marks import marks_of
from kernelbandits.offline.replay import replay_log
from kernelbandits.offline.reward_models import LinearRewards, RewardModel
from kernelbandits.offline.split import folds, past
from kernelbandits.offline.value_estimators import (
    ALL_ESTIMATORS,
    SelfNormalized,
    SelfNormalizedDoublyRobust,
    ValueEstimator,
)
from kernelbandits.offline.weighing import weigh
from kernelbandits.policies import Policy
from kernelbandits.specs import Label, Probability, conform


def evaluate(
    log: Log | str | os.PathLike[str],
    candidates: Mapping[str, Candidate],
    *,
    replays: Mapping[str, Policy] = MappingProxyType({}),
    estimator: ValueEstimator | None = None,
    others: Sequence[ValueEstimator] = ALL_ESTIMATORS,
    model: RewardModel | None = LinearRewards(),  # noqa: B008 (a frozen spec)
    interval: IntervalMethod | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> Evaluation:
    """Estimate what candidates would have earned on a log, with intervals, differences and a verdict for each.

    Args:
        log: a `Log`, or the path of a file with the columns that `LogColumns` names, which may be of any size. Features
            of a file are made by the encoder of a saved bandit, if one is among the candidates.
        candidates: by name: `AlwaysArm("10pct")`, `UniformArms()`, `GivenChances(table)`, `ByFunction(f)`,
            `SavedBandit(kb.load("shop.kb"))`, `LearnedPolicy(LinearUCB())`.
        replays: policies to play on the log as they would have learned live (`replay_log`), with what they earn per
            round; a log of n rows has fewer rounds for them.
        estimator: of the value; by default `SelfNormalizedDoublyRobust()`, without a model `SelfNormalized()`.
        others: further estimators whose answers are listed beside it; the verdict does not depend on them.
        model: predicts rewards for the estimators that need it, always from other rows; None leaves these out.
        interval: how intervals are made; by default the log's own marks decide, and `Evaluation.method` says which.
        level: the probability with which an interval holds the value; those of differences hold all together.
        rng: a generator or a seed, for candidates that learn.

    >>> n = 2000
    >>> arms, luck = np.arange(n) % 2, np.random.default_rng(0).random(n)
    >>> log = Log(np.zeros((n, 1)), arms, (luck < 0.3 + 0.2 * arms) * 1.0, np.full(n, 0.5), 2, ("old", "new"))
    >>> evaluation = evaluate(log, {"always new": AlwaysArm("new"), "always old": AlwaysArm("old")})
    >>> evaluation["always new"].verdict.kind, evaluation["always old"].verdict.kind
    ('better', 'worse')

    See also `Candidate`, `AlwaysArm`, `Evaluation`, `CandidateValue`.
    """
    if not isinstance(log, str | os.PathLike):
        checks.instance("log", log, Log, "read_log(table)")
    _refuse_wrong(candidates, estimator, others, model, interval)
    main = estimator or (SelfNormalizedDoublyRobust() if model is not None else SelfNormalized())
    if model is None and main.needs_model:
        raise InvalidArgument(f"{type(main).__name__} needs a reward model; give one, model=LinearRewards()")
    wanted = [main, *(each for each in others if each != main and (model is not None or not each.needs_model))]
    used = model if any(each.needs_model for each in wanted) else None
    source, level = checks.generator(rng), conform(level, Probability, "level")
    with nullcontext(log) if isinstance(log, Log) else _opened(log, candidates) as opened:
        marks = marks_of(opened)
        split = past(len(opened)) if marks.adaptive else folds(len(opened))
        weighed = weigh(opened, candidates, used, split, source)
        played = tuple(_replayed(name, policy, opened, level, source) for name, policy in replays.items())
        return Judging(opened, marks, split, weighed, interval, level).evaluation(wanted, played)


def _opened(path: str | os.PathLike[str], candidates: Mapping[str, Candidate]) -> AbstractContextManager[Log]:
    encoder, arms = own_encoder(candidates)
    return open_log(path, arms=arms, encoder=encoder)


def _refuse_wrong(
    candidates: Mapping[str, Candidate],
    estimator: ValueEstimator | None,
    others: Sequence[ValueEstimator],
    model: RewardModel | None,
    interval: IntervalMethod | None,
) -> None:
    if not isinstance(candidates, Mapping) or not candidates:
        raise InvalidArgument(
            f'candidates must be a dictionary, such as {{"always a": AlwaysArm("a")}}; got {shown(candidates)}'
        )
    if not isinstance(others, Sequence) or isinstance(others, str):
        raise InvalidArgument(f"others must be a list of estimators, as [DoublyRobust()]; got {shown(others)}")
    for name, candidate in candidates.items():
        conform(name, Label, "the name of a candidate")
        checks.instance(f"candidate {name!r}", candidate, Candidate, "AlwaysArm('a')")  # type: ignore[type-abstract]
    specs: list[tuple[str, object, type, str]] = [
        ("estimator", estimator, ValueEstimator, "DoublyRobust()"),
        ("model", model, RewardModel, "LinearRewards()"),
        ("interval", interval, IntervalMethod, "EmpiricalLikelihood()"),
    ]
    specs = [spec for spec in specs if spec[1] is not None]
    specs += [("every one of others", each, ValueEstimator, "DoublyRobust()") for each in others]
    for name, given, kind, such_as in specs:
        checks.instance(name, given, kind, such_as)


def _replayed(name: str, policy: Policy, log: Log, level: float, rng: np.random.Generator) -> ReplayedValue:
    checks.instance(f"replay {name!r}", policy, Policy, "LinearUCB()")  # type: ignore[type-abstract]
    whole = replace(log, contexts=padded(log.contexts[0 : len(log)]))
    found = replay_log(policy, whole, rng.spawn(1)[0])
    return ReplayedValue(name, found.mean, found.interval(level), len(found.rows))
