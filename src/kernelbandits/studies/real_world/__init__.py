"""The paper's methods on real data, against baselines from outside: `kernelbandits reproduce real-world`."""

from __future__ import annotations

from pathlib import Path

from kernelbandits.engines import Engine
from kernelbandits.experiments.reporting import carry_out as carry_out_experiment
from kernelbandits.studies.real_world.experiment import HORIZON, SEEDS, choices, experiment
from kernelbandits.studies.real_world.finding_data import find
from kernelbandits.studies.real_world.findings import findings


def carry_out(
    folder: Path,
    seeds: int | None,
    horizon: int | None,
    engine: Engine,
    only: tuple[str, ...],
    as_json: bool,
    report: bool,
    data_dir: Path | None = None,
) -> None:
    """Find the data sets, play all methods on them, and say who wins where, and what was left out."""
    horizon = HORIZON if horizon is None else horizon
    found = find(data_dir, folder, only, horizon)
    study = experiment(found.environments, horizon, SEEDS if seeds is None else seeds)
    study = study.only(only) if only else study
    said = [*choices(study), *found.left_out_words()]
    carry_out_experiment(study, folder, engine, as_json, report, findings=lambda results: [*findings(results), *said])


__all__ = ["carry_out"]
