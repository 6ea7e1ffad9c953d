"""The report of an experiment: its sections from its results."""

from kernelbandits.experiments.report.curves import Curves
from kernelbandits.experiments.report.standard import origin, regret_table, report_html, settings, write_report
from kernelbandits.reporting import Cell, Column, Facts, Findings, Group, Listing, Note, Picture, Report, Section, Table

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
