"""The studies that `kernelbandits reproduce` knows by name. A study's module is loaded when it is run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from kernelbandits.experiments import RunOptions


@final
@dataclass(frozen=True, slots=True)
class Study:
    """A study in a module of this package with a function `report(options, **own_options)`.

    `own_options` names the options of the command that only this study has; those given are passed on by name.
    """

    title: str
    module: str
    own_options: tuple[str, ...] = ()

    def report(self, options: RunOptions, **own: Any) -> None:
        """Run the study and write its output folder."""
        import_module(f"kernelbandits.paper.{self.module}").report(options, **own)


STUDIES = {
    "beyond": Study(
        "The paper's eight and this library's own policies, on the paper's problems and beyond",
        "beyond",
        ("data", "data_dir"),
    ),
    "table-1": Study(
        "The paper's Table 1: ads of Avazu (with --data), or a synthetic stand-in",
        "table_1",
        ("data", "arms", "contexts", "dim", "level", "drop"),
    ),
    "theory": Study("The paper's theory against experiment: four pictures with their tables", "theory"),
    "real-world": Study(
        "The paper's methods and linear baselines on real data (digits; five more with --data-dir)",
        "real_world",
        ("data_dir",),
    ),
}
