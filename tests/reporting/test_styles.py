"""Looks of series: stable for the paper's methods, and none twice while another is free."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.reporting import COLOURS, Axis, Chart, Charts, Line, Look, Picture, draw, look, looks, plot, spread
from kernelbandits.reporting.styles import PAPER
from series_looks import series_that_look_alike

pytestmark = pytest.mark.usefixtures("painted")


def test_the_papers_eight_have_their_looks_in_every_picture():
    assert tuple(kb.paper.methods(dim=10)) == PAPER
    alone = looks(PAPER)
    assert [alone[name].colour for name in PAPER] == list(range(8))
    beside = looks(["Mine", *PAPER[::-1], "Yours"])
    assert {name: beside[name] for name in PAPER} == alone
    assert looks(PAPER[3:5]) == {name: alone[name] for name in PAPER[3:5]}


@pytest.mark.parametrize("names", [[f"m{i}" for i in range(12)], [*PAPER, "a", "b", "c", "d"], ["a", "EtC", "b"]])
def test_no_colour_and_no_marker_comes_twice_while_others_are_free(names):
    given = looks(names).values()
    assert len({each.colour for each in given}) == len({each.marker for each in given}) == len(names)


def test_very_many_methods_still_look_different():
    given = looks([f"m{i}" for i in range(60)])
    assert len(set(given.values())) == 60


def test_part_of_an_experiment_looks_as_the_whole_does():
    whole = looks(["a", "b", "c"])
    assert looks(["c"], order=("a", "b", "c")) == {"c": whole["c"]}


def test_what_is_not_in_the_picture_takes_no_colour_when_they_are_short():
    order = [f"m{i}" for i in range(20)]
    given = looks(order[10:20], order)
    assert len({each.colour for each in given.values()}) == 10


def test_every_colour_has_a_class_and_a_dark_form_on_pages():
    from importlib import resources

    style = (resources.files("kernelbandits.reporting") / "assets" / "report.css").read_text(encoding="utf-8")
    script = (resources.files("kernelbandits.reporting") / "assets" / "chart.js").read_text(encoding="utf-8")
    for i in range(len(COLOURS)):
        assert f".c{i} {{ --c: var(--c{i}); }}" in style
        assert f"--c{i}: #" in style
        assert f'{look(i).marker}": ' in script or f" {look(i).marker}: " in script


def test_the_check_over_all_pictures_finds_what_looks_alike():
    """The check that every picture of the tests goes through (`conftest.py`) can fail."""
    x = np.arange(3.0)
    lines = [Line(x, x, Look(1, marker="o"), "first"), Line(x, 2 * x, Look(1, marker="o"), "second")]
    with pytest.raises(AssertionError, match="first"):
        draw(Picture("", (Charts([Chart("", lines)], 1, 3.0),), ""))
    apart = [Line(x, x, Look(1, marker="o"), "first"), Line(x, 2 * x, Look(1, (1, 1), "o"), "second")]
    assert series_that_look_alike(draw(Picture("", (Charts([Chart("", apart)], 1, 3.0),), ""))) == []


def test_marks_of_one_row_are_spread_and_stay_in_their_row():
    offsets = spread(11)
    assert np.diff(offsets).min() > 0.05
    assert max(map(abs, offsets)) < 0.5
    assert spread(1) == [0.0]


def test_nothing_is_cut_off_at_given_limits():
    x = np.array([0.0, 10.0])
    line = Line(x, np.array([0.0, 5.0]), Look(0, marker="o"))
    [axes] = draw(
        Picture("", (Charts([Chart("", [line], Axis(low=0, high=10), Axis(low=0, high=5))], 1, 3.0),), "")
    ).axes
    figure_box = axes.get_window_extent()
    spots = axes.transData.transform(np.column_stack([x, [0.0, 5.0]]))
    radius = axes.lines[0].get_markersize() / 2 * axes.figure.get_dpi() / 72
    assert (spots - radius >= [figure_box.x0, figure_box.y0]).all()
    assert (spots + radius <= [figure_box.x1, figure_box.y1]).all()


def test_plot_gives_axes_of_pyplot():
    import matplotlib as mpl
    from matplotlib import pyplot

    with mpl.rc_context({"backend": "agg"}):
        axes = plot(Picture("", (Charts([Chart("title", [Line([0, 1], [0, 1], Look(0))])], 1, 3.0),), ""))
        assert axes.get_title() == "title"
        assert pyplot.get_fignums()
        pyplot.close("all")
