"""The command `fit`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import BUNDLE, debug_option, json_option


@click.command()
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option("--arm-column", required=True, metavar="NAME", help="Column with the arm that was played.")
@click.option("--reward-column", required=True, metavar="NAME", help="Column with its reward, a number.")
@click.option("--propensity-column", metavar="NAME", help="Column with the probability with which it was played.")
@click.option("--arm", "arms", multiple=True, metavar="NAME", help="An arm; can be repeated. Default: those in LOG.")
@click.option("--columns", metavar="A,B,…", default="", help="Columns to use as features. Default: all others.")
@click.option("--drop", multiple=True, metavar="NAME", help="Column to leave out; can be repeated.")
@click.option("--categorical", multiple=True, metavar="NAME", help="Numbers that are categories; can be repeated.")
@click.option("--policy", metavar="NAME|FILE", help="LinearUCB, say, or a .toml file with `type` and fields.")
@click.option("--horizon", type=click.IntRange(min=1), metavar="T", help="Rounds to plan for, if the policy needs it.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the policy's randomness.")
@click.option("--out", type=BUNDLE, required=True, metavar="FILE.kb", help="The file to write.")
@json_option
@debug_option
def fit(
    log: Path,
    arm_column: str,
    reward_column: str,
    propensity_column: str | None,
    arms: tuple[str, ...],
    columns: str,
    drop: tuple[str, ...],
    categorical: tuple[str, ...],
    policy: str | None,
    horizon: int | None,
    seed: int,
    out: Path,
    as_json: bool,
    debug: bool,
) -> None:
    """Start a bandit from a log of earlier decisions, and save it.

    LOG is .csv, .csv.gz, .parquet or .npz with one decision per row. Its rewards count as explored.

    \b
    Example:
      kernelbandits fit log.parquet --arm-column offer --reward-column purchase --drop user_id --out shop.kb
    """
    from kernelbandits.bandit import Bandit, arms_in, policy_from
    from kernelbandits.reporting import print_json
    from kernelbandits.tables import Encoding, read_frame

    names = tuple(name.strip() for name in columns.split(",") if name.strip())
    encoding = Encoding(columns=names, drop=drop, categorical=categorical)
    table = read_frame(log, encoding.missing)
    known = arms or arms_in(table, arm_column, encoding, log.name)
    bandit = Bandit(known, encoding, policy_from(policy), seed, horizon=horizon)
    bandit._fit(table, log.name, arm_column, reward_column, propensity_column)
    bandit.save(out)
    if as_json:
        print_json({"file": str(out), **bandit.summary().to_dict()})
    else:
        click.echo(f"{bandit.summary()}\nWrote {out}")
