"""Predictions of rewards before they are observed, one by one or on the way through a log."""

from __future__ import annotations

import numpy as np

from kernelbandits.bandit.calibration import Calibration
from kernelbandits.bandit.logged_rows import LoggedRows
from kernelbandits.policies import Agent
from kernelbandits.reporting import Progress
from kernelbandits.types import Array, IntArray

_GROWTH = 1.25
_PREDICTED = 64
"""Rewards are observed 64 at a time; whenever their number has grown by a quarter, the next 64 are predicted first."""


def learn_rows(agent: Agent, rows: LoggedRows) -> Calibration:
    """Observe all rewards in the order of the log; returns how good predictions of some of them were."""
    calibration, n, due = Calibration(), len(rows.rewards), _PREDICTED
    with Progress("fit", n) as progress:
        for start in range(0, n, _PREDICTED):
            part = slice(start, start + _PREDICTED)
            known = rows.contexts[part], rows.arms[part], rows.rewards[part]
            if start >= due:
                compare(agent, *known, calibration)
                due = round(_GROWTH * start)
            agent.observe_batch(*known)
            progress.show(start, f"{start:,} rewards")
    return calibration


def compare(agent: Agent, contexts: Array, arms: IntArray, rewards: Array, calibration: Calibration) -> None:
    """Compare rewards, shape (n,), with what is believed of them just before they are learned."""
    scores = agent._score(contexts)
    if scores is not None:
        played = np.arange(len(arms)), arms
        calibration.compare(scores.means[played], scores.deviations[played], rewards)
