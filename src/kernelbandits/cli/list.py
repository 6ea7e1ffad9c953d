"""The command `list`."""

from __future__ import annotations

import json

import click

from kernelbandits.cli.options import json_option


@click.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """Show the experiments that come with the library and the names that a TOML file may use."""
    from kernelbandits import Contexts, Covariance, Environment, Estimator, Kernel, Policy, Scaling, Width
    from kernelbandits.experiments import load_experiment, shipped
    from kernelbandits.paper import STUDIES
    from kernelbandits.specs import names_below

    experiments = {name: {"title": load_experiment(name).title, "file": str(path)} for name, path in shipped().items()}
    shown_kinds = (Policy, Estimator, Kernel, Width, Environment, Covariance, Contexts, Scaling)
    kinds = {kind.__name__: names_below(kind) for kind in shown_kinds}
    studies = {name: study.title for name, study in STUDIES.items()}
    if as_json:
        record = {"experiments": experiments, "studies": studies, "types": kinds}
        click.echo(json.dumps(record, indent=2))
        return
    click.echo("Experiments (kernelbandits reproduce NAME; copy a file to make your own):")
    for name, entry in experiments.items():
        click.echo(f"  {name:10s} {entry['title']}\n  {'':10s} {entry['file']}")
    click.echo("\nStudies (kernelbandits reproduce NAME):")
    for name, title in studies.items():
        click.echo(f"  {name:10s} {title}")
    click.echo("\nNames for `type` in a file:")
    for kind, names in kinds.items():
        click.echo(f"  {kind:12s} {', '.join(names)}")
