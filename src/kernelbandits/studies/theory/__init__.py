"""The paper's theory against experiment: `kernelbandits reproduce theory`."""

from kernelbandits.studies.parts import Picture
from kernelbandits.studies.theory.error import Error
from kernelbandits.studies.theory.exploration import Exploration
from kernelbandits.studies.theory.information import Information
from kernelbandits.studies.theory.lenient import Lenient
from kernelbandits.studies.theory.linearization import Linearization
from kernelbandits.studies.theory.rate import Rate

PICTURES = (
    Picture("a-linearization", (Linearization(),)),
    Picture("b-error", (Error(),)),
    Picture("c-regret", (Rate(), Exploration())),
    Picture("d-information", (Information(), Lenient())),
)

__all__ = ["PICTURES", "Error", "Exploration", "Information", "Lenient", "Linearization", "Rate"]
