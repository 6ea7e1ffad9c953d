"""Documents of sections for a terminal, a page or JSON; charts, progress, files. Only this room draws or prints."""

from kernelbandits.reporting.charts import Axis, Chart, Charts, Line, Mark, Points, Remark, Rule, Shade, draw, save
from kernelbandits.reporting.curve_looks import COLOURS, Look, look, looks
from kernelbandits.reporting.curves import Curves, PanelCurves
from kernelbandits.reporting.document import Column, Document, Entry, Table, print_json
from kernelbandits.reporting.files import remove_parts, replacing, write_text
from kernelbandits.reporting.locks import lock, remove_abandoned, unlock
from kernelbandits.reporting.progress import Progress
from kernelbandits.reporting.sections import (
    Facts,
    Findings,
    Group,
    Listing,
    Note,
    Picture,
    Section,
    toml_key,
    toml_lines,
    toml_value,
)
from kernelbandits.reporting.terminal_tables import terminal_width
