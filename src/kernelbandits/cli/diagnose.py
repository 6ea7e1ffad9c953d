"""The command `diagnose`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernelbandits.cli.options import COUNT, FOLDER, debug_option, json_option, kernel_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--arm-column", metavar="NAME", help="Column with the arm played.")
@click.option("--reward-column", metavar="NAME", help="Column with its reward.")
@click.option("--columns", metavar="A,B,…", default="", help="Columns to use as features. Default: all others.")
@click.option("--drop", multiple=True, metavar="NAME", help="Column to leave out; may be given several times.")
@kernel_option
@click.option(
    "--standardise/--as-given",
    "scaled",
    default=None,
    help="Scale columns to mean 0 and one variance, or keep numbers. Default: scale those that do not look scaled.",
)
@click.option("--horizon", type=COUNT, metavar="T", help="Rounds to plan for. Default: 10000.")
@click.option("--arms", "n_arms", type=COUNT, metavar="K", help="Default: those in the file, else 2.")
@click.option("--delta", type=float, default=0.5, show_default=True, metavar="Δ", help="Regret per round to tolerate.")
@click.option("--noise-std", type=float, metavar="σ", help="Default: from the rewards, else 0.1.")
@click.option("--norm", type=float, metavar="B", help="RKHS norm of a reward function. Default: of a fit, else 1.")
@click.option(
    "--max-rows",
    type=click.IntRange(min=2),
    default=1000,
    show_default=True,
    metavar="N",
    help="Use at most this many evenly spaced rows where a Gram matrix is needed.",
)
@click.option("--theory", is_flag=True, help="Print what the paper's theory says, too. Always printed without rewards.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Output folder. Default: results/diagnose.")
@json_option
@debug_option
def diagnose(file: Path, columns: str, kernel: str, out: Path | None, as_json: bool, debug: bool, **given: Any) -> None:
    """Check whether the methods suit your data, and how long to explore.

    FILE is .csv, .csv.gz, .parquet or .npz with one context per row: numbers, texts, dates, gaps. With the arm played
    and its reward, the first line is the verdict, and the budget comes from the data; without them, from the paper's
    formula. Writes diagnosis.png, .svg and .json.

    \b
    Examples:
      kernelbandits diagnose contexts.parquet
      kernelbandits diagnose pilot.csv --arm-column arm --reward-column clicked --horizon 50000 --drop user
    """
    from kernelbandits.theory.diagnosis import kernel_from_text, read_sample, report_sample

    given["kernel"] = kernel_from_text(kernel)
    reading = {key: given.pop(key) for key in ("arm_column", "reward_column", "drop", "scaled")}
    sample = read_sample(file, columns=[name.strip() for name in columns.split(",") if name.strip()], **reading)
    folder = Path("results/diagnose") if out is None else out
    report_sample(sample, folder, as_json=as_json, **given)
