"""Pictures in tests of other things: drawn once, as SVG and without a layout, since that takes a fifth of the time.

Most of the time of a small command goes into its pictures. Tests that look at them ask for the fixture `painted`.
"""

from contextlib import contextmanager

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from kernelbandits.reporting import charts, sections

_write = charts.write_figure
_painted = False


def write_figure(figure, target, kind):
    if not _painted:
        if kind == "png":
            figure = Figure((1.0, 1.0))
        figure.set_layout_engine("none")
        with mpl.rc_context({"svg.fonttype": "none"}):  # texts as texts, not as outlines
            _write(figure, target, kind)
    else:
        _write(figure, target, kind)


@contextmanager
def sketched():
    """Until the block ends, pictures are sketched, except in blocks of `painted`."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (charts, sections):
            patch.setattr(module, "write_figure", write_figure)
        yield


@contextmanager
def painted():
    """Until the block ends, pictures are painted as users get them."""
    global _painted
    before, _painted = _painted, True
    try:
        yield
    finally:
        _painted = before
