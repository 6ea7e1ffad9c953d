"""Off-policy evaluation: log × candidates → values, differences, verdicts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.offline.candidate import Candidate
from kernelbandits.offline.evaluation import CandidateValue, Estimate, Evaluation, PairDifference
from kernelbandits.offline.importances import past_precisions
from kernelbandits.offline.interval import Interval
from kernelbandits.offline.intervals import IntervalMethod
from kernelbandits.offline.log import Log
from kernelbandits.offline.log_tables import open_log
from kernelbandits.offline.marks import Marks, default_interval, findings, marks_of
from kernelbandits.offline.reward_models import LinearRewards, RewardModel
from kernelbandits.offline.score_sample import ScoreSample
from kernelbandits.offline.simultaneous import simultaneous_level
from kernelbandits.offline.split import Split, folds, past
from kernelbandits.offline.value_estimators import ALL_ESTIMATORS, DoublyRobust, SelfNormalized, ValueEstimator
from kernelbandits.offline.verdicts import refused, verdict_on
from kernelbandits.offline.weighing import Weighed, weigh
from kernelbandits.specs import Probability, conform
from kernelbandits.types import Array

_EXTREMES_FROM = 5000


def evaluate(
    log: Log | str | os.PathLike[str],
    candidates: Mapping[str, Candidate],
    *,
    estimator: ValueEstimator | None = None,
    others: Sequence[ValueEstimator] = ALL_ESTIMATORS,
    model: RewardModel | None = LinearRewards(),  # noqa: B008 (a frozen spec)
    interval: IntervalMethod | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> Evaluation:
    """Estimate what candidates would have earned on a log, with intervals, differences and a verdict for each.

    Args:
        log: a `Log`, or the path of a file with the columns that `LogColumns` names, which may be of any size.
        candidates: by name: `AlwaysArm("10pct")`, `UniformArms()`, `GivenChances(table)`, `ByFunction(f)`,
            `SavedBandit(kb.load("shop.kb"))`, `LearnedPolicy(LinearUCB())`.
        estimator: of the value; by default `DoublyRobust()`, or `SelfNormalized()` without a reward model.
        others: further estimators to compare.
        model: predicts rewards for the estimators that need it, always from other rows; None leaves these out.
        interval: how intervals are made; by default the log's own marks decide, and `Evaluation.method` says which.
        level: the probability of intervals.
        rng: a generator or a seed, for candidates that learn.

    >>> n = 2000
    >>> arms, luck = np.arange(n) % 2, np.random.default_rng(0).random(n)
    >>> log = Log(np.zeros((n, 1)), arms, (luck < 0.3 + 0.2 * arms) * 1.0, np.full(n, 0.5), 2, ("old", "new"))
    >>> evaluation = evaluate(log, {"always new": AlwaysArm("new"), "always old": AlwaysArm("old")})
    >>> evaluation["always new"].verdict.kind, evaluation["always old"].verdict.kind
    ('better', 'worse')

    """
    if isinstance(log, str | os.PathLike):
        with open_log(log) as opened:
            return evaluate(
                opened,
                candidates,
                estimator=estimator,
                others=others,
                model=model,
                interval=interval,
                level=level,
                rng=rng,
            )
    checks.instance("log", log, Log, "read_log(table)")
    _refuse_wrong(candidates)
    main = estimator or (DoublyRobust() if model is not None else SelfNormalized())
    wanted = [main, *(each for each in others if each != main)]
    wanted = [each for each in wanted if model is not None or not each.needs_model]
    if main not in wanted:
        raise InvalidArgument(f"{type(main).__name__} needs a reward model; give one, model=LinearRewards()")
    marks = marks_of(log)
    split = past(len(log)) if marks.adaptive else folds(len(log))
    weighed = weigh(
        log, candidates, model if any(e.needs_model for e in wanted) else None, split, checks.generator(rng)
    )
    return _Judging(log, marks, split, weighed, interval, conform(level, Probability, "level")).evaluation(wanted)


def _refuse_wrong(candidates: Mapping[str, Candidate]) -> None:
    if not isinstance(candidates, Mapping) or not candidates:
        raise InvalidArgument(
            f'candidates must be a dictionary, such as {{"always a": AlwaysArm("a")}}; got {shown(candidates)}'
        )
    for name, candidate in candidates.items():
        checks.label("the name of a candidate", name, "'always a'")
        checks.instance(f"candidate {name!r}", candidate, Candidate, "AlwaysArm('a')")  # type: ignore[type-abstract]


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Judging:
    """A log whose rows were weighed for every candidate."""

    log: Log
    marks: Marks
    split: Split
    weighed: Mapping[str, Weighed]
    interval: IntervalMethod | None
    level: float

    def evaluation(self, estimators: Sequence[ValueEstimator]) -> Evaluation:
        log, marks = self.log, self.marks
        main, size = estimators[0], min(each.rows.effective_size for each in self.weighed.values())
        chosen, why = default_interval(marks, size)
        method = self.interval or chosen
        refusals = {name: each.overlap.refusal() for name, each in self.weighed.items()}
        kept = {name: each for name, each in self.weighed.items() if refusals[name] is None}
        samples = {name: self._sample(each, main) for name, each in kept.items()}
        gains = {name: self._gain(samples[name], kept[name]) for name in kept}
        pairs = {(a, b): self._pair(samples[a], samples[b], kept[a], kept[b]) for a, b in combinations(kept, 2)}
        joint = simultaneous_level([each.scores for each in (*gains.values(), *pairs.values())], self.level)
        values = []
        for name, each in self.weighed.items():
            reason = refusals[name]
            if reason is not None:
                values.append(self._refused(name, each, reason))
                continue
            gain, at = gains[name].value, method.interval(gains[name], joint)
            estimates = tuple(self._estimate(each, e, method) for e in estimators)
            verdict = verdict_on(gain, at, len(log))
            values.append(CandidateValue(name, *estimates[0][1:3], gain, at, verdict, each.overlap, estimates))
        differences = tuple(
            PairDifference(a, b, sample.value, method.interval(sample, joint)) for (a, b), sample in pairs.items()
        )
        logged = self._logged()
        words = why if self.interval is None else method.words()
        return Evaluation(
            len(log),
            self.level,
            logged.value,
            method.interval(logged, self.level),
            tuple(values),
            differences,
            words,
            (*_estimated(log), *findings(log)),
            log.notes,
        )

    def _estimate(self, weighed: Weighed, estimator: ValueEstimator, method: IntervalMethod) -> Estimate:
        sample = self._sample(weighed, estimator)
        name = type(estimator).__name__
        return Estimate(name, sample.value, method.interval(sample, self.level), estimator.unbiased)

    def _sample(self, weighed: Weighed, estimator: ValueEstimator) -> ScoreSample:
        marks, rows = self.marks, weighed.rows
        importances = past_precisions(self.split, weighed.squares) if marks.adaptive else np.ones(len(rows))
        parts = self.split.edges if marks.adaptive else np.array([0, len(rows)])
        few = rows.some(_EXTREMES_FROM).with_typical((marks.low, marks.high))
        low, high = estimator.scores(few)[-2:].tolist()
        limits = (marks.low, marks.high) if marks.stated else (-np.inf, np.inf)
        scores = estimator.scores(rows)
        return ScoreSample(scores, importances, parts, (min(low, high), max(low, high)), limits, rows.effective_size)

    def _plain(self, scores: Array, extremes: tuple[float, float], size: float) -> ScoreSample:
        spread = self.marks.high - self.marks.low
        limits = (-spread, spread) if self.marks.stated else (-np.inf, np.inf)
        return ScoreSample(scores, np.ones(len(scores)), np.array([0, len(scores)]), extremes, limits, size)

    def _gain(self, sample: ScoreSample, weighed: Weighed) -> ScoreSample:
        """The candidate less the log: a further row has the same reward in both."""
        low, high = sample.extremes[0] - self.marks.low, sample.extremes[1] - self.marks.high
        extremes = (min(low, high), max(low, high))
        return self._plain(_linear(sample) - self.log.rewards, extremes, weighed.rows.effective_size)

    def _pair(self, a: ScoreSample, b: ScoreSample, first: Weighed, second: Weighed) -> ScoreSample:
        """One candidate less another: a further row counts for one of them only."""
        apart = a.value - b.value
        up = max(a.extremes[1] - a.value, b.value - b.extremes[0])
        down = max(a.value - a.extremes[0], b.extremes[1] - b.value)
        size = min(first.rows.effective_size, second.rows.effective_size)
        return self._plain(_linear(a) - _linear(b), (apart - down, apart + up), size)

    def _logged(self) -> ScoreSample:
        marks, n = self.marks, len(self.log)
        limits = (marks.low, marks.high)
        return ScoreSample(self.log.rewards, np.ones(n), np.array([0, n]), limits, limits, float(n))

    def _refused(self, name: str, weighed: Weighed, reason: str) -> CandidateValue:
        marks, spread, nan = self.marks, self.marks.high - self.marks.low, float("nan")
        everything = Interval(marks.low, marks.high)
        return CandidateValue(
            name, nan, everything, nan, Interval(-spread, spread), refused(reason), weighed.overlap, ()
        )


def _linear(sample: ScoreSample) -> Array:
    """Scores whose plain mean is the value: V + u (y − V)/ū."""
    shares = sample.importances / sample.importances.mean()
    return np.asarray(sample.value + shares * (sample.scores - sample.value))


def _estimated(log: Log) -> Iterable[str]:
    if log.estimated:
        yield "propensities were estimated from the log: every number supposes that the features explain the choices"
