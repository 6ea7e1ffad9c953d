"""Studies: questions put to the library by experiment, each answered by pictures with their tables."""

from kernelbandits.studies.catalogue import STUDIES, Study

__all__ = ["STUDIES", "Study"]
