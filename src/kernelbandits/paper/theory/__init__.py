"""The paper's theory against experiment: `kernelbandits reproduce theory`."""

from kernelbandits.experiments import RunOptions
from kernelbandits.paper.parts import Pictures, report_parts
from kernelbandits.paper.theory.error import InterpolationError
from kernelbandits.paper.theory.exploration import Exploration
from kernelbandits.paper.theory.information import Information
from kernelbandits.paper.theory.lenient import Lenient
from kernelbandits.paper.theory.linearization import LinearizationError
from kernelbandits.paper.theory.rate import Rate

PICTURES: Pictures = {
    "a-linearization": (LinearizationError(),),
    "b-error": (InterpolationError(),),
    "c-regret": (Rate(), Exploration()),
    "d-information": (Information(), Lenient()),
}


def report(options: RunOptions) -> None:
    """Run the study and write its output folder."""
    report_parts("theory", "The paper's theory against experiment", PICTURES, options)


__all__ = [
    "PICTURES",
    "Exploration",
    "Information",
    "InterpolationError",
    "Lenient",
    "LinearizationError",
    "Rate",
    "report",
]
