"""Off-policy evaluation against truth: `kernelbandits reproduce evaluation`."""

from pathlib import Path

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import RunOptions
from kernelbandits.paper.evaluation.coverage import Coverage
from kernelbandits.paper.evaluation.errors import Errors
from kernelbandits.paper.evaluation.learning import LearningPolicies
from kernelbandits.paper.evaluation.open_bandit import OpenBandit
from kernelbandits.paper.evaluation.sequences import SequenceStudy
from kernelbandits.paper.evaluation.writers import Floors, SureWriters
from kernelbandits.paper.parts import Pictures, report_parts

PICTURES: Pictures = {
    "a-coverage": (Coverage(),),
    "b-errors": (Errors(),),
    "c-sequences": (SequenceStudy(),),
    "d-floors": (Floors(),),
    "e-open-bandit": (OpenBandit(),),
    "f-learning": (LearningPolicies(),),
    "g-writers": (SureWriters(),),
}


def report(options: RunOptions, data_dir: Path | None = None) -> None:
    """Run the study and write its output folder. The Open Bandit samples are looked for in the folder of data."""
    samples, title = OpenBandit(str(data_dir or "")), "Off-policy evaluation against truth"
    pictures = {**PICTURES, "e-open-bandit": (samples,)}
    asked = samples.name in (name.casefold() for name in options.only)
    if missing := samples.missing():
        if asked:
            raise InvalidArgument(missing)
        del pictures["e-open-bandit"]
        title += "" if options.only else f", without the Open Bandit samples ({missing})"
    report_parts("evaluation", title, pictures, options)
