"""The command that measures speed."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli import main


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this case; may be given several times.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Runs of every contender.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results/bench"),
    show_default=True,
    metavar="DIR",
)
@click.option(
    "--compare", type=click.Path(path_type=Path), metavar="FILE", help="Earlier bench.json. Default: the one in DIR."
)
@click.option("--profile", metavar="NAME", help="Instead, show where the time of our side of this case goes.")
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON, for other programs.")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def bench(
    only: tuple[str, ...],
    repeats: int,
    out: Path,
    compare: Path | None,
    profile: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Measure speed against the installed peers and against bare BLAS, interleaved in one run.

    scikit-learn is always a peer; BoTorch, mabwiser, contextualbandits, Vowpal Wabbit and river are where installed
    (`make bench-peers`). Prints ratios, draws them, writes bench.json, and compares with the last run.

    \b
    Examples:
      python -m benchmarks --only ucb-1000 --only decision
      python -m benchmarks --profile ucb-1000
    """
    from benchmarks import bench as benchmarks

    if profile is not None:
        benchmarks.profile(profile)
    else:
        benchmarks.bench(only, repeats, out, as_json, compare)


if __name__ == "__main__":
    main(command=bench)
