"""What is shown to a bandit for one decision: a row for all arms, or one row per arm."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from kernelbandits import arm_checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.tables import TableEncoder
from kernelbandits.types import Array, ArrayLike, BoolArray


def contexts_of(
    row: Any, eligible: Collection[str] | ArrayLike | None, names: tuple[str, ...], encoder: TableEncoder
) -> tuple[Array, BoolArray | None]:
    """Return the context of all arms (d,), or contexts (K, d), and the mask of the arms that may be chosen."""
    mask = None if eligible is None else arm_checks.eligible(eligible, len(names), names)
    if _has_rows(row):
        return _contexts_per_arm(row, mask, names, encoder)
    context = encoder.transform(row)
    if context.shape == (1, encoder.dim):
        return context[0], mask
    if context.ndim != 1:
        raise InvalidArgument(f"row must be a single row; got {len(context)} rows. Use choose_many")
    return context, mask


def _has_rows(row: Any) -> bool:
    """Whether this is one row per arm rather than a row."""
    if not isinstance(row, Mapping) or not row:
        return False
    first = next(iter(row.values()))
    return isinstance(first, Mapping) or hasattr(first, "_asdict")


def _contexts_per_arm(
    rows: Mapping[str, Any], mask: BoolArray | None, names: tuple[str, ...], encoder: TableEncoder
) -> tuple[Array, BoolArray | None]:
    offered = arm_checks.mask_of([*rows], names, "row")
    if mask is not None and (lacking := np.flatnonzero(mask & ~offered)).size:
        raise InvalidArgument(f"eligible: there is no row for the arm {shown(names[int(lacking[0])])}")
    points = {name: encoder.transform(row) for name, row in rows.items()}
    some = next(iter(points.values()))
    return np.array([points.get(name, some) for name in names]), offered if mask is None else mask
