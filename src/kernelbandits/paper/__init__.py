"""The paper: its eight methods, its experiments, and studies of its claims and of what lies beyond it."""

from kernelbandits.paper.studies import STUDIES, Study, methods
