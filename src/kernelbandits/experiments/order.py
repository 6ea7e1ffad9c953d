"""What the command is told about a run, whatever it is that is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from kernelbandits.experiments.engines import Engine
from kernelbandits.experiments.grid import Experiment


@final
@dataclass(frozen=True, slots=True)
class Order:
    """Where to, by whom, and how much of it.

    Attributes:
        folder: where the files go.
        engine: who does the work.
        seeds: how many, instead of as many as the experiment has.
        horizon: rounds of a run, instead of as many as the experiment has.
        only: names of the methods, panels or parts to be run; all of them if empty.
        as_json: whether the answer is for other programs.
        report: whether to write an HTML report too.

    """

    folder: Path
    engine: Engine
    seeds: int | None = None
    horizon: int | None = None
    only: tuple[str, ...] = ()
    as_json: bool = False
    report: bool = False

    def part_of(self, experiment: Experiment) -> Experiment:
        """As much of the experiment as was ordered."""
        if self.seeds is not None:
            experiment = replace(experiment, seeds=tuple(range(self.seeds)))
        if self.horizon is not None:
            experiment = replace(experiment, horizon=self.horizon)
        return experiment.only(self.only) if self.only else experiment
