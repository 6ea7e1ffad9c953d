"""Documents of sections for a terminal, a page or JSON; charts, progress, files. Only this room draws or prints."""

from kernelbandits.reporting.annotations import Remark, Shade
from kernelbandits.reporting.charts import (
    Axis,
    Chart,
    Charts,
    Drawn,
    Line,
    Mark,
    Points,
    Rule,
    draw,
    plot,
    save,
)
from kernelbandits.reporting.curves import Curves, PanelCurves
from kernelbandits.reporting.document import Column, Document, Entry, Table, print_json, terminal_width
from kernelbandits.reporting.dot_rows import dot_rows, rows_picture
from kernelbandits.reporting.files import lock, remove_abandoned, replacing, write_text
from kernelbandits.reporting.glance import facts_html, short_html, short_repr, sparkline
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
from kernelbandits.reporting.styles import COLOURS, Look, look, looks, spread
