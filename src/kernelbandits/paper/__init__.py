"""The paper: its eight methods by name, its experiments, and studies of what it claims and of what lies beyond it."""

from kernelbandits.paper.catalogue import STUDIES, Study
from kernelbandits.paper.eight_methods import methods

__all__ = ["STUDIES", "Study", "methods"]
