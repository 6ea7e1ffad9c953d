"""Python blocks of README and docs run, TOML blocks load, links lead somewhere, docstring examples hold."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kernelbandits as kb

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_python_blocks_run(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=name)
def test_toml_blocks_load(page, tmp_path):
    for i, block in enumerate(blocks(page, "toml")):
        path = tmp_path / f"{i}.toml"
        path.write_text(block, encoding="utf-8")
        assert list(kb.load(path).cells())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_every_exported_name_is_in_the_reference():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    missing = [
        n
        for n in kb.__all__
        if not re.search(rf"\b{n}\b", text) and n not in ("__version__", "adapters", "experiments")
    ]
    assert missing == []


def modules():
    return [module.name for module in pkgutil.walk_packages(kb.__path__, "kernelbandits.")]


@pytest.mark.parametrize("module", modules())
def test_docstring_examples_hold(module):
    names = {n: getattr(kb, n) for n in kb.__all__} | {"np": importlib.import_module("numpy")}
    outcome = doctest.testmod(importlib.import_module(module), extraglobs=names, raise_on_error=False)
    assert outcome.failed == 0
