"""The command `completion`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click
from click.shell_completion import get_completion_class

_DATA = Path("~/.local/share"), "XDG_DATA_HOME", Path("bash-completion/completions/kernelbandits")
_CONFIG = Path("~/.config"), "XDG_CONFIG_HOME", Path("fish/completions/kernelbandits.fish")
_PLACES = {"bash": _DATA, "fish": _CONFIG, "zsh": (Path("~/.zfunc"), "", Path("_kernelbandits"))}
"""By shell: the usual folder, the variable that names another one, and the file in it."""
_NEXT_STEPS = {
    "bash": "Open a new terminal. Bash reads the file by itself if the package bash-completion is installed.",
    "fish": "Open a new terminal.",
    "zsh": "If ~/.zshrc does not have these two lines yet, add them, and open a new terminal:\n"
    "  fpath+=~/.zfunc\n  autoload -Uz compinit && compinit",
}


@click.command()
@click.option("--shell", type=click.Choice([*_PLACES]), help="Default: the shell that $SHELL names.")
@click.option("--install", is_flag=True, help="Write it to where the shell looks for it, and say where.")
@click.pass_context
def completion(context: click.Context, shell: str | None, install: bool) -> None:
    """Complete commands, options and names with Tab.

    Prints the script for your shell, or puts it into its place with --install.

    \b
    Examples:
      kernelbandits completion --install
      kernelbandits completion --shell zsh
    """
    shell = _usual_shell(os.environ) if shell is None else shell
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    script = kind(context.find_root().command, {}, "kernelbandits", "_KERNELBANDITS_COMPLETE").source()
    if not install:
        click.echo(script)
        return
    path = _place(shell, os.environ)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    click.echo(f"Wrote {path}\n{_NEXT_STEPS[shell]}")


def _usual_shell(environment: Mapping[str, str]) -> str:
    name = Path(environment.get("SHELL", "")).name
    if name not in _PLACES:
        raise click.UsageError(f"$SHELL names {name or 'no shell'}; say which with --shell {'|'.join(_PLACES)}")
    return name


def _place(shell: str, environment: Mapping[str, str]) -> Path:
    usual, variable, file = _PLACES[shell]
    return Path(environment.get(variable) or usual).expanduser() / file
