"""Code beside an experiment's file runs only if the file names it and the user allows it."""

import subprocess
import sys
import types
from pathlib import Path

import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import InvalidFile
from small import TOML

POLICY = Path(__file__).with_name("own_policy.py").read_text(encoding="utf-8")
EVIL = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n"


def file_naming(folder, name, **modules):
    """A file whose method Uniform is of this type, with modules beside it."""
    folder.mkdir(exist_ok=True)
    for module, source in modules.items():
        path = folder / f"{module.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")
    path = folder / "mine.toml"
    path.write_text(TOML.replace('type = "Uniform"', f'type = "{name}"'), encoding="utf-8")
    return path


def refused(path, **options):
    with pytest.raises(InvalidFile) as caught:
        kb.load_experiment(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def arms(experiment, folder, engine=None):
    return kb.run(experiment.only(("Uniform",)), folder, engine or kb.experiments.InProcess()).frame["arm"].to_list()


def test_a_policy_beside_the_file_needs_a_word(tmp_path):
    path = file_naming(tmp_path, "allowed_only:FirstArm", allowed_only=EVIL + POLICY)
    assert refused(path) == (
        f"mine.toml: methods.Uniform.type: 'allowed_only' would run {tmp_path}/allowed_only.py, which lies beside the "
        "file; if you trust it, add --allow-code (in Python: allow_code=True)"
    )
    assert not list(tmp_path.glob("*.ran"))
    before = sys.path.copy()
    assert set(arms(kb.load_experiment(path, allow_code=True), tmp_path / "out")) == {1}
    assert sys.path == before


def test_a_package_beside_the_file_can_import_its_own_modules(tmp_path):
    parts = {"package__policies": POLICY.replace("ARM = 1", "from .numbers import ARM"), "package__numbers": "ARM = 3"}
    path = file_naming(tmp_path, "package.policies:FirstArm", **parts)
    assert set(arms(kb.load_experiment(path, allow_code=True), tmp_path / "out")) == {3}


def test_other_modules_beside_the_file_are_not_imported(tmp_path):
    neighbour = {"neighbour": EVIL, "not_alone": "import neighbour\n" + POLICY}
    message = refused(file_naming(tmp_path, "not_alone:FirstArm", **neighbour), allow_code=True)
    assert "cannot import module 'not_alone' (ModuleNotFoundError: No module named 'neighbour')" in message
    assert message.endswith(
        "only 'not_alone' is taken from beside the file: put both into a package, or set PYTHONPATH"
    )
    assert not list(tmp_path.glob("*.ran"))


@pytest.mark.parametrize("options", ["--jobs 2", pytest.param("--engine dask --jobs 2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("there", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_nothing_else_beside_the_file_runs_here_or_in_workers(tmp_path, options, there):
    """Started in the folder of the file or elsewhere."""
    folder = tmp_path / "theirs"
    names = ("joblib", "rich", "csv", "polars", "matplotlib", "lz4", "pandas", "cupy", "sitecustomize")
    path = file_naming(folder, "own:FirstArm", own=POLICY, **dict.fromkeys(names, EVIL))
    out = tmp_path / "out"
    code = "from kernelbandits.cli import main; main()"  # as the installed command: -P leaves out the current folder
    command = [sys.executable, "-P", "-c", code, "run", str(path), "--allow-code", *options.split(), "--seeds", "1"]
    where = folder if there else tmp_path
    done = subprocess.run([*command, "--out", str(out)], cwd=where, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(folder.glob("*.ran"))
    frame = pl.read_parquet(out / "results.parquet")
    assert set(frame.filter(pl.col("method") == "Uniform")["arm"]) == {1}


def test_two_modules_of_one_name_are_not_mixed_up(tmp_path):
    kb.load_experiment(file_naming(tmp_path / "a", "one_name:FirstArm", one_name=POLICY), allow_code=True)
    other = file_naming(tmp_path / "b", "one_name:FirstArm", one_name=POLICY)
    assert "'one_name' would run" in refused(other)
    assert f"another module 'one_name' was imported before, from {tmp_path}/a" in refused(other, allow_code=True)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "cannot import module 'broken_0' (ZeroDivisionError: division by zero)"),
        ("def f(:", "cannot import module 'broken_1' (SyntaxError: invalid syntax (broken_1.py, line 1))"),
        ("import sys; sys.exit(0)", "cannot import module 'broken_2' (SystemExit: 0)"),
        ("raise BaseException('no')", "cannot import module 'broken_3' (BaseException: no)"),
        ("\0", "cannot import module 'broken_4' (SyntaxError: source code string cannot contain null bytes)"),
        ("FirstArm = 3", "broken_5:FirstArm is not a Policy"),
        ("", "module 'broken_6' has no 'FirstArm'"),
        (POLICY.replace("class FirstArm", "class FirstArm_"), "has no 'FirstArm'; did you mean 'FirstArm_'?"),
        (
            POLICY.replace("    def learner", "    x: 'Unknown' = 3\n\n    def learner", 1),
            "methods.Uniform: FirstArm cannot be built (NameError: name 'Unknown' is not defined)",
        ),
        (
            POLICY.replace("    def learner", "    def _validate(self):\n        {}['x']\n\n    def learner", 1),
            "methods.Uniform: FirstArm cannot be built (KeyError: 'x')",
        ),
    ],
)
def test_a_broken_module_is_one_line(tmp_path, source, message, request):
    name = f"broken_{request.node.callspec.indices['source']}"
    path = file_naming(tmp_path, f"{name}:FirstArm", **{name: source})
    done = run("run", str(path), "--allow-code", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


CELL = """
from dataclasses import dataclass
import kernelbandits as kb
FACTOR = 1

class Mine(kb.Learner):
    def __init__(self):
        self.inner = None
    def decide(self, contexts, eligible):
        return kb.Choice(0, 1.0, contexts[:, 0] * 2.0, False)
    def observe(self, context, arm, reward):
        pass

@dataclass(frozen=True)
class Typed(kb.Policy):
    def learner(self, problem, rng):
        return Mine()
"""


def typed_in_a_notebook(text, monkeypatch):
    """What a cell defines, in a module without a file."""
    module = types.ModuleType("typed_cells")
    monkeypatch.setitem(sys.modules, "typed_cells", module)
    exec(compile(text, "<cell>", "exec"), module.__dict__)  # noqa: S102
    panel = kb.Panel("p", kb.Synthetic(kb.LowRank(), n_arms=2, dim=3), {"Typed": module.Typed()})
    [cell] = kb.Experiment("typed", (panel,), horizon=5, seeds=(0,)).cells()
    return cell.fingerprint


def test_a_policy_typed_in_a_notebook_is_known_by_its_code(monkeypatch):
    first = typed_in_a_notebook(CELL, monkeypatch)
    assert typed_in_a_notebook("\n\n" + CELL, monkeypatch) == first, "the same code elsewhere"
    assert typed_in_a_notebook(CELL.replace("* 2.0", "* 3.0"), monkeypatch) != first, "an edit of what it uses"
