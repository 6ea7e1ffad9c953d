"""Ticks of logarithmic axes: at least two, none outside, and no label touches the next."""

import numpy as np
import pytest

from kernelbandits.reporting import Axis, Chart, Charts, Line, Look, Picture, draw
from kernelbandits.reporting.log_ticks import log_ticks
from series_looks import labels_that_touch


@pytest.mark.parametrize(
    ("low", "high", "room", "ticks"),
    [
        (1.0, 100.0, 10.0, [1, 2, 5, 10, 20, 50, 100]),
        (1.0, 100.0, 5.0, [1, 3, 10, 30, 100]),
        (1.0, 100.0, 3.0, [1, 10, 100]),
        (1.0, 1e8, 5.0, [1, 1e3, 1e6]),
        (0.11, 0.19, 5.0, [0.12, 0.14, 0.16, 0.18]),
        (0.3, 0.8, 3.0, [0.5, 0.75]),
    ],
)
def test_as_many_as_have_room(low, high, room, ticks):
    assert np.allclose(log_ticks(low, high, room), ticks)


def test_there_are_two_and_they_are_inside():
    rng = np.random.default_rng(0)
    for _ in range(300):
        low = 10.0 ** rng.uniform(-6, 6)
        high = low * 10.0 ** rng.uniform(0.05, 9)
        ticks = log_ticks(low, high, rng.uniform(1, 12))
        assert len(ticks) >= 2
        assert all(low <= tick <= high for tick in ticks)


@pytest.mark.parametrize(
    ("low", "high"), [(0.11, 0.46), (0.006, 0.52), (0.3, 0.8), (1.0, 1.6), (3.0, 9e5), (1, 1e12), (90, 130)]
)
@pytest.mark.parametrize("columns", [1, 3, 4])
def test_labels_do_not_touch(low, high, columns):
    axis = Axis("value", "log")
    chart = Chart("", (Line([low, high], [low, high], Look(2)),), axis, axis)
    assert labels_that_touch(draw(Picture("", (Charts([chart] * columns, columns, 2.2),), ""))) == []


def test_the_check_finds_labels_that_touch():
    axis = Axis("value", ticks=[0.0, 0.001, 1.0])
    chart = Chart("", (Line([0, 1], [0, 1], Look(2)),), axis)
    assert {*labels_that_touch(draw(Picture("", (Charts([chart], 1, 2.2),), "")))[0]} == {"0", "0.001"}
