"""The paper's methods on real data, against baselines from outside: `kernelbandits reproduce real-world`."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.experiments.order import Order
from kernelbandits.experiments.reporting import carry_out as carry_out_experiment
from kernelbandits.paper.real_world.experiment import HORIZON, SEEDS, choices, experiment
from kernelbandits.paper.real_world.finding_data import find
from kernelbandits.paper.real_world.findings import findings


def carry_out(order: Order, data_dir: Path | None = None) -> None:
    """Find the data sets, play all methods on them, and say who wins where, and what was left out."""
    horizon = HORIZON if order.horizon is None else order.horizon
    found = find(data_dir, order.folder, order.only, horizon)
    study = order.part_of(experiment(found.environments, horizon, SEEDS))
    said = [*choices(study), *found.left_out_words()]
    carry_out_experiment(study, order, findings=lambda results: [*findings(results), *said])


__all__ = ["carry_out"]
