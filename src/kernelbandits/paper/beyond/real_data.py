"""Real data in the study: the data sets of `real-world` and the impressions of `table-1`."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.environments import Avazu
from kernelbandits.experiments import Panel
from kernelbandits.paper import table_1
from kernelbandits.paper.beyond.panels import new_policies
from kernelbandits.paper.beyond.suite import Suite
from kernelbandits.paper.real_world.experiment import HORIZON, experiment
from kernelbandits.paper.real_world.finding_data import find


def real_data(folder: Path, data_dir: Path | None) -> Suite:
    """The data sets of `real-world` that are there: the digits always, others from the folder given."""
    found = find(data_dir, folder, (), HORIZON)
    panels = tuple(_with_new(panel) for panel in experiment(found.environments, HORIZON, seeds=1).panels)
    return Suite("real-data", "Real data, one arm a class", panels, ("best", 1.25), horizon=HORIZON)


def impressions(data: Path) -> Suite:
    """Table 1 of the paper on the rows of a file."""
    [panel] = table_1.experiment(Avazu(str(data), table_1.design())).panels
    about = "Table 1 of the paper"
    return Suite("table-1", about, (_with_new(panel),), ("EtC", 0.9), table_1.HORIZON, table_1.SEEDS)


def _with_new(panel: Panel) -> Panel:
    return Panel(panel.name, panel.environment, {**panel.methods} | new_policies(), panel.mark)
