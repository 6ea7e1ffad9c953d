"""The parts of a bandit in a file."""

from typing import Any

import numpy as np

from kernelbandits.bandit.calibration import Calibration
from kernelbandits.bandit.ledger import Ledger
from kernelbandits.bandit.tally import Tally
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.policies import Agent, Policy
from kernelbandits.problem import Problem
from kernelbandits.tables import TableEncoder, TableEncoding

PARTS: dict[str, Any] = {
    "problem": Problem,
    "encoding": TableEncoding,
    "policy": Policy,
    "rng": np.random.Generator,
    "encoder": TableEncoder | None,
    "agent": Agent | None,
    "ledger": Ledger,
    "tally": Tally,
    "calibration": Calibration,
}


def checked_parts(state: dict[str, Any]) -> dict[str, Any]:
    """Return the parts in a state; raise if one is of another kind, or they do not fit together."""
    for name, kind in PARTS.items():
        if not isinstance(state[name], kind):
            raise InvalidArgument(f"{name}: {shown(state[name])} cannot be a part of a bandit here")
    problem, agent, encoder, tally = (state[name] for name in ("problem", "agent", "encoder", "tally"))
    if (agent is None) != (encoder is None) or len(tally.counts) != problem.n_arms:
        raise InvalidArgument(f"agent, encoder and rewards do not fit {problem.n_arms} arms")
    if agent is not None and (agent.problem.arms, agent.problem.dim) != (problem.arms, encoder.dim):
        raise InvalidArgument(f"the agent is for other arms or features than the bandit, {shown(problem.arms)}")
    for entry in state["ledger"]:
        if agent is None or entry.arm not in range(problem.n_arms) or entry.context.shape != (encoder.dim,):
            raise InvalidArgument(f"decision {shown(entry.id)} in the ledger does not fit the bandit")
    return {name: state[name] for name in PARTS}
