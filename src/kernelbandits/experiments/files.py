"""Experiments as TOML files: the paper's, which come with the library, and the user's own."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib import resources
from inspect import isabstract
from pathlib import Path
from typing import Any, final

import kernelbandits
from kernelbandits import checks
from kernelbandits.environments import Environment
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest
from kernelbandits.experiments.grid import Experiment, Panel
from kernelbandits.policies import Policy
from kernelbandits.specs import Vocabulary, from_table

_KEYS = (*(field.name for field in fields(Experiment)), "mark", "methods")
_PANEL_KEYS = ("name", "environment", "values")


def shipped() -> dict[str, Path]:
    """The experiments that come with the library, name → file: the TOML files that lie beside the code of the paper."""
    folder = Path(str(resources.files(kernelbandits) / "paper"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(source: str | Path) -> Experiment:
    """The experiment in a TOML file, or a shipped one by name: `load("figure-1")`."""
    known = shipped()
    path = known.get(str(source), Path(source))
    if not path.is_file():
        raise InvalidFile(f"no such experiment file: {path}; give a .toml file or a name ({', '.join(known)})")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(f"{path.name}: not valid TOML: {error}") from error
    folder = path.resolve().parent
    if path not in known.values() and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))  # so that `type = "my_policies:Mine"` finds my_policies.py beside the file
    try:
        return parse(table, folder)
    except (InvalidFile, InvalidArgument) as error:
        raise InvalidFile(f"{path.name}: {error}") from error


def parse(table: Mapping[str, Any], folder: Path | None = None) -> Experiment:
    """The experiment that a table describes; relative paths of data files start in `folder`."""
    _check_keys(table, _KEYS, ("name", "horizon", "methods", "panels"), "the file")
    panels = table["panels"]
    if not isinstance(panels, list) or not isinstance(table["methods"], Mapping):
        raise InvalidFile("expected `[[panels]]` tables and a `[methods.NAME]` table for each method")
    seeds = table.get("seeds", 10)
    if not isinstance(seeds, list):  # a number n means the seeds 0 … n − 1
        seeds = range(checks.whole("seeds", seeds, at_least=0))
    given = {key: table[key] for key in ("name", "title", "horizon", "columns") if key in table}
    return Experiment(
        panels=tuple(_panel(panel, f"panels[{i}]", table, folder) for i, panel in enumerate(panels)),
        seeds=tuple(seeds),
        look_order=tuple(table.get("look_order", ())),
        **given,
    )


def methods(table: Mapping[str, Any], values: Mapping[str, Any], folder: Path | None = None) -> dict[str, Policy]:
    """Policies by name, with each `"$key"` replaced by the value of that key."""
    found: dict[str, Policy] = {}
    for name, spec in table.items():
        where = f"methods.{name}"
        found[name] = from_table(_substitute(spec, values, where), Policy, ExportedNames(), where, folder)  # type: ignore[type-abstract]
    return found


def _panel(table: Any, where: str, file: Mapping[str, Any], folder: Path | None) -> Panel:
    if not isinstance(table, Mapping):
        raise InvalidFile(f"{where}: expected a table; got {table!r}")
    _check_keys(table, _PANEL_KEYS, ("name", "environment"), where)
    values = table.get("values", {})
    if not isinstance(values, Mapping):
        raise InvalidFile(f"{where}.values: expected a table of values for `$name`; got {values!r}")
    environment = _substitute(table["environment"], values, f"{where}.environment")
    return Panel(
        name=table["name"],
        environment=from_table(environment, Environment, ExportedNames(), f"{where}.environment", folder),  # type: ignore[type-abstract]
        methods=methods(file["methods"], values, folder),
        mark=_substitute(file.get("mark"), values, "mark"),
    )


def _substitute(value: Any, values: Mapping[str, Any], where: str) -> Any:
    """Replace `"$dim"` by the panel's value of dim, so that one set of methods serves panels of several sizes."""
    if isinstance(value, Mapping):
        return {key: _substitute(entry, values, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list):
        return [_substitute(entry, values, where) for entry in value]
    if isinstance(value, str) and value.startswith("$"):
        if value[1:] not in values:
            raise InvalidFile(f"{where}: the panel's `values` have no {value[1:]!r}; {nearest(value[1:], values)}")
        return values[value[1:]]
    return value


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], needed: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise InvalidFile(f"{where} has an unknown key {key!r}; {nearest(key, known)}")
    for key in needed:
        if key not in table:
            raise InvalidFile(f"`{key}` is missing in {where}")


@final
class ExportedNames(Vocabulary):
    """The names that `kernelbandits` exports. A class is loaded when a file first names it."""

    def find(self, name: str) -> type[Any] | None:
        found = getattr(kernelbandits, name) if name in dir(kernelbandits) else None
        return found if isinstance(found, type) else None

    def names_below(self, base: type) -> list[str]:
        names, below = set(), [base]
        while below:  # a room loads all its classes, so those below `base` are there
            spec = below.pop()
            below += spec.__subclasses__()
            if self.find(spec.__name__) is spec and not isabstract(spec):
                names.add(spec.__name__)
        return sorted(names)
