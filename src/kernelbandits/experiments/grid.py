"""An experiment is a grid of panels × methods × seeds, made in Python or read from a TOML file.

Each cell is one run, identified by what it computes. A file is checked when it is read, before anything is run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from kernelbandits import checks
from kernelbandits.environments import Environment
from kernelbandits.errors import InvalidArgument, InvalidFile, counted, nearest, shown
from kernelbandits.experiments.store import fingerprint
from kernelbandits.linalg import require_memory
from kernelbandits.policies import Policy
from kernelbandits.specs import Count, CountFromZero, Label, conform, from_table
from kernelbandits.user_modules import Source

_KEYS = ("name", "title", "horizon", "seeds", "columns", "look_order", "mark", "methods", "panels")
_LONGEST_NAME = 200
_NOT_IN_FILES = '/\\:*?"<>|'


@final
@dataclass(frozen=True, slots=True)
class Panel:
    """One environment and the methods that play it; `mark` is a round to mark in pictures (the end of exploration).

    Attributes:
        name: heading of the panel.
        environment: draws one world per seed, which all methods share.
        methods: policies by the name that pictures and tables give them.
        mark: a round to mark, such as the end of exploration; None for none.

    >>> panel = Panel("mine", Synthetic(LowRank()), {"UCB": LinearUCB(), "any arm": Uniform()})
    >>> len([*Experiment("two-methods", (panel,), horizon=100, seeds=(0, 1, 2)).cells()])  # runs: methods × seeds
    6

    See also `run`, `Experiment`, `Results`, `load_experiment`.
    """

    name: str
    environment: Environment
    methods: Mapping[str, Policy]
    mark: int | None = None

    def __post_init__(self) -> None:
        conform(self.name, Label, "the name of a panel")
        where = f"panel {self.name!r}"
        conform(self.mark, CountFromZero | None, f"{where}: mark")
        checks.instance(f"{where}: environment", self.environment, Environment, "Synthetic(LowRank())")  # type: ignore[type-abstract]
        checks.instance(f"{where}: methods", self.methods, Mapping, "{'Uniform': Uniform()}")  # type: ignore[type-abstract]
        if not self.methods:
            raise InvalidArgument(f"{where} must have at least one method")
        for name, policy in self.methods.items():
            conform(name, Label, f"{where}: the name of a method")
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
    """Panels × methods × seeds, each played for `horizon` rounds.

    Attributes:
        name: of the experiment and its files.
        panels: one per environment.
        horizon: rounds of each run.
        seeds: one run per seed.
        title: the heading of a report; empty means the name.
        columns: panels side by side in pictures.
        look_order: methods in the order in which colours and markers are given out; others follow in their own order.

    >>> experiment = load_experiment("figure-1")
    >>> experiment.horizon, len(experiment.methods)
    (2000, 8)

    See also `run`, `Panel`, `Results`.
    """

    name: str
    panels: tuple[Panel, ...]
    horizon: int
    seeds: tuple[int, ...]
    title: str = ""
    columns: int = 3
    look_order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        name: str = conform(self.name, Label, "name")
        ends = not name.strip(". ") or name[0] in ".- " or name[-1] in ". "
        if ends or {*name} & {*_NOT_IN_FILES} or len(name.encode()) > _LONGEST_NAME:
            raise InvalidArgument(
                f"name is the name of files, so it needs 1 to {_LONGEST_NAME} bytes, none of "
                f"{' '.join(_NOT_IN_FILES)}, begin with no dot, dash or blank, and end with no dot or blank; "
                f"got {shown(name)}"
            )
        conform(self.title, Label, "title")
        conform(self.look_order, tuple[Label, ...], "look_order")
        conform(self.horizon, Count, "horizon")
        conform(self.columns, Count, "columns")
        checks.instance("panels", self.panels, Sequence, "(Panel(…),)")  # type: ignore[type-abstract]
        checks.instance("seeds", self.seeds, Sequence, "range(10)")  # type: ignore[type-abstract]
        if not self.panels:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one panel")
        if not self.seeds:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one seed")
        for seed in self.seeds:
            if conform(seed, CountFromZero, "seeds") >= 2**63:
                raise InvalidArgument(f"seeds must be below 2⁶³; got {shown(seed)}")
        for panel in self.panels:
            checks.instance("panels", panel, Panel, "Panel(…)")
        for what, names in (("panel names", [panel.name for panel in self.panels]), ("seeds", list(self.seeds))):
            if len(set(names)) < len(names):
                raise InvalidArgument(f"{what} of an experiment must differ; got {names}")

    def __repr__(self) -> str:
        return f"Experiment({', '.join(lead_of(self))})"

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
        """The part of the grid with these methods, panels, or both; a name that is neither is refused."""
        wanted, panels = [name.casefold() for name in names], [panel.name for panel in self.panels]
        require_known(names, [*self.methods, *panels], f"{self.name} has no method or panel")
        methods = [name for name in self.methods if name.casefold() in wanted] or self.methods
        panels = [name for name in panels if name.casefold() in wanted] or panels
        kept = tuple(
            replace(panel, methods=dict(item for item in panel.methods.items() if item[0] in methods))
            for panel in self.panels
            if panel.name in panels
        )
        return replace(self, panels=kept, look_order=self.look_order or self.methods)


def first_seeds(n: int) -> tuple[int, ...]:
    """The seeds 0 … n − 1."""
    require_memory(36 * conform(n, CountFromZero, "seeds"), f"a grid with {n:,} seeds", "use fewer seeds")
    return tuple(range(n))


def require_known(names: Iterable[str], known: Sequence[str], none: str) -> None:
    """Refuse a name that is not known, in any case; `none` begins the message, such as "the study has no part"."""
    for name in names:
        if name.casefold() not in map(str.casefold, known):
            raise InvalidArgument(f"{none} {name!r}; {nearest(name, known)}")


def lead_of(experiment: Experiment) -> tuple[str, ...]:
    """The experiment in a few words."""
    return (
        experiment.name,
        f"{experiment.horizon:,} rounds",
        counted(len(experiment.seeds), "seed"),
        counted(len(experiment.panels), "panel"),
        counted(len(experiment.methods), "method"),
    )


def shipped() -> dict[str, Path]:
    """The experiments that come with the library, name → TOML file."""
    files = sorted((Path(__file__).parents[1] / "paper").glob("*.toml"))
    return dict(zip([path.stem for path in files], files, strict=True))


def load_experiment(source: str | Path, *, allow_code: bool = False) -> Experiment:
    """The experiment in a TOML file, or a shipped one by name: `load_experiment("figure-1")`.

    A file that names `module:Class` can have the module beside it; `allow_code` says that you trust that module.

    Args:
        source: a .toml file, or the name of a shipped experiment.
        allow_code: whether modules beside the file may be run; otherwise a file that needs one is refused.

    >>> load_experiment("figure-1").methods[:2]
    ('EtC', 'EtC-Ridge')

    See also `run`, `Results`, `Panel`.
    """
    known = shipped()
    path = known.get(str(source), Path(source))
    if not path.is_file():
        raise InvalidFile(f"no such experiment file: {path}; give a .toml file or a name ({', '.join(known)})")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        waiting: list[Any] = [table]
        for value in waiting:  # and what it holds
            if isinstance(value, Mapping | list):
                waiting += value.values() if isinstance(value, Mapping) else value
            elif isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise InvalidFile(f"whole numbers of TOML have at most 64 bits; got {shown(value)}")
        return parse(table, path.resolve().parent, allow_code=allow_code)
    except (InvalidFile, InvalidArgument) as error:
        raise InvalidFile(f"{path.name}: {error}") from error
    except RecursionError as error:
        raise InvalidFile(f"{path.name}: tables or lists are nested too deeply") from error
    except ValueError as error:  # of tomllib, for syntax, bytes that are no text, and numbers of thousands of digits
        raise InvalidFile(f"{path.name}: not valid TOML: {error}") from error


def parse(table: Mapping[str, Any], folder: Path | None = None, *, allow_code: bool = False) -> Experiment:
    """The experiment that a table describes; relative paths of data files start in `folder`."""
    source = Source(folder, allow_code)
    _check_keys(table, "the file", _KEYS, needed=("name", "horizon", "methods", "panels"))
    if not isinstance(table["panels"], list) or not isinstance(table["methods"], Mapping):
        raise InvalidFile("expected `[[panels]]` tables and a `[methods.NAME]` table for each method")
    panels = []
    for i, panel in enumerate(table["panels"]):
        where = f"panels[{i}]"
        _check_keys(panel, where, ("name", "environment", "values"), needed=("name", "environment"))
        values = panel.get("values", {})
        if not isinstance(values, Mapping):
            raise InvalidFile(f"{where}.values: expected a table of values for `$name`; got {shown(values)}")
        place = f"{where}.environment"
        environment = from_table(_substitute(panel["environment"], values, place), Environment, place, source)  # type: ignore[type-abstract]
        mark = _substitute(table.get("mark"), values, "mark")
        methods: dict[str, Policy] = {}
        for name, spec in table["methods"].items():
            place = f"methods.{name}"
            methods[name] = from_table(_substitute(spec, values, place), Policy, place, source)  # type: ignore[type-abstract]
        panels.append(Panel(panel["name"], environment, methods, mark))
    seeds, look_order = table.get("seeds", 10), table.get("look_order", [])
    if not isinstance(look_order, list):
        raise InvalidFile(f"look_order: expected a list of names of methods; got {shown(look_order)}")
    stated = dict(item for item in table.items() if item[0] in ("title", "columns"))
    seeds = tuple(seeds) if isinstance(seeds, list) else first_seeds(seeds)
    return Experiment(table["name"], tuple(panels), table["horizon"], seeds, look_order=tuple(look_order), **stated)


def _substitute(value: Any, values: Mapping[str, Any], where: str) -> Any:
    """Replace `"$dim"` by the panel's value of dim, so that one set of methods serves panels of several sizes."""
    if isinstance(value, Mapping):
        return dict(zip(value, _substitute([*value.values()], values, where), strict=True))
    if isinstance(value, list):
        return [_substitute(entry, values, where) for entry in value]
    if isinstance(value, str) and value.startswith("$"):
        if value[1:] not in values:
            raise InvalidFile(f"{where}: the panel's `values` have no {value[1:]!r}; {nearest(value[1:], values)}")
        return values[value[1:]]
    return value


def _check_keys(table: Any, where: str, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    if not isinstance(table, Mapping):
        raise InvalidFile(f"{where}: expected a table; got {shown(table)}")
    for key in table:
        if key not in known:
            raise InvalidFile(f"{where} has an unknown key {key!r}; {nearest(key, known)}")
    for key in needed:
        if key not in table:
            raise InvalidFile(f"`{key}` is missing in {where}")
