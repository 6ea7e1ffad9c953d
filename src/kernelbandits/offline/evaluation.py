"""What an evaluation answers, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.offline.candidate_overlap import Overlap
from kernelbandits.offline.interval import Interval
from kernelbandits.offline.verdicts import Verdict

if TYPE_CHECKING:
    from kernelbandits.reporting import Document


class Estimate(NamedTuple):
    """One estimator's answer; the interval of one that is not `unbiased` leaves its bias out.

    Attributes:
        estimator: its name.
        value: what it says.
        interval: where the value may be.
        unbiased: whether it is.

    >>> Estimate("DoublyRobust", 0.4, Interval(0.3, 0.5), True).value
    0.4

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
        estimates: what other estimators say.

    >>> log = Log(np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.array([1.0, 0.0, 1.0, 0.0]), np.full(4, 0.5), 2)
    >>> evaluate(log, {"first": AlwaysArm(0)}).candidates[0].name
    'first'

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


class PairDifference(NamedTuple):
    """The difference of two candidates from the same rows; the interval holds for all differences together.

    Attributes:
        first: a candidate.
        second: another one.
        difference: value of the first less that of the second.
        interval: where the difference may be.

    >>> PairDifference("a", "b", 0.1, Interval(-0.1, 0.3)).difference
    0.1

    See also `evaluate`, `Estimate`, `ReplayedValue`, `Interval`.
    """

    first: str
    second: str
    difference: float
    interval: Interval


class ReplayedValue(NamedTuple):
    """What a policy that learns as it goes would have earned per round in its first rounds, by replaying the log.

    Attributes:
        name: the policy.
        value: mean reward per round.
        interval: where the value may be.
        rounds: how many rounds of the log counted.

    >>> ReplayedValue("UCB", 0.4, Interval(0.3, 0.5), 290).rounds
    290

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
        logged: mean reward of the policy that wrote the log, and `logged_interval` where its value is.
        candidates: the candidates in the order given.
        pairs: differences of every two that are supported.
        method: which interval was used, and why.
        replays: policies that were played on the log as they would have learned live.
        findings: what looks wrong in the log.
        notes: how the log was read.
        logged_interval: where the mean of the log may be.

    >>> log = Log(np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.array([1.0, 0.0, 1.0, 0.0]), np.full(4, 0.5), 2)
    >>> evaluate(log, {"first": AlwaysArm(0)}).n
    4

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
        head = f"{self.n:,} rows; the log earned {self.logged:.4g} per row"
        live = (f"{r.name}, live: {r.value:.4g}, {r.interval.low:.4g} to {r.interval.high:.4g}" for r in self.replays)
        verdicts = (f"{c.name}: {c.verdict.words}" for c in self.candidates)
        return "\n".join([head, *verdicts, *live, *self.findings])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        from kernelbandits.offline.evaluation_document import record

        return record(self)

    def document(self) -> Document:
        """The report: for a terminal, as an HTML page or as JSON."""
        from kernelbandits.offline.evaluation_document import document

        return document(self)

    def plot(self) -> Any:
        """The values with their intervals, and the differences to the log, as a figure of matplotlib."""
        from kernelbandits.offline.evaluation_document import picture
        from kernelbandits.reporting import draw

        return draw(picture(self))
