"""The command `serve`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import debug_option


@click.command()
@click.argument("settings", type=click.Path(path_type=Path), metavar="SHOP.toml", required=False)
@click.option("--demo", is_flag=True, help="Serve a made-up shop with simulated customers.")
@click.option("--check", is_flag=True, help="Only say whether the settings and the database are right.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="In place of the settings'; 0 takes a free one."
)
@click.option("--workers", type=click.IntRange(1, 64), metavar="N", help="Web workers, in place of the settings'.")
@debug_option
def serve(settings: Path | None, demo: bool, check: bool, port: int | None, workers: int | None, debug: bool) -> None:
    """Run the decision service: POST /rank, POST /events/ID/reward, and a page that shows whether it learns.

    \b
    Examples:
      kernelbandits serve shop.toml
      kernelbandits serve --check shop.toml
      kernelbandits serve --demo
    """
    from kernelbandits.cli.service_extra import service

    if demo == (settings is not None):
        raise click.UsageError("give a settings file, such as shop.toml, or --demo")
    changes = {name: value for name, value in (("port", port), ("workers", workers)) if value is not None}
    if demo:
        service("demo").run_demo(changes, click.echo)
    elif check:
        click.echo(service("supervisor").check(settings))
    else:
        service("supervisor").serve(settings, changes, click.echo)
