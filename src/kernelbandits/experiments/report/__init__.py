"""One HTML file that shows everything of a run: it opens offline, and asks nothing of the network."""

from kernelbandits.experiments.report.curves import Curves
from kernelbandits.experiments.report.page import Report, Section
from kernelbandits.experiments.report.sections import Facts, Findings, Group, Listing, Note, Picture
from kernelbandits.experiments.report.standard import origin, regret_table, report_html, settings, write_report
from kernelbandits.experiments.report.tables import Cell, Column, Table

__all__ = [
    "Cell",
    "Column",
    "Curves",
    "Facts",
    "Findings",
    "Group",
    "Listing",
    "Note",
    "Picture",
    "Report",
    "Section",
    "Table",
    "origin",
    "regret_table",
    "report_html",
    "settings",
    "write_report",
]
