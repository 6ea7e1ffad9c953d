"""From weighed rows to values, differences and verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np
from scipy.special import ndtr

from kernelbandits.offline.evaluation import CandidateValue, Estimate, Evaluation, PairDifference, ReplayedValue
from kernelbandits.offline.interval import NOT_SUPPORTED, Interval, Verdict, verdict_on
from kernelbandits.offline.intervals import IntervalMethod
from kernelbandits.offline.log import Log
from kernelbandits.offline.marks import Marks, default_interval, findings
from kernelbandits.offline.score_sample import ScoreSample
from kernelbandits.offline.split import Split, past_precisions
from kernelbandits.offline.value_estimators import ValueEstimator
from kernelbandits.offline.weighing import Weighed
from kernelbandits.offline.weighted_rows import typical_changes
from kernelbandits.types import Array

_EXTREMES_FROM = 5000
_SAME = 1e-9
_DRAWS = 20_000


@final
@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """A log whose rows were weighed for every candidate."""

    log: Log
    marks: Marks
    split: Split
    weighed: Mapping[str, Weighed]
    interval: IntervalMethod | None
    level: float

    def evaluation(self, estimators: Sequence[ValueEstimator], replays: tuple[ReplayedValue, ...] = ()) -> Evaluation:
        """All values, differences and verdicts; the first estimator is the one that counts."""
        log, marks = self.log, self.marks
        main, (chosen, why) = estimators[0], default_interval(marks)
        method = self.interval or chosen
        refusals = {name: each.overlap.refusal() for name, each in self.weighed.items()}
        kept = {name: each for name, each in self.weighed.items() if refusals[name] is None}
        samples = {name: self.sample(each, main) for name, each in kept.items()}
        gains = {name: self._gain(samples[name], kept[name]) for name in kept}
        pairs = {(a, b): self._pair(samples[a], samples[b], kept[a], kept[b]) for a, b in combinations(kept, 2)}
        joint = _joint_level([each.scores for each in (*gains.values(), *pairs.values())], self.level)
        values = []
        for name, each in self.weighed.items():
            reason = refusals[name]
            if reason is not None:
                values.append(self._refused(name, each, reason))
                continue
            gain, at = gains[name].value, method.interval(gains[name], joint)
            if np.allclose(each.rows.weights, 1.0, rtol=0.0, atol=_SAME):
                gain, at = 0.0, Interval(0.0, 0.0)  # it is the policy that wrote the log
            estimates = tuple(self.estimate(each, e, method) for e in estimators)
            verdict = verdict_on(gain, at, len(log))
            values.append(CandidateValue(name, *estimates[0][1:3], gain, at, verdict, each.overlap, estimates))
        differences = tuple(
            PairDifference(a, b, sample.value, method.interval(sample, joint)) for (a, b), sample in pairs.items()
        )
        logged = self._logged()
        doubt = "propensities were estimated from the log: every number supposes that the features explain the choices"
        return Evaluation(
            len(log),
            self.level,
            logged.value,
            method.interval(logged, self.level),
            tuple(values),
            differences,
            replays,
            why if self.interval is None else method.words(),
            (*((doubt,) if log.estimated else ()), *findings(log)),
            log.notes,
        )

    def estimate(self, weighed: Weighed, estimator: ValueEstimator, method: IntervalMethod) -> Estimate:
        """One estimator's value of a candidate, and its interval."""
        sample = self.sample(weighed, estimator)
        name = type(estimator).__name__
        return Estimate(name, sample.value, method.interval(sample, self.level), estimator.unbiased)

    def sample(self, weighed: Weighed, estimator: ValueEstimator) -> ScoreSample:
        """The scores of one estimator, as intervals need them."""
        marks, rows = self.marks, weighed.rows
        importances = past_precisions(self.split, weighed.squares) if marks.adaptive else np.ones(len(rows))
        parts = self.split.edges if marks.adaptive else np.array([0, len(rows)])
        few = rows.some(_EXTREMES_FROM)
        few = few.with_typical((marks.low, marks.high), max(few.typical_weight, weighed.overlap.contrary_weight))
        low, high = estimator.scores(few)[-2:].tolist()
        limits = (marks.low, marks.high) if marks.stated else (-np.inf, np.inf)
        scores = estimator.scores(rows)
        return ScoreSample(scores, importances, parts, (min(low, high), max(low, high)), limits, rows.effective_size)

    def _gain(self, sample: ScoreSample, weighed: Weighed) -> ScoreSample:
        """The candidate less the log.

        Two estimates are unbiased: that of the value less r, and (w − 1)(r − r̄), which is precise for a candidate that
        decides nearly as the log does. The one whose scores vary less is taken.
        """
        rows, center, least = weighed.rows, sample.value, weighed.overlap.contrary_weight - 1.0
        scores = _linear(sample) - rows.rewards
        near = (rows.weights - 1.0) * (rows.rewards - float(rows.rewards.mean()))
        if near.var() < scores.var():
            scores, center = near, float(rows.rewards.mean())
        more, less = typical_changes(rows.weights - 1.0)
        ends = self._ends(max(more, least), center, less, center)
        return self._difference(scores, ends, rows.effective_size, rows.most_changes)

    def _pair(self, a: ScoreSample, b: ScoreSample, first: Weighed, second: Weighed) -> ScoreSample:
        """One candidate less another."""
        more, less = typical_changes(first.rows.weights - second.rows.weights)
        more, less = max(more, first.overlap.contrary_weight), max(less, second.overlap.contrary_weight)
        low, high = self._ends(more, a.value, less, b.value)
        size, apart = min(first.rows.effective_size, second.rows.effective_size), a.value - b.value
        share = min(first.rows.most_changes + second.rows.most_changes, 1.0)
        return self._difference(_linear(a) - _linear(b), (apart + low, apart + high), size, share)

    def _ends(self, more: float, first: float, less: float, second: float) -> tuple[float, float]:
        """What a further row with an extreme reward adds to a difference of two values, at the least and at the most.

        It counts either for the first, by `more`, or for the second, by `less`.
        """
        low, high = self.marks.low, self.marks.high
        return min(more * (low - first), less * (second - high)), max(more * (high - first), less * (second - low))

    def _difference(self, scores: Array, extremes: tuple[float, float], size: float, share: float) -> ScoreSample:
        """Scores of a difference between policies that decide differently in at most this share of rows."""
        most = share * (self.marks.high - self.marks.low) if self.marks.stated else np.inf
        n = len(scores)
        return ScoreSample(scores, np.ones(n), np.array([0, n]), extremes, (-most, most), size)

    def _logged(self) -> ScoreSample:
        marks, n = self.marks, len(self.log)
        limits = (marks.low, marks.high)
        return ScoreSample(self.log.rewards, np.ones(n), np.array([0, n]), limits, limits, float(n))

    def _refused(self, name: str, weighed: Weighed, reason: str) -> CandidateValue:
        everything, spread = Interval(self.marks.low, self.marks.high), self.marks.high - self.marks.low
        verdict = Verdict(NOT_SUPPORTED, f"not supported: {reason}")
        gain = (float("nan"), Interval(-spread, spread))
        return CandidateValue(name, float("nan"), everything, *gain, verdict, weighed.overlap, ())


def _linear(sample: ScoreSample) -> Array:
    """Scores whose plain mean is the value: V + u (y − V)/ū."""
    shares = sample.importances / sample.importances.mean()
    return np.asarray(sample.value + shares * (sample.scores - sample.value))


def _joint_level(scores: Sequence[Array], level: float) -> float:
    """Return the level at which single intervals hold together with probability `level` (Dunnett 1955; Hothorn 2008).

    It is P(|Z| ≤ q) where q is the quantile of the largest of |Z₁|, …, |Z_m|, normal with the correlations of the
    scores: differences from the same rows are dependent, so it is less strict than Bonferroni's.
    """
    varying = [each - each.mean() for each in scores if np.ptp(each) > 0.0]
    if len(varying) < 2:
        return level
    sizes = [float(np.sqrt(each @ each)) for each in varying]
    products = np.array([[float(a @ b) for b in varying] for a in varying])
    correlations = products / np.outer(sizes, sizes)
    values, vectors = np.linalg.eigh(correlations)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    largest = np.abs(np.random.default_rng(0).standard_normal((_DRAWS, len(varying))) @ roots.T).max(axis=1)
    return float(max(2.0 * ndtr(np.quantile(largest, level)) - 1.0, level))
