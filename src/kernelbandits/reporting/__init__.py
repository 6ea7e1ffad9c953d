"""Documents of sections for a terminal, a page or JSON; charts, progress, files. Only this room draws or prints.

rich and matplotlib are loaded when something is shown or drawn.
"""

from kernelbandits.reporting.charts import Axis, Chart, Charts, Line, Mark, Points, Remark, Rule, Shade
from kernelbandits.reporting.curves import Curves, MethodCurve, PanelCurves
from kernelbandits.reporting.document import Document, print_json
from kernelbandits.reporting.files import replacing, write_text
from kernelbandits.reporting.progress import Progress
from kernelbandits.reporting.sections import Facts, Findings, Group, Listing, Note, Picture, Section
from kernelbandits.reporting.styles import COLOURS, Look, look, looks
from kernelbandits.reporting.tables import Column, Entry, Table
from kernelbandits.reporting.toml import toml_key, toml_lines, toml_text

__all__ = [
    "COLOURS",
    "Axis",
    "Chart",
    "Charts",
    "Column",
    "Curves",
    "Document",
    "Entry",
    "Facts",
    "Findings",
    "Group",
    "Line",
    "Listing",
    "Look",
    "Mark",
    "MethodCurve",
    "Note",
    "PanelCurves",
    "Picture",
    "Points",
    "Progress",
    "Remark",
    "Rule",
    "Section",
    "Shade",
    "Table",
    "look",
    "looks",
    "print_json",
    "replacing",
    "toml_key",
    "toml_lines",
    "toml_text",
    "write_text",
]
