"""An experiment is a grid: panels × methods × seeds. Each cell is one run, known by the content of what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from kernelbandits import checks
from kernelbandits.environments.base import Environment
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.experiments.fingerprints import fingerprint
from kernelbandits.policies.base import Policy


@final
@dataclass(frozen=True, slots=True)
class Panel:
    """One environment with the methods that play it; `mark` is a round to mark in pictures (the end of exploration)."""

    name: str
    environment: Environment
    methods: Mapping[str, Policy]
    mark: int | None = None

    def __post_init__(self) -> None:
        where = f"panel {self.name!r}"
        checks.instance(f"{where}: environment", self.environment, Environment, "Synthetic(LowRank())")  # type: ignore[type-abstract]
        checks.instance(f"{where}: methods", self.methods, Mapping, "{'Uniform': Uniform()}")  # type: ignore[type-abstract]
        if not self.methods:
            raise InvalidArgument(f"{where} must have at least one method")
        for name, policy in self.methods.items():
            checks.instance(f"{where}: method {name!r}", policy, Policy, "Uniform()")  # type: ignore[type-abstract]


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """One run: this method on this panel with this seed."""

    panel: Panel
    method: str
    seed: int
    horizon: int
    fingerprint: str

    def __str__(self) -> str:
        return f"panel {self.panel.name!r}, method {self.method!r}, seed {self.seed}"


@final
@dataclass(frozen=True, slots=True)
class Experiment:
    """Panels × methods × seeds, each played for `horizon` rounds. `columns` is how pictures lay the panels out."""

    name: str
    panels: tuple[Panel, ...]
    horizon: int
    seeds: tuple[int, ...]
    title: str = ""
    columns: int = 3

    def __post_init__(self) -> None:
        checks.whole("horizon", self.horizon, at_least=1)
        checks.whole("columns", self.columns, at_least=1)
        checks.instance("panels", self.panels, Sequence, "(Panel(…),)")  # type: ignore[type-abstract]
        checks.instance("seeds", self.seeds, Sequence, "range(10)")  # type: ignore[type-abstract]
        if not self.panels:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one panel")
        if not self.seeds:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one seed")
        for seed in self.seeds:
            checks.whole("seeds", seed, at_least=0)
        for panel in self.panels:
            checks.instance("panels", panel, Panel, "Panel(…)")
        for what, names in (
            ("panel names", [panel.name for panel in self.panels]),
            ("seeds", list(self.seeds)),
        ):
            if len(set(names)) < len(names):
                raise InvalidArgument(f"{what} of an experiment must differ; got {names}")

    @property
    def methods(self) -> tuple[str, ...]:
        """All method names, in the order of their first appearance."""
        return tuple(dict.fromkeys(name for panel in self.panels for name in panel.methods))

    def cells(self) -> Iterator[Cell]:
        """Every cell, in the order of the results: by panel, method, seed."""
        for panel in self.panels:
            for method, policy in panel.methods.items():
                for seed in self.seeds:
                    content = fingerprint(panel.environment, policy, self.horizon, seed)
                    yield Cell(panel, method, seed, self.horizon, content)

    def only(self, names: tuple[str, ...]) -> Experiment:
        """The part of the grid with these methods, panels, or both; a name that is neither is an error."""
        known = {name.casefold(): name for name in (*self.methods, *(panel.name for panel in self.panels))}
        unknown = next((name for name in names if name.casefold() not in known), None)
        if unknown is not None:
            raise InvalidArgument(f"{self.name} has no method or panel {unknown!r}; {nearest(unknown, known.values())}")
        wanted = {known[name.casefold()] for name in names}
        methods = wanted & set(self.methods) or set(self.methods)
        panels = wanted - set(self.methods) or {panel.name for panel in self.panels}
        kept = tuple(
            replace(panel, methods={name: policy for name, policy in panel.methods.items() if name in methods})
            for panel in self.panels
            if panel.name in panels
        )
        return replace(self, panels=kept)
