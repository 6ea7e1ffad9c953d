"""The paper's methods and this library's own, on the paper's problems and beyond: `kernelbandits reproduce beyond`."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.experiments.order import Order
from kernelbandits.paper.beyond.panels import misspecified, of_figure
from kernelbandits.paper.beyond.real_data import impressions, real_data
from kernelbandits.paper.beyond.suite import Suite
from kernelbandits.paper.parts import Picture
from kernelbandits.paper.reporting import carry_out as carry_out_parts

TITLE = "Beyond the paper: policies that are told nothing"


def suites(folder: Path, data: Path | None, data_dir: Path | None) -> list[Suite]:
    """The parts of the study; those on real data need files, the digits come with scikit-learn."""
    parts = [
        Suite("figure-1", "Figure 1 of the paper", of_figure("figure-1"), ("EtC", 0.45)),
        Suite("figure-2", "Figure 2 of the paper", of_figure("figure-2"), ("best", 0.8)),
        Suite("misspecified", "What the paper's kernel or noise does not fit", misspecified(), ("best", 1.25)),
        real_data(folder, data_dir),
    ]
    return [*parts, impressions(data)] if data is not None else parts


def carry_out(order: Order, data: Path | None = None, data_dir: Path | None = None) -> None:
    """Play every suite and write a picture and a table of ratios for each."""
    pictures = [Picture(suite.name, (suite,)) for suite in suites(order.folder, data, data_dir)]
    carry_out_parts("beyond", TITLE, pictures, order)


__all__ = ["carry_out", "suites"]
