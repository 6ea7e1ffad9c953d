"""Every error this library raises on purpose. Each message says what was given, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from unicodedata import category

_LONGEST_MESSAGE, _LONGEST_VALUE = 1000, 200


class KernelBanditsError(Exception):
    """Base class: catch this to catch all of them. A message is one line; the middle of a very long one is left out."""

    def __init__(self, message: str = "") -> None:
        super().__init__(_shortened(" ".join(message.splitlines()), _LONGEST_MESSAGE))


class InvalidArgument(KernelBanditsError, ValueError):  # noqa: N818
    """An argument has the wrong type, shape or value. Nothing was changed."""


class InvalidFile(KernelBanditsError, ValueError):  # noqa: N818
    """A file (an experiment in TOML, say) cannot be understood."""


class MissingKnowledge(KernelBanditsError, ValueError):  # noqa: N818
    """A policy needs a fact about the problem that the `Problem` does not state."""


class CellFailed(KernelBanditsError, RuntimeError):  # noqa: N818
    """One run of an experiment raised; the message names panel, method and seed."""


class EngineFailed(KernelBanditsError, RuntimeError):  # noqa: N818
    """The machines that should do the work cannot be reached, were lost, or have another version. Nothing is lost."""


class NotWritten(KernelBanditsError, OSError):  # noqa: N818
    """A file cannot be written, because the disk is full, say. What was there before is unchanged."""


class NumericalBreakdown(KernelBanditsError, ArithmeticError):  # noqa: N818
    """Double precision cannot answer: a score or a result is not finite. The message says what to rescale."""


class TooLarge(InvalidArgument):
    """A fit needs more memory than there is. Nothing was begun; the message has the sizes and what to use instead."""


class NotConverged(UserWarning):
    """An iterative fit ended before it was as accurate as asked for. What it reached is in the predictor's report."""


class RidgeTooSmall(UserWarning):
    """A ridge is far below what arithmetic resolves next to the prior variance, so that more noise is assumed."""


class UnscaledColumns(UserWarning):
    """A fit was made of columns in raw units, in which kernels see next to nothing. The message says which."""


class WeakEvidence(UserWarning):
    """An answer was given that rests on little. The message says on what, and how to get a better one."""


def shown(value: object) -> str:
    """A value as it stands in a message, shortened."""
    try:
        return _shortened(repr(value), _LONGEST_VALUE)
    except (ValueError, RecursionError):  # thousands of digits or levels
        return f"a very large {type(value).__name__}"


def counted(n: int, thing: str) -> str:
    """1 row, 2 rows."""
    return f"{n:,} {thing}{'s' * (n != 1)}"


def visible(text: str) -> str:
    """The text with control characters written out, so that a name from a file cannot steer a terminal."""
    return "".join(ascii(c)[1:-1] if category(c) in ("Cc", "Cf", "Cs") and c != "\n" else c for c in text)


def _shortened(text: str, most: int) -> str:
    """The text, without its middle if it is longer than that."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 3]} … {text[-end:]}"


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that helps with a name which is not among `known`."""
    name, names = name[:_LONGEST_VALUE], list(known)
    close = get_close_matches(name.casefold(), [known.casefold() for known in names], n=1, cutoff=0.5)
    if close:
        best = next(known for known in names if known.casefold() == close[0])
        return f"did you mean {best!r}?"
    return _shortened("known: " + ", ".join(names), _LONGEST_MESSAGE // 2) if names else "none is known here"
