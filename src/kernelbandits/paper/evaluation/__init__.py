"""Off-policy evaluation against truth: `kernelbandits reproduce evaluation`."""

from pathlib import Path

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
    pictures = dict(PICTURES) | ({"e-open-bandit": (OpenBandit(str(data_dir)),)} if data_dir is not None else {})
    report_parts("evaluation", "Off-policy evaluation against truth", pictures, options)
