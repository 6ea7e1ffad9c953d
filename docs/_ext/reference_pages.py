"""Pages of the reference that are made from the library itself, so that no export and no option can be forgotten.

One page per room lists the names that `kernelbandits/__init__.pyi` takes from it, and autosummary makes one page per
name. One page shows the help of every command.
"""

import ast
import importlib
import inspect
from pathlib import Path

import click

import kernelbandits
from kernelbandits.cli import app as command

TITLES = {
    "kernels": "Kernels",
    "regression": "Estimators, predictors and solvers",
    "policies": "Policies and agents",
    "beliefs": "Beliefs about the arms",
    "problem": "Problems",
    "bandit": "Bandits on tables",
    "tables": "Encoding of tables",
    "environments": "Environments, simulation and metrics",
    "offline": "Logs and replay",
    "experiments": "Experiments, results and large fits",
    "saving": "Saving",
}
MODULES = ("errors", "experiments", "paper", "testing", "theory")


def rooms():
    """The exported names by room, rooms in the order of `TITLES` and then as they come."""
    stub = Path(kernelbandits.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    found = {room: [] for room in TITLES}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found.setdefault(node.module.split(".")[0], []).extend(alias.name for alias in node.names)
    return {room: sorted(names) for room, names in found.items() if names}


def heading(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


def room_page(room, names):
    about = inspect.getdoc(importlib.import_module(f"kernelbandits.{room}")) or ""
    title = TITLES.get(room, room.capitalize())
    listed = "\n".join(f"   {name}" for name in names)
    return (
        f"{heading(title)}{about.splitlines()[0] if about else ''}\n\n.. currentmodule:: kernelbandits\n\n"
        f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{listed}\n"
    )


def module_page(name):
    """A module with the functions and classes that it exports, each with its docstring."""
    module = importlib.import_module(f"kernelbandits.{name}")
    members = [
        member
        for member, value in vars(module).items()
        if not member.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__.startswith(f"kernelbandits.{name}")
        and member not in kernelbandits.__all__
    ]
    listed = "".join(
        f".. auto{'class' if inspect.isclass(getattr(module, member)) else 'function'}:: {member}\n\n"
        for member in sorted(members)
    )
    about = (inspect.getdoc(module) or "").splitlines()[0]
    return f"{heading(f'kernelbandits.{name}')}{about}\n\n.. currentmodule:: kernelbandits.{name}\n\n{listed}"


def commands_page():
    """The help of the command and of all its commands, as a terminal shows it."""
    text = heading("Commands") + "What each command says with ``--help``.\n\n"
    shown = [
        ("kernelbandits", command),
        *((f"kernelbandits {name}", command.get_command(None, name)) for name in command.list_commands(None)),
    ]
    for name, each in shown:
        context = click.Context(each, info_name=name, max_content_width=90, terminal_width=90)
        lines = "\n".join(f"   {line}".rstrip() for line in each.get_help(context).splitlines())
        text += f"{heading(name, '-')}.. code-block:: text\n\n{lines}\n\n"
    return text


def write(path, text):
    """Only what has changed, so that Sphinx reads only that again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def make_pages(app, config):
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    pages = {f"{room}.rst": room_page(room, names) for room, names in rooms().items()}
    pages |= {f"module-{name}.rst": module_page(name) for name in MODULES}
    pages["commands.rst"] = commands_page()
    for name, text in pages.items():
        write(folder / name, text)
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    exported = {f"kernelbandits.{name}.rst" for names in rooms().values() for name in names}
    for old in (folder / "names").glob("*.rst"):
        if old.name not in exported:
            old.unlink()


def setup(app):
    app.connect("config-inited", make_pages)  # before Sphinx looks for pages
    return {"parallel_read_safe": True, "parallel_write_safe": True}
