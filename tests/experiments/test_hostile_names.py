"""Names from a file end in file names, pictures, tables and pages: refused, or shown letter by letter."""

import json
import os
import xml.etree.ElementTree as ElementTree

import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import InvalidArgument
from kernelbandits.reporting import Column, Entry, Note, Progress, Table
from small import TOML

UNPRINTABLE = ["a\\u0000b", "a\\nb", "\\u001b[31m", "\\u202egnp", "\\u2028"]


def written(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "name",
    [
        "/elsewhere/x",
        "../../../esc",
        "a/b/c",
        "..",
        ".",
        "",
        " ",
        ".hidden",
        "-rf",
        "a\\\\b",
        "C:x",
        "end.",
        "x" * 201,
        *UNPRINTABLE,
    ],
)
def test_a_name_that_cannot_be_a_file_is_refused_before_anything_runs(tmp_path, name):
    path = written(tmp_path, TOML.replace('name = "small"', f'name = "{name}"'))
    done = run("run", str(path), "--out", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kernelbandits: mine.toml: name ")
    assert (done.stderr.count("\n"), done.stderr.rstrip("\n").isprintable()) == (1, True)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["x" * 201, *UNPRINTABLE])
@pytest.mark.parametrize("old", ['name = "decay"', "[methods.Uniform]", 'title = "A small one"'])
def test_other_names_are_printable_and_short(tmp_path, name, old):
    place = old.replace("decay", name).replace("Uniform", f'"{name}"').replace("A small one", name)
    with pytest.raises(kb.errors.InvalidFile, match=r"must be a text of at most 200 characters, all printable; got '"):
        kb.load_experiment(written(tmp_path, TOML.replace(old, place)))


def test_python_specs_are_checked_too():
    panel = kb.Panel("p", kb.Synthetic(kb.LowRank()), {"Uniform": kb.Uniform()})
    with pytest.raises(InvalidArgument, match="name is the name of files"):
        kb.Experiment("../up", (panel,), horizon=5, seeds=(0,))
    with pytest.raises(InvalidArgument, match="the name of a method must be a text"):
        kb.Panel("p", kb.Synthetic(kb.LowRank()), {3: kb.Uniform()})


NAMES = [r"$\\frac$", r"$x", "[/red]", "[bold]b[/]", "_hidden", "<script>alert(1)</script>", "日本語 😀", "\\\\$a\\\\$"]
PANELS = [" ".join(NAMES[:4]), " ".join(NAMES[4:])]


def test_markup_of_any_kind_is_shown_as_it_is(tmp_path):
    """As panel, method and title, in tables, pictures, page and JSON."""
    methods = "".join(f'[methods."{name}"]\ntype = "Uniform"\n' for name in NAMES)
    panels = "".join(
        f'[[panels]]\nname = "{name}"\n[panels.environment]\ntype = "Synthetic"\nn_arms = 2\ndim = {dim}\nn_bumps = 3\n'
        'covariance = { type = "LowRank" }\n'
        for dim, name in enumerate(PANELS, start=2)
    )
    text = f'name = "[red] $x"\ntitle = "{NAMES[0]} [/red]"\nhorizon = 4\nseeds = 1\n{methods}{panels}'
    path = written(tmp_path, text)
    done = run("run", str(path), "--out", "out", "--report", "--jobs", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    plain = [name.replace("\\\\", "\\") for name in NAMES]
    assert all(name in done.stdout for name in plain)
    assert ElementTree.parse(tmp_path / "out/[red] $x.svg").getroot().tag.endswith("svg")
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    record = run("run", str(path), "--out", "out", "--json", "--jobs", "1", cwd=tmp_path).stdout
    assert {row["method"] for row in json.loads(record)["summary"]} == set(plain)
    assert {each.name for each in tmp_path.iterdir()} == {"mine.toml", "out"}


def test_the_progress_bar_shows_markup_as_it_is(monkeypatch):
    from rich import console

    from kernelbandits.reporting import progress

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    seen = console.Console(force_terminal=True, record=True, width=200, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    monkeypatch.setattr(console, "Console", lambda **options: seen)
    with Progress("[/red]", 2) as bar:
        bar.show(1, "[/note]")
    seen.file.close()
    text = seen.export_text()
    assert "[/red]" in text
    assert "[/note]" in text


def test_control_characters_do_not_reach_the_terminal(capsys):
    table = Table("t", (Column("\x1b[2J", numeric=False),), ((Entry("\x07bell"),),))
    kb.reporting.Document("", (table, Note("\x1b]0;title", "\x9b31m"))).show("\u202eclosing")
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.splitlines())
    assert r"\x1b[2J" in shown
    assert r"\u202eclosing" in shown
