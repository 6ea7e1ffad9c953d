"""The command `make-stand-in`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import debug_option


@click.command(name="make-stand-in")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv[.gz]")
@click.option("--rows", type=click.IntRange(min=1), default=100_000, show_default=True, metavar="N")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Each seed gives other rows.")
@debug_option
def make_stand_in(file: Path, rows: int, seed: int, debug: bool) -> None:
    """Write synthetic rows in the Avazu schema, to try the study and your own programs without the real file.

    Nothing in it comes from Avazu; all names begin with "s-". Memory does not grow with the number of rows.
    """
    from kernelbandits.environments.standin import write_standin

    write_standin(file, rows, seed)
    click.echo(f"Wrote {rows:,} rows of the synthetic stand-in (no Avazu data) to {file}")
