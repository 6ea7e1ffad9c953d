"""What a reader can tell series apart by, read from a finished figure."""

from collections import defaultdict
from itertools import pairwise

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex


def look_of(line):
    """Colour, dashes and marker of a line as drawn."""
    dashes = "none" if line.get_linestyle() == "None" else tuple(line._unscaled_dash_pattern[1] or ())
    marker = "" if line.get_marker() in ("None", "", None) else line.get_marker()
    return to_hex(line.get_color()), dashes, marker


def series_that_look_alike(figure):
    """Pairs of names with one look in the same axes, or under one legend of several axes."""
    groups = [[axes] for axes in figure.axes] + [
        [axes for axes in band.axes if axes.get_legend() is None]
        for band in (figure.subfigs or [figure])
        if band.legends
    ]
    alike = []
    for group in groups:
        by_look = defaultdict(set)
        for axes in group:
            for line in axes.lines:
                name = line.get_label()
                if not name.startswith("_") and name.strip() and len(line.get_xdata()) > 0:
                    by_look[look_of(line)].add(name)
        alike += [tuple(sorted(names)) for names in by_look.values() if len(names) > 1]
    return alike


def labels_that_touch(figure):
    """Pairs of neighbouring tick labels of one axis that overlap when the figure is drawn."""
    FigureCanvasAgg(figure).draw()
    touching = []
    for axes in figure.axes:
        for axis, side in ((axes.xaxis, "intervalx"), (axes.yaxis, "intervaly")):
            low, high = sorted(axis.get_view_interval())
            shown = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            boxes = [
                (*sorted(getattr(label.get_window_extent(), side)), label.get_text())
                for label in shown
                if label.get_visible() and label.get_text()
            ]
            touching += [(a[2], b[2]) for a, b in pairwise(sorted(boxes)) if b[0] < a[1]]
    return touching
