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

    def no_better_than_chance(self, name: str) -> bool:
        """Whether the method does not beat `Uniform`, if that was played."""
        return "Uniform" in self.regrets and not self.beats(name, "Uniform")

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
    kernel_etc = [name for name in ("EtC", "EtC-Ridge") if name in ours]
    ucb = [name for name in ours if name.startswith("CGP-UCB")]
    lines = []
    if ours and outside:
        lines += [_verdict(standing, ours, outside) for standing in standings]
        lines.append(_balance("the best of the paper's eight", ours, " and ".join(outside), outside, standings))
    if kernel_etc and outside:
        lines.append(_balance(" or ".join(kernel_etc), kernel_etc, " and ".join(outside), outside, standings))
    if kernel_etc and ucb:  # on the paper's own data, kernel EtC is ahead of every CGP-UCB
        lines.append(_balance(" or ".join(kernel_etc), kernel_etc, "the best CGP-UCB", ucb, standings))
    for standing in standings:
        poor = [name for name in (*ours, *outside) if standing.no_better_than_chance(name)]
        lines += [f"{standing.panel}: no better than playing at random: {', '.join(poor)}"] if poor else []
    return lines


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


def _balance(who: str, first: Sequence[str], whom: str, second: Sequence[str], standings: Sequence[Standing]) -> str:
    """On which data sets the best of the first loses to the best of the second, and where it wins."""
    lost = [s.panel for s in standings if s.beats(s.best(second), s.best(first))]
    won = [s.panel for s in standings if s.beats(s.best(first), s.best(second))]
    return f"Against {whom}, {who} loses on {_listed(lost, len(standings))} and wins on {_listed(won, len(standings))}"


def _listed(names: Sequence[str], total: int) -> str:
    return f"{len(names)} of {total} data sets" + (f" ({', '.join(names)})" if names else "")
