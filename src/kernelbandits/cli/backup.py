"""The command `backup`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import debug_option


@click.command()
@click.argument("settings", type=click.Path(path_type=Path), metavar="SHOP.toml")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.db", help="The copy to write.")
@debug_option
def backup(settings: Path, out: Path, debug: bool) -> None:
    """Copy the database of the decision service while it runs. The copy is whole, and can be served.

    \b
    Example:
      kernelbandits backup shop.toml --out shop-monday.db
    """
    from kernelbandits.cli.service_extra import service

    found = service("settings").read_settings(settings)
    database = service("storage").open_database(found.database)
    database.back_up(out)
    database.close()
    click.echo(f"Wrote {out}")
