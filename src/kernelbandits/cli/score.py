"""The command `score`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import BUNDLE, debug_option, json_option


@click.command()
@click.argument("bundle", type=BUNDLE, metavar="FILE.kb")
@click.argument("table", type=click.Path(path_type=Path), metavar="TABLE")
@click.option("--out", type=BUNDLE, required=True, metavar="FILE", help="The .parquet or .csv file to write.")
@click.option("--keep", multiple=True, metavar="NAME", help="Column of TABLE to copy; can be repeated.")
@click.option("--eligible", multiple=True, metavar="ARM", help="Only these arms; can be repeated. Default: all.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draws of arms.")
@click.option(
    "--block-rows",
    type=click.IntRange(min=1),
    default=65_536,
    show_default=True,
    metavar="N",
    help="Rows in memory at a time. The result does not depend on it.",
)
@json_option
@debug_option
def score(
    bundle: Path,
    table: Path,
    out: Path,
    keep: tuple[str, ...],
    eligible: tuple[str, ...],
    seed: int,
    block_rows: int,
    as_json: bool,
    debug: bool,
) -> None:
    """Decide for every row of a table with a saved bandit, which does not change.

    Writes for each row the arm, drawn with the bandit's probabilities, its propensity, and for every arm mean,
    deviation and probability. TABLE is .csv, .csv.gz, .parquet or .npz, of any size.

    \b
    Example:
      kernelbandits score shop.kb visitors.parquet --keep user_id --out decisions.parquet
    """
    from kernelbandits.bandit import load_bandit, score_file
    from kernelbandits.reporting import print_json

    bandit = load_bandit(bundle)
    n = score_file(bandit, table, out, keep=keep, eligible=eligible or None, seed=seed, block_rows=block_rows)
    if as_json:
        print_json({"file": str(out), "rows": n, "arms": bandit.arms})
    else:
        click.echo(f"Wrote decisions for {n:,} rows to {out}")
