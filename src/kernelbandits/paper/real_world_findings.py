"""Findings of the study real-world, including the data sets on which the paper's methods lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import paper
from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.experiments import Results
from kernelbandits.types import Array

OUTSIDE = ("LinearUCB", "LinearThompsonSampling")
CLEAR = 2.0
"""One method beats another if its regret is smaller by more than this many standard errors, seed by seed."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Final regrets on one data set by method, each of shape (seeds,)."""

    panel: str
    regrets: dict[str, Array]

    def best(self, among: Sequence[str]) -> str:
        """The method with the smallest mean of these."""
        return min((name for name in among if name in self.regrets), key=lambda name: self.regrets[name].mean())

    def beats(self, first: str, second: str) -> bool:
        """Whether the first method's regret is smaller by more than chance, seed by seed."""
        mean, error = mean_and_standard_error(self.regrets[second] - self.regrets[first])
        return bool(mean > CLEAR * error) if np.isfinite(error) else bool(mean > 0)

    def words(self, name: str) -> str:
        """Name and regret of a method."""
        mean, error = mean_and_standard_error(self.regrets[name])
        return f"{name} {mean:.1f}" + (f" ± {error:.1f}" if np.isfinite(error) else "")


def findings(results: Results) -> list[str]:
    """One line per data set, then a summary over all of them."""
    standings = [
        Standing(panel.name, {name: results.curves(panel.name, name)[:, -1] for name in panel.methods})
        for panel in results.experiment.panels
    ]
    ours = [name for name in paper.methods(dim=1) if name in results.experiment.methods]
    outside = [name for name in OUTSIDE if name in results.experiment.methods]
    lines = []
    if ours and outside:
        lines += [_verdict(standing, ours, outside) for standing in standings] + _tally(standings, ours, outside)
    lines += _claim(standings, ours)
    return lines + _no_better_than_chance(standings, [*ours, *outside])


def _verdict(standing: Standing, ours: Sequence[str], outside: Sequence[str]) -> str:
    first, other = standing.best(ours), standing.best(outside)
    if standing.beats(other, first):
        verdict = f"the paper's eight lose: {standing.words(other)}, the best of the eight {standing.words(first)}"
    elif standing.beats(first, other):
        verdict = f"the paper's eight win: {standing.words(first)}, the best from outside {standing.words(other)}"
    else:
        verdict = f"no clear difference: {standing.words(first)} of the eight, {standing.words(other)} from outside"
    ratio = standing.regrets[first].mean() / max(standing.regrets[other].mean(), np.finfo(float).tiny)
    return f"{standing.panel}: {verdict} (ratio {ratio:.2f})"


def _tally(standings: Sequence[Standing], ours: Sequence[str], outside: Sequence[str]) -> list[str]:
    lines = [_balance("the best of the paper's eight", ours, " and ".join(outside), outside, standings)]
    if kernel := _kernel_etc(ours):
        lines.append(_balance(" or ".join(kernel), kernel, " and ".join(outside), outside, standings))
    return lines


def _claim(standings: Sequence[Standing], ours: Sequence[str]) -> list[str]:
    """The paper's order on its own data: kernel EtC, with or without ridge, ahead of every CGP-UCB."""
    kernel, bounds = _kernel_etc(ours), [name for name in ours if name.startswith("CGP-UCB")]
    if not kernel or not bounds:
        return []
    return [_balance(" or ".join(kernel), kernel, "the best CGP-UCB", bounds, standings)]


def _kernel_etc(ours: Sequence[str]) -> list[str]:
    return [name for name in ("EtC", "EtC-Ridge") if name in ours]


def _balance(who: str, first: Sequence[str], whom: str, second: Sequence[str], standings: Sequence[Standing]) -> str:
    """On which data sets the best of the first loses to the best of the second, and where it wins."""
    lost = [s.panel for s in standings if s.beats(s.best(second), s.best(first))]
    won = [s.panel for s in standings if s.beats(s.best(first), s.best(second))]
    return f"Against {whom}, {who} loses on {_listed(lost, len(standings))} and wins on {_listed(won, len(standings))}"


def _no_better_than_chance(standings: Sequence[Standing], names: Sequence[str]) -> list[str]:
    lines = []
    for standing in standings:
        if "Uniform" in standing.regrets:
            poor = [name for name in names if not standing.beats(name, "Uniform")]
            lines += [f"{standing.panel}: no better than playing at random: {', '.join(poor)}"] if poor else []
    return lines


def _listed(names: Sequence[str], total: int) -> str:
    return f"{len(names)} of {total} data sets" + (f" ({', '.join(names)})" if names else "")
