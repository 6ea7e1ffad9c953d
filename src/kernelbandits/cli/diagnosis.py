"""The commands `diagnose` and `budget`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernelbandits.cli.experiments import COUNT, FOLDER, debug_option, json_option

kernel_option = click.option(
    "--kernel",
    default="Gaussian(gamma=4.0)",
    show_default=True,
    metavar="TEXT",
    help="As in Python: 'Matern(nu=2.5, length=1.0)'.",
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--arm-column", metavar="NAME", help="Column with the arm played.")
@click.option("--reward-column", metavar="NAME", help="Column with its reward.")
@click.option("--columns", metavar="A,B,…", default="", help="Columns to use as features. Default: all others.")
@click.option("--drop", multiple=True, metavar="NAME", help="Column to leave out; may be given several times.")
@kernel_option
@click.option("--standardise", is_flag=True, help="Scale columns to mean 0 and one variance: ‖x‖²/d averages ½.")
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
@click.option("--out", type=FOLDER, metavar="DIR", help="Output folder. Default: results/diagnose.")
@json_option
@debug_option
def diagnose(
    file: Path, columns: str, kernel: str, standardise: bool, out: Path | None, as_json: bool, debug: bool, **given: Any
) -> None:
    """Check whether the methods suit your data, and how long to explore.

    FILE is .csv, .csv.gz or .parquet with one context per row. With the arm played and its reward, the budget comes
    from the data; without them, from the paper's formula. Writes diagnosis.png, .svg and .json.

    \b
    Examples:
      kernelbandits diagnose contexts.parquet --standardise
      kernelbandits diagnose pilot.csv --arm-column arm --reward-column clicked --horizon 50000 --drop user
    """
    from kernelbandits.theory.diagnosis.commands import report_sample
    from kernelbandits.theory.diagnosis.kernel_text import kernel_from_text
    from kernelbandits.theory.diagnosis.reading import read_sample

    given["kernel"] = kernel_from_text(kernel)
    reading = {key: given.pop(key) for key in ("arm_column", "reward_column", "drop")}
    sample = read_sample(file, columns=[name.strip() for name in columns.split(",") if name.strip()], **reading)
    folder = Path("results/diagnose") if out is None else out
    report_sample(sample, folder, scaled=standardise, as_json=as_json, **given)


@click.command()
@click.option("--delta", type=float, required=True, metavar="Δ", help="Regret per round to tolerate.")
@click.option("--arms", "n_arms", type=int, required=True, metavar="K", help="Number of arms.")
@click.option("--noise-std", type=float, required=True, metavar="σ", help="Standard deviation of the noise.")
@click.option("--norm", type=float, required=True, metavar="B", help="Largest RKHS norm of a reward function.")
@click.option("--epsilon", type=float, required=True, metavar="ε", help="Tr(Σ)/d, above 0 and at most 1.")
@click.option("--dim", type=int, required=True, metavar="d", help="Number of features.")
@click.option(
    "--case", type=click.Choice(["I", "II", "III"]), required=True, help="Low rank, approximately so, spectral decay."
)
@kernel_option
@click.option("--as-printed", is_flag=True, help="The paper's table to the letter, misprints included.")
@json_option
@debug_option
def budget(kernel: str, case: str, as_printed: bool, as_json: bool, debug: bool, **numbers: Any) -> None:
    """Compute how long to explore by the paper's formulas, from numbers alone, and show the formulas.

    \b
    Example:
      kernelbandits budget --delta 0.5 --arms 2 --noise-std 0.1 --norm 0.1 --epsilon 0.1 --dim 200 --case I \
        --kernel 'Gaussian(gamma=1.0)'
    """
    from kernelbandits.theory import Case, exploration_budget
    from kernelbandits.theory.diagnosis import kernel_from_text
    from kernelbandits.theory.diagnosis.commands import report_budget

    found = exploration_budget(kernel_from_text(kernel), Case(case), as_printed=as_printed, **numbers)
    report_budget(found, as_json=as_json)
