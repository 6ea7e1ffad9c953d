"""Every error this library raises on purpose. Each message says what was given, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class KernelBanditsError(Exception):
    """Base class: catch this to catch all of them."""


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


class WeakEvidence(UserWarning):
    """An answer was given that rests on little. The message says on what, and how to get a better one."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that helps with a name which is not among `known`."""
    names = list(known)
    close = get_close_matches(name.casefold(), [known.casefold() for known in names], n=1, cutoff=0.5)
    if close:
        best = next(known for known in names if known.casefold() == close[0])
        return f"did you mean {best!r}?"
    return "known: " + ", ".join(names) if names else "none is known here"
