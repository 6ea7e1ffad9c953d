"""The command `reproduce`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from kernelbandits.cli.options import COUNT, RUN_OPTIONS, with_options
from kernelbandits.errors import InvalidArgument, nearest

_STUDY_OPTIONS = (
    click.option("--data", type=click.Path(path_type=Path), metavar="FILE", help="table-1: Avazu's .csv or .csv.gz."),
    click.option(
        "--reading",
        type=click.Choice(["closest", "literal"]),
        help="table-1: shared contexts and smooth oracles, or one context per arm and the learners' kernel for all. "
        "Default: closest.",
    ),
    click.option("--arms", type=click.Choice(["id", "C14"]), help="table-1: the arm is its last digit. Default: id."),
    click.option(
        "--contexts",
        type=click.Choice(["per-arm", "shared"]),
        help="table-1: one row per arm, or one for all arms. Default: as the reading.",
    ),
    click.option("--dim", type=COUNT, metavar="D", help="table-1: principal components. Default: 100."),
    click.option("--level", type=float, metavar="X", help="table-1: scale to this mean ‖x‖²/d. Default: 0.5."),
    click.option("--drop", multiple=True, metavar="FEATURE", help="table-1: leave it out; can be repeated."),
    click.option(
        "--data-dir",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="real-world, evaluation: folder with the data sets; missing ones are left out.",
    ),
)


def _names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The names that begin so, for completion in a shell."""
    from kernelbandits.experiments import shipped
    from kernelbandits.paper import STUDIES

    return [name for name in (*shipped(), *STUDIES, "all") if name.startswith(begun)]


@click.command()
@click.argument("name", metavar="NAME", shell_complete=_names)
@with_options(*RUN_OPTIONS, *_STUDY_OPTIONS)
def reproduce(name: str, out: Path | None, debug: bool, **given: Any) -> None:
    """Run an experiment of the paper or a study.

    NAME is figure-1, figure-2, table-1, theory, beyond, real-world, evaluation, or all.

    Writes results.parquet (every round), summary.csv (final regret), the pictures as PNG and SVG, and provenance.json.
    The study theory checks the paper's theory by experiment; it writes one CSV file per part, and --only names parts.
    The study real-world plays the paper's methods and linear baselines on real data sets; beyond plays the paper's
    methods and this library's own policies on the paper's problems and harder ones; there, --only names parts or
    panels. The study table-1 plays on the Avazu file given with --data, or else on a synthetic stand-in. The study
    evaluation holds off-policy evaluation to worlds whose truth is known; there, --only names parts.
    With all, --only names methods and panels, and studies are left out. Results do not depend on --jobs and --engine.

    \b
    Examples:
      kernelbandits reproduce figure-1
      kernelbandits reproduce figure-1 --only EtC --only CGP-UCB --only "low-rank, d = 100"
      kernelbandits reproduce figure-1 --seeds 2 --report
      kernelbandits reproduce table-1 --data train.csv.gz
      kernelbandits reproduce theory --only linearization --only rate
      kernelbandits reproduce real-world --data-dir my-data-sets
      kernelbandits reproduce all --out results
    """
    started = time.monotonic()  # before what takes long to import
    from kernelbandits.experiments import load_experiment, report_experiment, run_options, shipped
    from kernelbandits.paper import STUDIES

    experiments = list(shipped())
    known = [*experiments, *STUDIES]
    if name != "all" and name not in known:
        raise InvalidArgument(f"no experiment is called {name!r}; {nearest(name, [*known, 'all'])}")
    chosen = [name] if name != "all" else experiments if given["only"] else known
    own = {}
    for key in dict.fromkeys(key for study in STUDIES.values() for key in study.own_options):
        value = given.pop(key)
        if value not in (None, ()):
            own[key] = value
            if not any(key in STUDIES[each].own_options for each in chosen if each in STUDIES):
                option = f"--{key.replace('_', '-')}"
                raise InvalidArgument(f"{option} has no meaning for {name}; see kernelbandits reproduce --help")
    for each in chosen:
        folder = Path("results") / each if out is None else out / each if name == "all" else out
        options = run_options(folder, started=started, **given)
        if each in STUDIES:
            study = STUDIES[each]
            study.report(options, **{key: value for key, value in own.items() if key in study.own_options})
        else:
            report_experiment(options.part_of(load_experiment(each)), options)
        started = time.monotonic()
