"""The paper's theory against experiment: `kernelbandits reproduce theory`."""

from kernelbandits.experiments import RunOptions
from kernelbandits.paper.parts import Pictures, report_parts
from kernelbandits.paper.theory.errors import InterpolationError, LinearizationError
from kernelbandits.paper.theory.information import Information, Lenient
from kernelbandits.paper.theory.regret import Exploration, Rate

PICTURES: Pictures = {
    "a-linearization": (LinearizationError(),),
    "b-error": (InterpolationError(),),
    "c-regret": (Rate(), Exploration()),
    "d-information": (Information(), Lenient()),
}


def report(options: RunOptions) -> None:
    """Run the study and write its output folder."""
    report_parts("theory", "The paper's theory against experiment", PICTURES, options)
