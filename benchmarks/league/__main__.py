"""`python -m benchmarks.league`: final regrets of policies that need no settings, as multiples of the best other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import click
import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import kernelbandits as kb
from benchmarks.league.contenders import contenders, tables, worlds
from kernelbandits.cli import main
from kernelbandits.environments import Environment, ratio_and_standard_error
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.types import Array

DEFAULT = "default"


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this world or table; may be given several times.")
@click.option("--seeds", default="0:10", show_default=True, metavar="FIRST:STOP")
@click.option("--data-dir", type=click.Path(file_okay=False, path_type=Path), help="Folder with the real tables.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--refresh", multiple=True, metavar="CONTENDER", help="Play this contender again, whatever is stored.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("results/league"))
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def league(
    only: tuple[str, ...],
    seeds: str,
    data_dir: Path | None,
    jobs: int,
    refresh: tuple[str, ...],
    out: Path,
    debug: bool,
) -> None:
    """Play every contender on every world and table: T = 2,000, on tables 1,500. Final regrets are stored in DIR.

    Stored regrets are known by the specs of world and contender, and not by the library's code: use --refresh.
    """
    places: dict[str, tuple[Environment, int]] = {name: (world, 2000) for name, world in worlds().items()}
    if data_dir is not None:
        places |= {name: (table, 1500) for name, table in tables(data_dir).items()}
    for name in only:
        if name not in places:
            raise InvalidArgument(f"the league has no {name!r}; {nearest(name, places)}")
    first, stop = map(int, seeds.split(":"))
    out.mkdir(parents=True, exist_ok=True)
    for name, (place, horizon) in places.items():
        if only and name not in only:
            continue
        problem = place.draw(0).problem()
        policies = contenders(problem.n_arms, problem.dim, horizon)
        regrets = {
            contender: np.array(
                Parallel(n_jobs=jobs)(
                    delayed(final_regret)(place, policy, horizon, seed, out, contender in refresh)
                    for seed in range(first, stop)
                )
            )
            for contender, policy in policies.items()
        }
        click.echo(f"{name:28s} {line(regrets)}")


def line(regrets: dict[str, Array]) -> str:
    """The best of the others, and every contender's multiple of its regret with standard error."""
    best = min((name for name in regrets if name != DEFAULT), key=lambda name: float(regrets[name].mean()))
    parts = [f"best other: {best}, {regrets[best].mean():.1f};"]
    for name, values in regrets.items():
        ratio, error = ratio_and_standard_error(values, regrets[best])
        parts.append(f"{name} {ratio:.2f} ± {error:.2f}")
    return "  ".join(parts)


def final_regret(place: Environment, policy: kb.Policy, horizon: int, seed: int, folder: Path, refresh: bool) -> float:
    """Play one run, or read its regret if it is stored."""
    key = hashlib.sha256(f"{place!r} {policy!r} {horizon} {seed}".encode()).hexdigest()[:32]
    file = folder / f"{key}.json"
    if file.is_file() and not refresh:
        return float(json.loads(file.read_text(encoding="utf-8")))
    with threadpool_limits(1):
        instance = place.draw(np.random.default_rng((seed, 1)))
        regret = float(kb.play(policy, instance, horizon, np.random.default_rng((seed, 2))).cumulative_regret[-1])
    file.write_text(json.dumps(regret), encoding="utf-8")
    return regret


if __name__ == "__main__":
    main(command=league)
