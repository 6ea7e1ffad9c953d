"""Imports go down only, and heavy libraries stay where they are used."""

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import kernelbandits as kb

ROOT = Path(kb.__file__).parent
LAYERS = [
    # Each room may import those above it in this list, and itself.
    {"types", "errors"},
    {"user_modules"},
    {"checks", "specs"},
    {"arm_checks"},
    {"problem", "linalg"},
    {"reporting"},
    {"saving"},
    {"kernels"},
    {"regression"},
    {"beliefs"},
    {"policies"},
    {"tables"},
    {"bandit"},
    {"environments"},
    {"offline"},
    {"theory", "testing"},
    {"experiments", "service"},
    {"paper"},
    {"cli"},
    {"__main__"},
]
HEAVY = {
    "matplotlib": {"reporting/"},
    "sklearn": {"regression/scikit_learn.py", "paper/data_sets.py", "paper/evaluation/errors.py"},
    "rich": {"reporting/"},
    "click": {"cli/"},
    "msgspec": {"service/"},
    "uvicorn": {"service/"},
    "psycopg": {"service/storage/postgres.py"},
    "httpx": {"service/"},
    "dask": {"experiments/engines"},
    "distributed": {"experiments/engines"},
    "cloudpickle": {"experiments/engines/pickling.py"},
}


def modules():
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@cache
def nodes_of(path):
    """Imports and classes of a file."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)]


def imports_of(path):
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def unit_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def level_of(unit):
    return next(level for level, units in enumerate(LAYERS) if unit in units)


def targets_of(path):
    """The rooms that a file imports from."""
    for module, names in imports_of(path):
        if module == "kernelbandits":
            yield from (name for name in names if (ROOT / name).exists() or (ROOT / f"{name}.py").exists())
        elif module.startswith("kernelbandits."):
            yield module.split(".")[1]


def test_imports_go_down_only():
    wrong = [
        f"{path.relative_to(ROOT)} must not import {target}"
        for path in modules()
        for target in targets_of(path)
        if target != unit_of(path) and level_of(target) >= level_of(unit_of(path))
    ]
    assert wrong == []


def test_heavy_libraries_have_their_place():
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in modules()
        for module, _ in imports_of(path)
        if not str(path.relative_to(ROOT)).startswith((*HEAVY.get(module.split(".")[0], [""]),))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import kernelbandits", ("numpy", "kernelbandits.policies")),
        ("from kernelbandits import GPUCB, Gaussian, Synthetic, play, Log, replay_log", HEAVY.keys()),
    ],
)
def test_importing_loads_only_what_is_used(code, unwanted):
    code = f"import sys; {code}; print([name for name in {(*unwanted, 'polars', 'joblib')} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_diagnose_loads_what_it_needs(tmp_path):
    """At most 80 modules of ours, for a sample with arms and rewards."""
    table = Path(__file__).parent / "data" / "visits.csv"
    arguments = ["diagnose", str(table), "--arm-column", "offer", "--reward-column", "spent", "--json"]
    code = f"""import sys
from kernelbandits.cli import main
try:
    main({arguments!r})
finally:
    print(sum(name.split(".")[0] == "kernelbandits" for name in sys.modules), file=sys.stderr)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert int(done.stderr.split()[-1]) <= 80


def test_the_stub_names_exactly_what_is_exported_from_where_it_is():
    nodes = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8")).body
    [submodules, *rest] = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module for node in rest for alias in node.names}
    assert {*homes, *(alias.name for alias in submodules.names)} == {*kb.__all__} == {*dir(kb)}
    for name, home in homes.items():
        assert getattr(kb, name) is getattr(importlib.import_module(f"kernelbandits.{home}"), name)


def test_every_exported_name_exists_and_unknown_ones_are_explained():
    assert [name for name in kb.__all__ if not hasattr(kb, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'Gausian'; did you mean 'Gaussian'"):
        kb.Gausian  # noqa: B018


def test_small_files():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}


def test_a_class_name_stands_once():
    places = {}
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
