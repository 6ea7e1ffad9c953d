"""The paper's theory against experiment: `kernelbandits reproduce theory`."""

from kernelbandits.paper.parts import Picture
from kernelbandits.paper.theory.error import Error
from kernelbandits.paper.theory.exploration import Exploration
from kernelbandits.paper.theory.information import Information
from kernelbandits.paper.theory.lenient import Lenient
from kernelbandits.paper.theory.linearization import Linearization
from kernelbandits.paper.theory.rate import Rate

PICTURES = (
    Picture("a-linearization", (Linearization(),)),
    Picture("b-error", (Error(),)),
    Picture("c-regret", (Rate(), Exploration())),
    Picture("d-information", (Information(), Lenient())),
)

__all__ = ["PICTURES", "Error", "Exploration", "Information", "Lenient", "Linearization", "Rate"]
