"""Python blocks of README and docs run, TOML blocks load, links lead somewhere, docstring examples hold."""

import contextlib
import doctest
import importlib.util
import json
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.bandit import policy_from
from kernelbandits.experiments import InProcess, running

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def name(page):
    return str(page.relative_to(ROOT))


def carry_out(command, folder):
    done = subprocess.run(
        [sys.executable, "-W", "error", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def carry_out_python(page, folder):
    """Run the page's Python blocks in a folder with its TOML blocks that begin with a comment of their file's name.

    Those that ask for workers are a process of their own, whose workers end with it; others run here, without workers.
    """
    for block in blocks(page, "toml"):
        for file in re.findall(r"\A# (\S+\.toml)\n", block):
            (folder / file).write_text(block, encoding="utf-8")
    script = folder / "page.py"
    code = "\n".join(blocks(page, "python"))
    script.write_text(code, encoding="utf-8")
    if "local(" in code:
        carry_out([script], folder)
    elif code:
        with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
            patch.setattr(running, "local", InProcess)
            runpy.run_path(str(script), run_name="__main__")


def load_tables(page, folder):
    """Load the page's TOML blocks, which may name data that its Python blocks have made in the folder."""
    for i, block in enumerate(blocks(page, "toml")):
        path = folder / f"{i}.toml"
        path.write_text(block, encoding="utf-8")
        if block.startswith("# floor.toml"):
            assert policy_from(str(path)).epsilon == 0.02
        else:
            assert list(kb.load_experiment(path).cells())


def tutorial_on_tables(page, folder):
    frame = pl.read_parquet(folder / "offers.parquet")
    features = frame.drop("offer", "profit", "chance")
    kinds = [features[column].dtype == pl.String for column in features.columns]
    assert (frame["offer"].n_unique(), kinds.count(False), kinds.count(True)) == (3, 40, 5)
    [command] = re.findall(r"^\$ kernelbandits (.*)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    done = run(*command.split(), "--jobs", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    promised = [line.removeprefix("# ") for line in blocks(page, "python")[1].splitlines() if line.startswith("# ")]
    assert len(promised) == 9
    for line in promised:
        assert re.search(".+".join(map(re.escape, line.split("…"))), said), line
    results = folder / "results" / "offers"
    names = ("results.parquet", "summary.csv", "offers.png", "offers.svg", "provenance.json", "report.html")
    assert all((results / name).is_file() for name in names)
    record = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert list(record["files"]) == ["offers.parquet"]
    assert "missing numbers in &#x27;n00&#x27;" in (results / "report.html").read_text(encoding="utf-8")


FURTHER_CHECKS = {"docs/how-to/bandit-from-a-table.md": tutorial_on_tables}
"""What else is checked in the folder in which a page was carried out."""


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python") or blocks(page, "toml")], ids=name)
def test_what_a_page_says_works(page, tmp_path):
    carry_out_python(page, tmp_path)
    load_tables(page, tmp_path)
    if name(page) in FURTHER_CHECKS:
        FURTHER_CHECKS[name(page)](page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        made = re.fullmatch(r"(?:\.\./)*gallery/(\w+)\.rst", target)  # `make docs` makes the gallery of the examples
        source = ROOT / "examples" / f"{made[1]}.py" if made else page.parent / target
        assert target.startswith("http") or source.exists(), f"{name(page)} links to {target}"


def test_every_exported_name_is_in_the_reference():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    missing = [
        n
        for n in kb.__all__
        if not re.search(rf"\b{n}\b", text) and n not in ("__version__", "adapters", "experiments")
    ]
    assert missing == []


def modules():
    """Those with examples."""
    found = [module.name for module in pkgutil.walk_packages(kb.__path__, "kernelbandits.")]
    return [name for name in found if ">>> " in Path(importlib.util.find_spec(name).origin).read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", modules())
def test_docstring_examples_hold(module):
    names = {n: getattr(kb, n) for n in kb.__all__} | {"np": importlib.import_module("numpy")}
    outcome = doctest.testmod(importlib.import_module(module), extraglobs=names, raise_on_error=False)
    assert outcome.failed == 0
