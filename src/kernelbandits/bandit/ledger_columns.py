"""The columns of a ledger in a file: what each may hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidFile

_LATEST = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 10**6
_RANGES = {
    "arms": (np.int64, 0, 2**31),
    "propensities": (np.float64, 0.0, 1.0 + 1e-9),
    "versions": (np.int64, 0, 2**62),
    "times": (np.int64, -_LATEST // 8, _LATEST),
    "settled_rewards": (np.float64, -checks.HUGE, checks.HUGE),
}
"""Type, smallest and largest entry of each array with one entry per decision."""


def refuse_unfit(state: dict[str, Any]) -> None:
    """Raise if the columns of a ledger are not what `Ledger.to_state` writes."""
    checks.whole("n_forgotten", state["n_forgotten"], at_least=0)
    for key in ("ids", "settled_ids"):
        if type(state[key]) is not list or not all(type(text) is str for text in state[key]):
            raise InvalidFile(f"{key} of the ledger: expected a list of texts")
        if len(set(state[key])) < len(state[key]):
            raise InvalidFile(f"{key} of the ledger: one of them is there twice")
    n, sets = len(state["ids"]), state["eligible_sets"]
    if type(sets) is not list or any(type(names) is not tuple or not {*map(type, names)} <= {str} for names in sets):
        raise InvalidFile("eligible_sets of the ledger: expected names of arms")
    for key, (kind, low, high) in {**_RANGES, "eligible": (np.int64, -1, len(sets) - 1)}.items():
        length = len(state["settled_ids"]) if key == "settled_rewards" else n
        if not _has(state[key], kind, (length,)) or not ((low <= state[key]) & (state[key] <= high)).all():
            raise InvalidFile(f"{key} of the ledger: expected {length} numbers from {low:g} to {high:g}")
    contexts = state["contexts"]
    if not _has(contexts, np.float64, (n, *contexts.shape[1:])) or contexts.ndim != (2 if n else 1):
        raise InvalidFile(f"contexts of the ledger: expected {n} rows of numbers")
    checks.refuse_unusable("contexts of the ledger", contexts)


def _has(column: Any, kind: type, shape: tuple[int, ...]) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == kind and column.shape == shape
