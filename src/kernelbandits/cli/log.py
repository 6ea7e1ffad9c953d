"""The command `log`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import debug_option


@click.group()
def log() -> None:
    """The log of the decision service."""


@log.command()
@click.argument("settings", type=click.Path(path_type=Path), metavar="SHOP.toml")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE.parquet", help="The file to write."
)
@click.option("--no-control", is_flag=True, help="Leave the random control share out.")
@debug_option
def export(settings: Path, out: Path, no_control: bool, debug: bool) -> None:
    """Write decisions and their outcomes to a parquet file, as `kernelbandits evaluate` reads it.

    \b
    Example:
      kernelbandits log export shop.toml --out log.parquet
      kernelbandits evaluate log.parquet --candidate uniform
    """
    from kernelbandits.cli.service_extra import service

    found = service("settings").read_settings(settings)
    database = service("storage").open_database(found.database)
    n = service("events").export(database, out, control=not no_control)
    database.close()
    click.echo(f"Wrote {n:,} decisions to {out}")
