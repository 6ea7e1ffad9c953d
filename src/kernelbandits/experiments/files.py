"""Experiments as TOML files: the paper's, shipped with the library, and the user's own."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import kernelbandits
from kernelbandits.environments.base import Environment
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest
from kernelbandits.experiments.grid import Experiment, Panel
from kernelbandits.experiments.vocabulary import ExportedNames
from kernelbandits.policies.base import Policy
from kernelbandits.specs import from_table

_NAMES = ExportedNames()
_KEYS = ("name", "title", "horizon", "seeds", "columns", "mark", "methods", "panels")
_PANEL_KEYS = ("name", "environment", "values")


def shipped() -> dict[str, Path]:
    """The experiments that come with the library: name → file."""
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
    folder = str(path.resolve().parent)
    if path not in known.values() and folder not in sys.path:
        sys.path.insert(0, folder)  # so that `type = "my_policies:Mine"` finds my_policies.py beside the file
    try:
        return parse(table, path.resolve().parent)
    except (InvalidFile, InvalidArgument) as error:
        raise InvalidFile(f"{path.name}: {error}") from error


def parse(table: Mapping[str, Any], folder: Path | None = None) -> Experiment:
    """The experiment that a table describes; relative paths of data files start in `folder`."""
    _only_keys(table, _KEYS, "the file")
    for key in ("name", "horizon", "methods", "panels"):
        if key not in table:
            raise InvalidFile(f"`{key}` is missing")
    panels = table["panels"]
    if not isinstance(panels, list) or not isinstance(table["methods"], Mapping):
        raise InvalidFile("expected `[[panels]]` tables and a `[methods.NAME]` table for each method")
    return Experiment(
        name=_text(table["name"], "name"),
        title=_text(table.get("title", ""), "title"),
        panels=tuple(_panel(panel, i, table, folder) for i, panel in enumerate(panels)),
        horizon=_whole(table["horizon"], "horizon"),
        seeds=_seeds(table.get("seeds", 10)),
        columns=_whole(table.get("columns", 3), "columns"),
    )


def methods(
    table: Mapping[str, Any], values: Mapping[str, Any], where: str = "methods", folder: Path | None = None
) -> dict[str, Policy]:
    """Policies by name, `"$key"` replaced by the value of that key."""
    return {
        name: from_table(_substitute(spec, values, f"{where}.{name}"), Policy, _NAMES, f"{where}.{name}", folder)  # type: ignore[type-abstract]
        for name, spec in table.items()
    }


def _panel(table: Any, index: int, file: Mapping[str, Any], folder: Path | None) -> Panel:
    where = f"panels[{index}]"
    if not isinstance(table, Mapping):
        raise InvalidFile(f"{where}: expected a table; got {table!r}")
    _only_keys(table, _PANEL_KEYS, where)
    for key in ("name", "environment"):
        if key not in table:
            raise InvalidFile(f"{where}: `{key}` is missing")
    values = table.get("values", {})
    if not isinstance(values, Mapping):
        raise InvalidFile(f"{where}.values: expected a table of values for `$name`; got {values!r}")
    environment = _substitute(table["environment"], values, f"{where}.environment")
    mark = _substitute(file.get("mark"), values, "mark")
    return Panel(
        name=_text(table["name"], f"{where}.name"),
        environment=from_table(environment, Environment, _NAMES, f"{where}.environment", folder),  # type: ignore[type-abstract]
        methods=methods(file["methods"], values, folder=folder),
        mark=None if mark is None else _whole(mark, "mark"),
    )


def _substitute(value: Any, values: Mapping[str, Any], where: str) -> Any:
    """`"$dim"` becomes the panel's value of dim: one set of methods serves panels of several sizes."""
    if isinstance(value, Mapping):
        return {key: _substitute(entry, values, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list):
        return [_substitute(entry, values, where) for entry in value]
    if isinstance(value, str) and value.startswith("$"):
        if value[1:] not in values:
            raise InvalidFile(f"{where}: the panel's `values` have no {value[1:]!r}; {nearest(value[1:], values)}")
        return values[value[1:]]
    return value


def _only_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise InvalidFile(f"{where} has an unknown key {key!r}; {nearest(key, known)}")


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidFile(f"{where}: expected a text; got {value!r}")
    return value


def _whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidFile(f"{where}: expected a whole number; got {value!r}")
    return value


def _seeds(value: Any) -> tuple[int, ...]:
    """A number n stands for the seeds 0 … n − 1; a list is taken as it is."""
    if isinstance(value, list):
        return tuple(_whole(seed, "seeds") for seed in value)
    return tuple(range(_whole(value, "seeds")))
