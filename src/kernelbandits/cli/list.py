"""The command `list`."""

from __future__ import annotations

import json
from textwrap import fill

import click

from kernelbandits.cli.options import json_option


@click.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """Show the experiments that come with the library and the names that a TOML file may use."""
    from kernelbandits import Environment, Policy
    from kernelbandits.experiments import load_experiment, shipped
    from kernelbandits.paper import STUDIES
    from kernelbandits.reporting import terminal_width
    from kernelbandits.specs import kinds_in_files

    experiments = {name: {"title": load_experiment(name).title, "file": str(path)} for name, path in shipped().items()}
    kinds = kinds_in_files(Policy, Environment)
    studies = {name: study.title for name, study in STUDIES.items()}
    if as_json:
        record = {"experiments": experiments, "studies": studies, "types": kinds}
        click.echo(json.dumps(record, indent=2))
        return
    width = terminal_width()

    def show(name: str, text: str, indent: int = 17) -> None:
        blanks = " " * (indent + 2)
        lines = fill(text, max(width, 40), initial_indent=blanks, subsequent_indent=blanks, break_long_words=False)
        click.echo(f"  {name:{indent}s}{lines[indent + 2 :]}")

    click.echo("Experiments (kernelbandits reproduce NAME; copy a file to make your own):")
    for name, entry in experiments.items():
        show(name, entry["title"], 12)
        click.echo(f"  {'':12s}{entry['file']}")
    click.echo("\nStudies (kernelbandits reproduce NAME):")
    for name, title in studies.items():
        show(name, title, 12)
    click.echo("\nNames for `type` in a file, by kind:")
    for kind, names in kinds.items():
        show(kind, ", ".join(names))
