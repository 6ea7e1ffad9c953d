"""What an evaluation answers, as values."""

from dataclasses import dataclass
from typing import Any, NamedTuple, final

from kernelbandits.errors import InvalidArgument, counted, nearest
from kernelbandits.offline.candidate_overlap import Overlap
from kernelbandits.offline.evaluation_document import document, picture, record, values_table
from kernelbandits.offline.interval import Interval, Verdict
from kernelbandits.reporting import Document, Drawn, facts_html, plot, short_html, short_repr


class Estimate(NamedTuple):
    """One estimator's answer; the interval of one that is not `unbiased` leaves its bias out.

    Attributes:
        estimator: the name of its class.
        value: what it says the candidate would have earned per row.
        interval: where the value is with the probability of the evaluation, one estimator at a time.
        unbiased: whether it is, up to small terms of ratios, if the propensities are right.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> found = evaluate(log, {"old": AlwaysArm("old")})["old"].estimates
    >>> [(each.estimator, round(each.value, 2)) for each in found if not each.unbiased][:2]
    [('ClippedWeights', 0.5), ('SubGaussianWeights', 0.5)]

    See also `evaluate`, `Verdict`, `PairDifference`, `ReplayedValue`.
    """

    estimator: str
    value: float
    interval: Interval
    unbiased: bool


@final
@dataclass(frozen=True, slots=True)
class CandidateValue:
    """What a candidate would have earned per row.

    Attributes:
        name: the candidate.
        value: the estimate; NaN if the log cannot tell.
        interval: where the value is with the stated probability; all that is possible if the log cannot tell.
        gain: the difference to the policy that wrote the log, from the same rows; by whichever of two unbiased
            estimates varies less, so it need not be exactly the difference of the two values.
        gain_interval: its interval, which holds for all differences of the evaluation together.
        verdict: better, worse, not told apart or not supported, in words.
        overlap: how much of the candidate the log can speak about.
        estimates: what every estimator says, that of `value` first; empty if the log cannot tell.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> old = evaluate(log, {"old": AlwaysArm("old")})["old"]
    >>> print(f"{old.value:.2f}, {old.interval.low:.2f} to {old.interval.high:.2f}: {old.verdict.kind}")
    0.50, 0.39 to 0.61: better
    >>> round(old.gain, 3)
    0.125

    See also `evaluate`, `Evaluation`, `Overlap`, `ArmOverlap`.
    """

    name: str
    value: float
    interval: Interval
    gain: float
    gain_interval: Interval
    verdict: Verdict
    overlap: Overlap
    estimates: tuple[Estimate, ...]

    __repr__ = short_repr
    _repr_html_ = short_html


class PairDifference(NamedTuple):
    """The difference of two candidates from the same rows; the interval holds for all differences together.

    Attributes:
        first, second: the names of two candidates.
        difference: value of the first less that of the second.
        interval: where the difference is; if 0 is outside, the two are told apart.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> pair = evaluate(log, {"old": AlwaysArm("old"), "new": AlwaysArm("new")}).pairs[0]
    >>> round(pair.difference, 2), pair.interval.covers(0.0)
    (0.25, False)

    See also `evaluate`, `Estimate`, `ReplayedValue`, `Interval`.
    """

    first: str
    second: str
    difference: float
    interval: Interval


class ReplayedValue(NamedTuple):
    """What a policy that learns as it goes would have earned per round in its first rounds, by replaying the log.

    Attributes:
        name: of the policy, as given to `evaluate`.
        value: mean reward per round.
        interval: where its expectation is, from resampled logs (`ReplayedLog.interval`).
        rounds: rows of the log in which the policy picked the logged arm: the value is that of so many first rounds.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> live = evaluate(log, {"old": AlwaysArm("old")}, replays={"any arm": Uniform()}).replays[0]
    >>> live.rounds < len(log), bool(live.interval.covers(log.rewards.mean()))
    (True, True)

    See also `evaluate`, `PairDifference`, `Interval`, `Estimate`.
    """

    name: str
    value: float
    interval: Interval
    rounds: int


@final
@dataclass(frozen=True, slots=True)
class Evaluation:
    """What candidates would have earned on a log, how sure that is, and what to make of it.

    Attributes:
        n: rows of the log.
        level: the probability of intervals.
        logged: mean reward of the rows: what the policy that wrote the log earned.
        logged_interval: where the value of that policy is.
        candidates: the candidates in the order given.
        pairs: differences of every two that are supported.
        method: which interval was used, and why.
        replays: policies that were played on the log as they would have learned live.
        findings: what looks wrong in the log.
        notes: how the log was read.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> print(evaluate(log, {"always old": AlwaysArm("old")}))
    200 rows; the log earned 0.375 per row
    always old: better: +0.125 per row against the log, +0.05358 to +0.1921

    See also `evaluate`, `CandidateValue`, `Overlap`.
    """

    n: int
    level: float
    logged: float
    logged_interval: Interval
    candidates: tuple[CandidateValue, ...]
    pairs: tuple[PairDifference, ...]
    replays: tuple[ReplayedValue, ...]
    method: str
    findings: tuple[str, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> CandidateValue:
        for candidate in self.candidates:
            if candidate.name == name:
                return candidate
        raise InvalidArgument(f"no candidate is called {name!r}; {nearest(name, [c.name for c in self.candidates])}")

    def __str__(self) -> str:
        head = f"{counted(self.n, 'row')}; the log earned {self.logged:.4g} per row"
        live = (f"{r.name}, live: {r.value:.4g}, {r.interval.low:.4g} to {r.interval.high:.4g}" for r in self.replays)
        verdicts = (f"{c.name}: {c.verdict.words}" for c in self.candidates)
        return "\n".join([head, *verdicts, *live, *self.findings])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return record(self)

    def document(self) -> Document:
        """The report: for a terminal, as an HTML page or as JSON."""
        return document(self)

    def plot(self) -> Drawn:
        """Draw values with their intervals, and differences to the log, with pyplot; returns the axes."""
        return plot(picture(self))

    def __repr__(self) -> str:
        verdicts = (f"{candidate.name}: {candidate.verdict.kind}" for candidate in self.candidates)
        return f"Evaluation({self.n:,} rows, {', '.join(verdicts)})"

    def _repr_html_(self) -> str:
        verdicts = {candidate.name: candidate.verdict.words for candidate in self.candidates}
        return facts_html(f"Evaluation on {self.n:,} rows", verdicts, values_table(self).html())
