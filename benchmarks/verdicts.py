"""What `diagnose` says about the tables of the league, and what a bandit without contexts would lose there.

`python -m benchmarks.verdicts --data FOLDER` prints one row per table. Each verdict is on 1,500 rows with a random arm,
as many as the league has rounds. Who wins is in docs/league.md.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import click
import numpy as np

from benchmarks.league.places import TABLE_ROUNDS, tables
from kernelbandits.environments import Classification
from kernelbandits.theory.diagnosis import diagnose


@click.command()
@click.option("--data", type=click.Path(path_type=Path), help="folder of the tables; without it, digits alone")
@click.option("--first-seed", default=0, help="the first seed")
@click.option("--seeds", default=4, help="how many seeds")
def verdicts(data: Path | None, first_seed: int, seeds: int) -> None:
    """Print the verdicts, how often each was given, the last of them in full, and the regret of one arm for all."""
    click.echo("| table | verdicts | the last of them | regret of the most frequent class |\n|---|---|---|--:|")
    numbers = range(first_seed, first_seed + seeds)
    with TemporaryDirectory() as folder:
        for place in tables(data, Path(folder)):
            click.echo(row(place.name, cast("Classification", place.environment), numbers))


def row(name: str, table: Classification, seeds: range) -> str:
    """The row of one table."""
    points, codes, names = (data := table.data()).points, data.codes, data.names
    kinds: Counter[str] = Counter()
    text = ""
    for seed in seeds:
        rng = np.random.default_rng([seed, TABLE_ROUNDS])
        rows = rng.permutation(len(codes))[:TABLE_ROUNDS]
        arms = rng.integers(len(names), size=len(rows))
        verdict = diagnose(points[rows], arms, (codes[rows] == arms).astype(float), horizon=TABLE_ROUNDS).verdict
        kinds[verdict.kind.value] += 1
        text = verdict.text
    said = ", ".join(f"{kind} {count} ×" for kind, count in kinds.most_common())
    lost = TABLE_ROUNDS * (1.0 - np.bincount(codes).max() / len(codes))
    return f"| {name} | {said} | {text} | {lost:,.0f} |"


if __name__ == "__main__":
    verdicts()
