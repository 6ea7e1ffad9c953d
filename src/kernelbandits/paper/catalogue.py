"""The studies that `kernelbandits reproduce` knows by name. Nothing heavy is imported before one is carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from kernelbandits.experiments.order import Order


@final
@dataclass(frozen=True, slots=True)
class Study:
    """A title, and what to do when it is ordered.

    `options` names options of the command that this study has besides; those that were given are passed on by name.
    """

    title: str
    carry_out: Callable[..., None]
    options: tuple[str, ...] = ()


def _theory(order: Order) -> None:
    from kernelbandits.paper.reporting import carry_out
    from kernelbandits.paper.theory import PICTURES

    carry_out("theory", "The paper's theory against experiment", PICTURES, order)


def _real_world(order: Order, **options: Any) -> None:
    from kernelbandits.paper.real_world import carry_out

    carry_out(order, **options)


def _table_1(order: Order, **options: Any) -> None:
    from kernelbandits.paper.table_1 import carry_out

    carry_out(order, **options)


def _beyond(order: Order, **options: Any) -> None:
    from kernelbandits.paper.beyond import carry_out

    carry_out(order, **options)


STUDIES = {
    "beyond": Study(
        "The paper's eight and this library's own policies, on the paper's problems and beyond",
        _beyond,
        ("data", "data_dir"),
    ),
    "table-1": Study(
        "The paper's Table 1: ads of Avazu (with --data), or a synthetic stand-in",
        _table_1,
        ("data", "arms", "contexts", "dim", "level", "drop"),
    ),
    "theory": Study("The paper's theory against experiment: four pictures with their tables", _theory),
    "real-world": Study(
        "The paper's methods and linear baselines on real data (digits; five more with --data-dir)",
        _real_world,
        ("data_dir",),
    ),
}
