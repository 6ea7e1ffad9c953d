"""`python -m kernelbandits`, completion in a shell, and the names that files accept."""

import os
import shutil
import subprocess
import sys

import pytest

import kernelbandits as kb
from command import run
from kernelbandits.specs import kinds_in_files


def test_python_m_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "kernelbandits", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == kb.__version__


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_put_where_the_shell_looks(shell, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    done = run("completion", "--shell", shell, "--install")
    assert done.returncode == 0, done.stderr
    [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert f"Wrote {file}" in done.stdout
    assert file.read_text(encoding="utf-8").strip() == run("completion", "--shell", shell).stdout.strip()
    assert "_KERNELBANDITS_COMPLETE" in file.read_text(encoding="utf-8")


def test_an_unknown_shell_is_told(monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("completion")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--shell bash|fish|zsh" in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("kernelbandits rep", ["reproduce"]),
        ("kernelbandits reproduce fig", ["figure-1", "figure-2"]),
        ("kernelbandits diagnose --arm", ["--arm-column", "--arms"]),
    ],
)
def test_bash_completes(words, answers, tmp_path):
    """In a real bash, with the installed script, as if Tab had been pressed."""
    script = tmp_path / "kernelbandits"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kernelbandits "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    parts = words.split(" ")
    code = (
        'eval "$(kernelbandits completion --shell bash)"; '
        f"COMP_WORDS=({' '.join(parts)}); COMP_CWORD={len(parts) - 1}; "
        '_kernelbandits_completion kernelbandits; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, env=os.environ | {"PATH": path}, check=True
    )
    assert done.stdout.split() == answers


def test_list_names_every_kind_that_a_file_can_ask_for():
    kinds = kinds_in_files(kb.Policy, kb.Environment)
    assert {"Policy", "Belief", "Width", "Kernel", "Estimator", "Environment", "Centers", "Stopping"} <= set(kinds)
    assert "EmpiricalBayes" in kinds["Belief"]
    assert "ConstantWidth" in kinds["Width"]
    assert not any("SklearnEncoding" in names for names in kinds.values()), "no file can state a transformer"


def test_list_fits_the_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    lines = [line for line in run("list").stdout.splitlines() if ".toml" not in line]
    assert max(map(len, lines)) <= 75
    assert all(len(line) <= 70 for line in lines[lines.index("Names for `type` in a file, by kind:") + 1 :])
