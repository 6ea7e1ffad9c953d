"""Intervals as values, and verdicts on differences with an interval."""

from typing import NamedTuple

BETTER, WORSE, NOT_TOLD_APART, NOT_SUPPORTED = "better", "worse", "not told apart", "not supported"
_MANY = 100.0


class Interval(NamedTuple):
    """A range of values that the data do not speak against.

    Attributes:
        low, high: its ends.

    >>> interval = Interval(0.2, 0.6)
    >>> interval.covers(0.5), round(interval.width, 2), interval.middle
    (True, 0.4, 0.4)

    See also `evaluate`, `ReplayedValue`, `PairDifference`.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """Its length."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The point halfway between its ends."""
        return 0.5 * (self.low + self.high)

    def covers(self, value: float) -> bool:
        """Whether the value lies in it, ends included."""
        return self.low <= value <= self.high


class Verdict(NamedTuple):
    """One of better, worse, not told apart, not supported; the reason; how many more rows would settle it, if any.

    Attributes:
        kind: better, worse, not told apart, or not supported.
        words: the reason, with the difference to the log and its interval.
        more_rows: about how many more rows would tell the two apart, if the difference is as it seems; None if it is
            settled, not supported, or would take more than a hundred times as many rows.

    >>> few = Log(None, np.arange(10) % 2, np.ones(10), np.full(10, 0.5), 2)
    >>> print(evaluate(few, {"first": AlwaysArm(0)})["first"].verdict.words.split(";")[0])
    not supported: the effective sample size is 5.0 of 10 rows

    See also `evaluate`, `ArmOverlap`, `Estimate`, `PairDifference`.
    """

    kind: str
    words: str
    more_rows: int | None = None


def verdict_on(gain: float, interval: Interval, n: int) -> Verdict:
    """Judge a difference to the policy that wrote a log of n rows."""
    told = f"{gain:+.4g} per row against the log, {interval.low:+.4g} to {interval.high:+.4g}"
    if interval.low > 0.0:
        return Verdict(BETTER, f"better: {told}")
    if interval.high < 0.0:
        return Verdict(WORSE, f"worse: {told}")
    if interval.width == 0.0:
        return Verdict(NOT_TOLD_APART, "not told apart: it decides as the policy that wrote the log")
    half = 0.5 * interval.width
    factor = (half / abs(gain)) ** 2 if gain else float("inf")
    if factor > _MANY:
        return Verdict(NOT_TOLD_APART, f"not told apart: {told}; a hundred times as many rows would not settle it")
    more = max(round(n * (factor - 1.0)), 1)
    words = (
        f"not told apart: {told}; about {_rounded(more):,} more rows would settle it if the difference is as it seems"
    )
    return Verdict(NOT_TOLD_APART, words, more)


def _rounded(count: int) -> int:
    """Two figures of a count."""
    size = int(10 ** max(len(str(count)) - 2, 0))
    return -(-count // size) * size
