"""`python -m benchmarks.league`: final regrets of policies that need no settings, as multiples of the best other."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.league.contenders import contenders, tables, worlds
from kernelbandits.cli import main
from kernelbandits.environments import Environment, ratio_and_standard_error
from kernelbandits.experiments import Experiment, Panel, Results, local, require_known, run

DEFAULT = "default"


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this world or table; may be given several times.")
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="Runs of each contender.")
@click.option("--first-seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--data-dir", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of real tables."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; one per core unless stated.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("results/league"))
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def league(
    only: tuple[str, ...],
    seeds: int,
    first_seed: int,
    data_dir: Path | None,
    jobs: int | None,
    out: Path,
    debug: bool,
) -> None:
    """Play every contender on every world and table: T = 2,000, on tables 1,500. Finished runs are kept in --out."""
    parts = [("worlds", worlds(), 2000), ("tables", {} if data_dir is None else tables(data_dir), 1500)]
    require_known(only, [name for _, places, _ in parts for name in places], "the league has no world or table")
    for part, places, horizon in parts:
        panels = [panel(name, place, horizon) for name, place in places.items() if not only or name in only]
        for each in panels:  # one after the other, so that its line comes as soon as it is known
            experiment = Experiment(f"league-{part}", (each,), horizon, tuple(range(first_seed, first_seed + seeds)))
            click.echo(f"{each.name:28s} {line(run(experiment, out, local(jobs)), each)}")


def panel(name: str, place: Environment, horizon: int) -> Panel:
    """A place, with contenders that fit its size."""
    problem = place.draw(0).problem()
    return Panel(name, place, contenders(problem.n_arms, problem.dim, horizon))


def line(results: Results, panel: Panel) -> str:
    """The best of the others, and every contender's multiple of its regret with standard error."""
    regrets = {name: results.curves(panel.name, name)[:, -1] for name in panel.methods}
    best = min((name for name in regrets if name != DEFAULT), key=lambda name: float(regrets[name].mean()))
    parts = [f"best other: {best}, {regrets[best].mean():.1f};"]
    for name, values in regrets.items():
        ratio, error = ratio_and_standard_error(values, regrets[best])
        parts.append(f"{name} {ratio:.2f} ± {error:.2f}")
    return "  ".join(parts)


if __name__ == "__main__":
    main(command=league)
