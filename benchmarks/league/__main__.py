"""`python -m benchmarks.league`: final regrets on worlds and tables, as multiples of the best competitor's."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from benchmarks.league.contenders import Contender
from benchmarks.league.places import COLUMNS, Place, logs, tables, worlds
from benchmarks.league.standings import KINDS, markdown, picture, standings
from kernelbandits.cli import main
from kernelbandits.errors import InvalidFile
from kernelbandits.experiments import local, require_known
from kernelbandits.reporting import save, write_text

_folder = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.option(
    "--only", multiple=True, metavar="NAME", help="Only this problem, or all tables, logs or worlds; repeatable."
)
@click.option("--contenders", "names", multiple=True, metavar="NAME", help="Only this contender or family; repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="Runs of each contender.")
@click.option("--first-seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--data-dir", type=_folder, help="Folder of real tables; the digits need none.")
@click.option("--peers", is_flag=True, help="Other libraries as well; `make league-peers` has them installed.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="regrets.csv of an earlier run: contenders that are not played now are taken from it.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; one per core unless stated.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("results/league"))
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def league(
    only: tuple[str, ...],
    names: tuple[str, ...],
    seeds: int,
    first_seed: int,
    data_dir: Path | None,
    peers: bool,
    against: Path | None,
    jobs: int | None,
    out: Path,
    debug: bool,
) -> None:
    """Play every contender on every world (T = 2,000), table (T = 1,500) and log. Finished runs are kept in --out.

    Writes regrets.csv (one row per run), league.md (the table) and league.png and .svg.
    """
    places = chosen([*tables(data_dir, out), *logs(data_dir), *worlds()], only)
    earlier = None if against is None else read_runs(against)
    numbers = range(first_seed, first_seed + seeds)
    runs: list[pl.DataFrame] = []
    for place, entrants in entries(places, names, peers):  # a line for each as soon as it is known
        played = place.runs(entrants, numbers, out, local(jobs))
        runs.append(played if earlier is None else pl.concat([played, others(earlier, played)]))
        [standing] = standings(runs[-1])
        ratios = "  ".join(f"{family} {ratio}" for family, ratio in standing.ratios.items())
        click.echo(f"{place.name:28s} best: {standing.best}, {standing.best_regret:.1f};  {ratios}")
    everything = pl.concat(runs)
    found = standings(everything)
    everything.write_csv(out / "regrets.csv")
    write_text(out / "league.md", markdown(found))
    save(picture(found), out / "league")
    click.echo(f"In {out}: regrets.csv, league.md, league.png, league.svg")


def chosen(places: list[Place], only: tuple[str, ...]) -> list[Place]:
    """The places of these names or kinds; all if there are none."""
    require_known(only, [*KINDS, *(place.name for place in places)], "the league has no problem")
    wanted = {name.casefold() for name in only}
    return [place for place in places if not wanted or wanted & {place.name.casefold(), place.kind}]


def entries(places: list[Place], names: tuple[str, ...], peers: bool) -> list[tuple[Place, list[Contender]]]:
    """The places with their contenders of these names or families, or all; places without any are left out."""
    known = [(place, [*place.contenders(), *(place.peers() if peers else ())]) for place in places]
    texts = dict.fromkeys(text for _, there in known for each in there for text in (each.family, each.name))
    require_known(names, list(texts), "the league has no contender")
    wanted = {name.casefold() for name in names}
    found = [
        (place, [each for each in there if not wanted or wanted & {each.name.casefold(), each.family.casefold()}])
        for place, there in known
    ]
    return [(place, entrants) for place, entrants in found if entrants]


def read_runs(path: Path) -> pl.DataFrame:
    """The runs of an earlier league."""
    try:
        return pl.read_csv(path).select(COLUMNS)
    except pl.exceptions.PolarsError as error:
        raise InvalidFile(f"{path.name} is no regrets.csv of a league; give the one in its --out") from error


def others(earlier: pl.DataFrame, played: pl.DataFrame) -> pl.DataFrame:
    """The earlier runs of other contenders in the very worlds that were played now, of those that have all seeds."""
    same = earlier.join(played.select("world", "seed").unique(), on=["world", "seed"])
    absent = same.filter(~pl.col("contender").is_in(played["contender"].unique().implode()))
    complete = pl.col("seed").n_unique().over("contender") == played["seed"].n_unique()
    return absent.filter(complete).cast(played.schema)


if __name__ == "__main__":
    main(command=league)
