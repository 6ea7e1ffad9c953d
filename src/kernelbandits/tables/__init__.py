"""Tables of numbers and categories: read from a file, encoded as points. polars is imported where a file is read."""

from kernelbandits.tables.encoding import Encoded, Encoding
from kernelbandits.tables.scaling import CommonUnit, Scaling, UnitVariance

__all__ = ["CommonUnit", "Encoded", "Encoding", "Scaling", "UnitVariance"]
