"""Predictions of rewards before they are observed, one by one or on the way through a log."""

from __future__ import annotations

import numpy as np

from kernelbandits.bandit.calibration import Calibration
from kernelbandits.bandit.logged_rows import LoggedRows
from kernelbandits.policies import Agent
from kernelbandits.reporting import Progress
from kernelbandits.types import Array

_GROWTH = 1.25
_PREDICTED = 64
"""Rewards are observed so many at a time; each time they have grown by a quarter, the next are predicted first."""


def learn_rows(agent: Agent, rows: LoggedRows) -> Calibration:
    """Observe all rewards in the order of the log; returns how good predictions of some of them were."""
    calibration, n, due = Calibration(), len(rows.rewards), _PREDICTED
    with Progress("fit", n) as progress:
        for start in range(0, n, _PREDICTED):
            part = slice(start, start + _PREDICTED)
            if start >= due:
                _compare(agent, rows, part, calibration)
                due = round(_GROWTH * start)
            agent.observe_batch(rows.contexts[part], rows.arms[part], rows.rewards[part])
            progress.show(start, f"{start:,} rewards")
    return calibration


def compare_one(agent: Agent, context: Array, arm: int, reward: float, calibration: Calibration) -> None:
    """Compare the reward of a decision with what is believed of it just before it is learned."""
    scores = agent._score(context[np.newaxis])
    if scores is not None:
        means, deviations = scores.means[:, arm], scores.deviations[:, arm]
        calibration.compare(means, deviations, np.array([reward]))


def _compare(agent: Agent, rows: LoggedRows, part: slice, calibration: Calibration) -> None:
    scores = agent._score(rows.contexts[part])
    if scores is not None:
        played = np.arange(len(scores.means)), rows.arms[part]
        calibration.compare(scores.means[played], scores.deviations[played], rows.rewards[part])
