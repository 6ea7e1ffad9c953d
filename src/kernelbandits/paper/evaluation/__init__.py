"""Off-policy evaluation against truth: `kernelbandits reproduce evaluation`."""

from kernelbandits.experiments import RunOptions
from kernelbandits.paper.evaluation.coverage import Coverage
from kernelbandits.paper.evaluation.errors import Errors
from kernelbandits.paper.evaluation.floors import Floors
from kernelbandits.paper.evaluation.sequences import SequenceStudy
from kernelbandits.paper.parts import Pictures, report_parts

PICTURES: Pictures = {
    "a-coverage": (Coverage(),),
    "b-errors": (Errors(),),
    "c-sequences": (SequenceStudy(),),
    "d-floors": (Floors(),),
}


def report(options: RunOptions) -> None:
    """Run the study and write its output folder."""
    report_parts("evaluation", "Off-policy evaluation against truth", PICTURES, options)
