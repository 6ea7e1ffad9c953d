"""The wheel and the sdist: what is in them, and that they work where nothing else of the repository is."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import kernelbandits as kb

ROOT = Path(__file__).parents[1]
OLDEST = ROOT / "constraints-oldest.txt"


def pip(*arguments, python=sys.executable, cwd=ROOT):
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of what git would give, so that building writes nothing into the repository."""
    copy = tmp_path_factory.mktemp("source") / "kernelbandits"
    left_out = shutil.ignore_patterns(".git", ".venv*", "_build", "node_modules", "results", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=left_out)
    return copy


@pytest.mark.slow
def test_wheel_and_sdist_install_and_work(source, tmp_path):
    """Needs the build backend by name from the package index, as `pip install .` does."""
    pip("install", "--quiet", "--target", str(tmp_path / "backend"), "hatchling")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'backend')!r}); from hatchling import build; "
        f"print(build.build_wheel({str(tmp_path)!r})); print(build.build_sdist({str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=True)
    wheel, sdist = (tmp_path / name for name in done.stdout.split()[-2:])
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("reporting/assets/chart.js") for name in names)
    assert any(name.endswith("paper/figure-1.toml") for name in names)
    assert "kernelbandits/py.typed" in names
    assert not [name for name in names if not name.startswith(("kernelbandits/", "kernelbandits-"))]
    assert wheel.stat().st_size < 2_000_000
    with tarfile.open(sdist) as archive:
        packed = archive.getnames()
    for part in ("tests/conftest.py", "docs/conf.py", "examples/first_bandit.py", "Makefile", "constraints.txt"):
        assert any(name.endswith(part) for name in packed), part
    place = tmp_path / "installed"
    pip("install", "--quiet", "--no-deps", "--target", str(place), str(wheel))
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r}); import kernelbandits as kb; print(kb.__file__); kb.Gaussian()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(place))


def test_the_oldest_versions_are_those_that_are_promised():
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lowest = dict(line.split(">=") for line in promised)
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", OLDEST.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {name: tuple(map(int, version.split("."))) for name, version in lowest.items()} == {
        name: tuple(map(int, pinned[name].split(".")))[: len(lowest[name].split("."))] for name in lowest
    }


def test_versions_agree():
    assert kb.__version__ in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {kb.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
