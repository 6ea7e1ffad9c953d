"""The command `budget`."""

from __future__ import annotations

from typing import Any

import click

from kernelbandits.cli.options import debug_option, json_option, kernel_option


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
    from kernelbandits.reporting import print_json
    from kernelbandits.theory import Case, exploration_budget
    from kernelbandits.theory.diagnosis import budget_document, kernel_from_text

    found = exploration_budget(kernel_from_text(kernel), Case(case), as_printed=as_printed, **numbers)
    document = budget_document(found)
    if as_json:
        print_json(document.record)
    else:
        document.show()
