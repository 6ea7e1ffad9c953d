"""An experiment is a grid of panels × methods × seeds, often read from a TOML file.

Each cell is one run, identified by what it computes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn, final

from kernelbandits import checks
from kernelbandits.environments import Environment
from kernelbandits.errors import InvalidArgument, counted, nearest, shown
from kernelbandits.linalg import arithmetic, require_memory
from kernelbandits.policies import Policy
from kernelbandits.specs import Spec, path_of, to_table
from kernelbandits.tables.digests import content_digest

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
        checks.label("the name of a panel", self.name, "'low-rank'")
        where = f"panel {self.name!r}"
        if self.mark is not None:
            checks.whole(f"{where}: mark", self.mark, at_least=0)
        checks.instance(f"{where}: environment", self.environment, Environment, "Synthetic(LowRank())")  # type: ignore[type-abstract]
        checks.instance(f"{where}: methods", self.methods, Mapping, "{'Uniform': Uniform()}")  # type: ignore[type-abstract]
        if not self.methods:
            raise InvalidArgument(f"{where} must have at least one method")
        for name, policy in self.methods.items():
            checks.label(f"{where}: the name of a method", name, "'Uniform'")
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
        name = checks.label("name", self.name, "'figure-1'")
        ends = not name.strip(". ") or name[0] in ".- " or name[-1] in ". "
        if ends or {*name} & {*_NOT_IN_FILES} or len(name.encode()) > checks.LONGEST_LABEL:
            raise InvalidArgument(
                f"name is the name of files, so it needs 1 to {checks.LONGEST_LABEL} bytes, none of "
                f"{' '.join(_NOT_IN_FILES)}, begin with no dot, dash or blank, and end with no dot or blank; "
                f"got {shown(name)}"
            )
        checks.label("title", self.title, "'Two budgets'")
        for method in checks.instance("look_order", self.look_order, Sequence, "('EtC', 'UCB')"):  # type: ignore[type-abstract]
            checks.label("look_order", method, "'EtC'")
        checks.whole("horizon", self.horizon, at_least=1)
        checks.whole("columns", self.columns, at_least=1)
        checks.instance("panels", self.panels, Sequence, "(Panel(…),)")  # type: ignore[type-abstract]
        checks.instance("seeds", self.seeds, Sequence, "range(10)")  # type: ignore[type-abstract]
        if not self.panels:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one panel")
        if not self.seeds:
            raise InvalidArgument(f"experiment {self.name!r} must have at least one seed")
        for seed in self.seeds:
            if checks.whole("seeds", seed, at_least=0) >= 2**63:
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
    require_memory(36 * checks.whole("seeds", n, at_least=0), f"a grid with {n:,} seeds", "use fewer seeds")
    return tuple(range(n))


def require_known(names: Iterable[str], known: Sequence[str], none: str) -> None:
    """Refuse a name that is not known, in any case; `none` begins the message, such as "the study has no part"."""
    for name in names:
        if name.casefold() not in map(str.casefold, known):
            raise InvalidArgument(f"{none} {name!r}; {nearest(name, known)}")


def fingerprint(environment: Spec, policy: Spec, horizon: int, seed: int) -> str:
    """32 hexadecimal digits that change when anything changes that a cell computes, code and data files included.

    After a dash follow the eight of `own_arithmetic`: the same run on another kind of processor.
    """
    specs = to_table([environment, policy], of_file=content_digest, of_foreign=_source_of)
    content = json.dumps([specs, horizon, seed, own_code()], sort_keys=True, default=_refuse)
    return f"{hashlib.sha256(content.encode()).hexdigest()[:32]}-{own_arithmetic()}"


def files_in(specs: Any) -> dict[str, str]:
    """The data files that specs name, each with the digest of its content."""
    found: dict[str, str] = {}
    to_table(specs, of_file=lambda path: found.setdefault(path, content_digest(path)))
    return found


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """The names of files for readers on other machines: as much of the end of each path as tells them apart."""
    whole = list(paths)
    parts = [Path(path).parts[1:] for path in whole]
    names = [part[-1] for part in parts]
    n = 1
    while len(set(names)) < len(names):
        n += 1
        names = ["/".join(part[-n:]) for part in parts]
    return dict(zip(whole, names, strict=True))


@cache
def own_code() -> str:
    """Digest of the library's code: after any edit, results are computed again."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:32]


@cache
def own_arithmetic() -> str:
    """Digest of what the last bits depend on apart from code and data: processor, BLAS, numpy and scipy."""
    content = json.dumps([dict(arithmetic()), version("numpy"), version("scipy")], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def _refuse(value: object) -> NoReturn:
    raise InvalidArgument(
        "an experiment's specs must be frozen dataclasses whose fields are numbers, texts, tuples or other specs, so "
        f"that a result can be identified by what was computed; got {value!r:.200} of type {type(value).__name__}"
    )


@cache
def _source_of(foreign: type) -> str:
    """Name of the class and digest of the file that defines it, so that an edited policy of the user is run again."""
    try:
        path = inspect.getsourcefile(foreign)
        source = Path(path).read_bytes() if path and Path(path).is_file() else inspect.getsource(foreign).encode()
    except (OSError, TypeError):  # typed in a notebook, where there is no file
        source = repr(_code_in(sys.modules[foreign.__module__], foreign.__module__)).encode()
    return f"{path_of(foreign)} {hashlib.sha256(source).hexdigest()}"


def _code_in(owner: object, module: str) -> list[Any]:
    """The code of all functions and classes that a module or class holds and that were defined in this module."""
    found: list[Any] = []
    for name, value in sorted(vars(owner).items()):
        inner = getattr(value, "__func__", getattr(value, "fget", value))  # of class methods and properties
        if isinstance(inner, type) and inner.__module__ == module:
            found.append((name, _code_in(inner, module)))
        elif isinstance(inner, FunctionType) and inner.__module__ == module:
            found.append((name, inner.__defaults__, _instructions(inner.__code__)))
    return found


def _instructions(code: CodeType) -> tuple[Any, ...]:
    """What the code does, without where it stands."""
    constants = [_instructions(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.co_code, code.co_names, constants


def lead_of(experiment: Experiment) -> tuple[str, ...]:
    """The experiment in a few words."""
    return (
        experiment.name,
        f"{experiment.horizon:,} rounds",
        counted(len(experiment.seeds), "seed"),
        counted(len(experiment.panels), "panel"),
        counted(len(experiment.methods), "method"),
    )
