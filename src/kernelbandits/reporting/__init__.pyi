from .charts import (
    Axis as Axis,
    Chart as Chart,
    Charts as Charts,
    Line as Line,
    Mark as Mark,
    Points as Points,
    Remark as Remark,
    Rule as Rule,
    Shade as Shade,
)
from .curves import Curves as Curves, MethodCurve as MethodCurve, PanelCurves as PanelCurves
from .document import Document as Document, print_json as print_json
from .figures import draw as draw, save as save
from .files import replacing as replacing, write_text as write_text
from .progress import Progress as Progress
from .sections import (
    Facts as Facts,
    Findings as Findings,
    Group as Group,
    Listing as Listing,
    Note as Note,
    Picture as Picture,
    Section as Section,
)
from .styles import COLOURS as COLOURS, Look as Look, look as look, looks as looks
from .tables import Column as Column, Entry as Entry, Table as Table
from .toml import toml_key as toml_key, toml_lines as toml_lines, toml_text as toml_text
