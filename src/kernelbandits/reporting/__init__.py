"""One HTML file that shows everything of a run: it opens offline, and asks nothing of the network."""

from kernelbandits.reporting.page import Report, Section
from kernelbandits.reporting.sections import Facts, Findings, Group, Listing, Note, Picture
from kernelbandits.reporting.tables import Cell, Column, Table

__all__ = [
    "Cell",
    "Column",
    "Facts",
    "Findings",
    "Group",
    "Listing",
    "Note",
    "Picture",
    "Report",
    "Section",
    "Table",
]
