"""Experiments in TOML files, those of the library and those of users: checked when read, before anything is run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelbandits.environments import Environment
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.experiments.grid import Experiment, Panel, first_seeds
from kernelbandits.policies import Policy
from kernelbandits.specs import from_table
from kernelbandits.user_modules import Source

_KEYS = ("name", "title", "horizon", "seeds", "columns", "look_order", "mark", "methods", "panels")


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
        panels.append(Panel(panel["name"], environment, methods(table["methods"], values, source), mark))
    seeds, look_order = table.get("seeds", 10), table.get("look_order", [])
    if not isinstance(look_order, list):
        raise InvalidFile(f"look_order: expected a list of names of methods; got {shown(look_order)}")
    stated = dict(item for item in table.items() if item[0] in ("title", "columns"))
    seeds = tuple(seeds) if isinstance(seeds, list) else first_seeds(seeds)
    return Experiment(table["name"], tuple(panels), table["horizon"], seeds, look_order=tuple(look_order), **stated)


def methods(
    table: Mapping[str, Any],
    values: Mapping[str, Any],
    source: Source = Source(),  # noqa: B008
) -> dict[str, Policy]:
    """Policies by name, with each `"$key"` replaced by the value of that key."""
    found: dict[str, Policy] = {}
    for name, spec in table.items():
        where = f"methods.{name}"
        found[name] = from_table(_substitute(spec, values, where), Policy, where, source)  # type: ignore[type-abstract]
    return found


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
