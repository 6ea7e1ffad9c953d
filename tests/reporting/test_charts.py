"""What a chart shows: bands, axes and reference lines at the values that they are given."""

import numpy as np
import pytest

from kernelbandits.reporting import Axis, Chart, Charts, Line, Look, Picture, Points, Remark, Rule, Shade, draw
from kernelbandits.reporting.curves import Curves, shown_rounds


def drawn(*marks, x=Axis(), y=Axis()):  # noqa: B008
    figure = draw(Picture("", (Charts([Chart("title", marks, x, y)], 1, height=3.0),), "description"))
    [axes] = figure.axes
    return axes


def test_a_band_is_one_error_below_and_above():
    x, y, error = np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, -2.0]), np.array([0.5, 1.0, 3.0])
    axes = drawn(Line(x, y, Look(0), error=error))
    [band] = axes.collections
    corners = band.get_paths()[0].vertices
    for at, mean, half in zip(x, y, error, strict=True):
        heights = corners[corners[:, 0] == at][:, 1]
        assert (heights.min(), heights.max()) == (mean - half, mean + half)


def test_a_band_stays_above_zero_where_the_line_does():
    axes = drawn(Line([1.0, 2.0], [5.0, 5.0], Look(0), error=np.array([8.0, 1.0])), y=Axis(scale="log"))
    assert axes.collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(5e-3)


def test_a_band_that_is_not_known_is_not_drawn():
    assert not drawn(Line([1.0, 2.0], [5.0, 5.0], Look(0), error=np.array([np.nan, 1.0]))).collections


def test_axes_have_the_scale_limits_and_ticks_asked_for():
    line = Line([1.0, 200.0], [0.0, 100.0], Look(0))
    axes = drawn(line, x=Axis("d", "log", ticks=(1, 10, 100)), y=Axis("regret", "symlog", low=0.0, high=300.0))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("d", "regret")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "symlog")
    assert axes.yaxis.get_transform().linthresh == 1.0, "linear below 1"
    low, high = axes.get_ylim()
    assert -0.2 < low < 0.0 < 300.0 < high < 400.0, "with room for a marker at the limit"
    assert axes.get_xticks().tolist() == [1, 10, 100]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "10", "100"]


def test_names_stand_from_the_top_down():
    axes = drawn(Points([1.0, 2.0], [0, 1], Look(0)), y=Axis(names=("first", "second")))
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["first", "second"]
    low, high = axes.get_ylim()
    assert low > high


def test_rules_and_shades_are_where_they_should_be():
    axes = drawn(Rule(3.0, "x"), Rule(4.0, "y"), Shade(5.0, 6.0, "y"))
    upright, level = axes.lines
    assert list(upright.get_xdata()) == [3.0, 3.0]
    assert list(level.get_ydata()) == [4.0, 4.0]
    box = axes.patches[0].get_bbox() if hasattr(axes.patches[0], "get_bbox") else axes.patches[0].get_extents()
    assert (box.y0, box.y1) == (5.0, 6.0)


def test_markers_stand_at_every_step_from_the_first_on():
    [line] = drawn(Line(np.arange(20.0), np.arange(20.0), Look(0, marker="o"), first=3, step=5)).lines
    assert line.get_markevery() == (3, 5)


@pytest.mark.parametrize("share_y", [True, False])
def test_charts_share_the_axis_only_if_they_should(share_y):
    charts = [Chart(str(top), [Line([0.0, 1.0], [0.0, top], Look(0))]) for top in (1.0, 50.0)]
    figure = draw(Picture("", (Charts(charts, 2, 3.0, share_y=share_y),), "description"))
    low, high = figure.axes
    assert (low.get_ylim() == high.get_ylim()) is share_y


def test_empty_places_of_the_grid_have_no_axes():
    charts = [Chart(str(i), [Line([0.0, 1.0], [0.0, 1.0], Look(0))]) for i in range(3)]
    figure = draw(Picture("", (Charts(charts, 2, 3.0),), "description"))
    assert [axes.axison for axes in figure.axes] == [True, True, True, False]
    assert [axes.get_title() for axes in figure.axes] == ["0", "1", "2", ""]


def test_shown_rounds_are_dense_at_the_start_and_even_later():
    rounds = shown_rounds(50_000, [7_777, 60_000])
    assert {1, 2, 3, 4, 7_777, 50_000} <= set(rounds.tolist())
    assert np.all(np.diff(rounds) > 0)
    assert np.diff(rounds).max() <= 50_000 / 259 + 1
    assert (rounds[1:] / rounds[:-1]).max() <= 2.0
    assert rounds[-1] == 50_000
    assert shown_rounds(320, []).tolist() == list(range(1, 321))


@pytest.mark.parametrize(("x", "below", "sides"), [(0.02, False, ("left", "bottom")), (0.98, True, ("right", "top"))])
def test_a_remark_is_set_towards_the_middle(x, below, sides):
    [text] = drawn(Line([0.0, 1.0], [0.0, 1.0], Look(0)), Remark("above T", x, 0.5, below)).texts
    assert (text.get_text(), text.get_ha(), text.get_va()) == ("above T", *sides)


@pytest.mark.parametrize(
    ("top", "ticks"), [(50.0, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]), (1e12, [1.0, 100.0, 1e4, 1e6, 1e8, 1e10, 1e12])]
)
def test_a_logarithmic_axis_has_as_many_ticks_as_it_can_bear(top, ticks):
    axes = drawn(Line([1.0, top], [0.0, 1.0], Look(0)), x=Axis(scale="log", low=1.0, high=top))
    low, high = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if low <= tick <= high] == pytest.approx(ticks)
    assert axes.xaxis.get_major_formatter()(0.5) == "0.5"
    assert axes.xaxis.get_major_formatter()(20_000.0) == "20,000"


def test_dashes_on_the_page_are_in_line_widths():
    curves = Curves("", "", 2, {"a": Look(1, (5, 1.5), "s"), "b": Look(0)}, (), 1)
    dashes = [(method["name"], method["dash"], method["marker"]) for method in curves.data()["methods"]]
    assert dashes == [("a", "8.5 2.55", "s"), ("b", "", "")], "a line is 1.7 wide"
