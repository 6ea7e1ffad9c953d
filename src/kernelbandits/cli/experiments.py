"""Commands that run experiments and studies, list them, and make data for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelbandits.errors import InvalidArgument, nearest

if TYPE_CHECKING:
    from kernelbandits.experiments import RunOptions

debug_option = click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")

COUNT = click.IntRange(min=1)
_ENGINES = click.Choice(["local", "dask"])
FOLDER = click.Path(file_okay=False, path_type=Path)
_RUN_OPTIONS = (
    click.option("--seeds", type=COUNT, metavar="N", help="Use the seeds 0 … N-1."),
    click.option("--horizon", type=COUNT, metavar="T", help="Play T rounds."),
    click.option("--jobs", type=COUNT, metavar="N", help="Worker processes. Default: one per core."),
    click.option("--engine", type=_ENGINES, default="local", help="Local processes (the default) or Dask workers."),
    click.option("--scheduler", metavar="ADDRESS", help="With --engine dask: tcp://HOST:8786. Default: this machine."),
    click.option("--out", type=FOLDER, metavar="DIR", help="Output folder. Default: results/NAME."),
    click.option("--only", multiple=True, metavar="NAME", help="Only this method or panel; can be repeated."),
    click.option("--report", is_flag=True, help="Write report.html as well: one page that needs no network."),
    json_option,
    debug_option,
)
_STUDY_OPTIONS = (
    click.option("--data", type=click.Path(path_type=Path), metavar="FILE", help="table-1: Avazu's .csv or .csv.gz."),
    click.option("--arms", type=click.Choice(["id", "C14"]), help="table-1: the arm is its last digit. Default: id."),
    click.option(
        "--contexts",
        type=click.Choice(["per-arm", "shared"]),
        help="table-1: one row per arm, or one for all arms. Default: per-arm.",
    ),
    click.option("--dim", type=COUNT, metavar="D", help="table-1: principal components. Default: 100."),
    click.option("--level", type=float, metavar="X", help="table-1: scale to this mean ‖x‖²/d. Default: 0.5."),
    click.option("--drop", multiple=True, metavar="FEATURE", help="table-1: leave it out; can be repeated."),
    click.option(
        "--data-dir",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="real-world: folder with the data sets; missing ones are left out.",
    ),
)


def with_options(*options: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command with these options, shown in this order."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@click.command()
@click.argument("name", metavar="NAME")
@with_options(*_RUN_OPTIONS, *_STUDY_OPTIONS)
def reproduce(name: str, out: Path | None, debug: bool, **given: Any) -> None:
    """Run an experiment of the paper or a study.

    NAME is figure-1, figure-2, table-1, theory, beyond, real-world, or all.

    Writes results.parquet (every round), summary.csv (final regret), the pictures as PNG and SVG, and provenance.json.
    The study theory checks the paper's theory by experiment; it writes one CSV file per part, and --only names parts.
    The study real-world plays the paper's methods and linear baselines on real data sets; beyond plays the paper's
    methods and this library's own policies on the paper's problems and harder ones. The study table-1 plays on the
    Avazu file given with --data, or else on a synthetic stand-in.
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
    from kernelbandits.experiments import load, report_experiment, shipped
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
        options = run_options_of(folder, **given)
        if each in STUDIES:
            study = STUDIES[each]
            study.report(options, **{key: value for key, value in own.items() if key in study.own_options})
        else:
            report_experiment(options.part_of(load(each)), options)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@with_options(*_RUN_OPTIONS)
def run(file: Path, out: Path | None, debug: bool, **given: Any) -> None:
    """Run an experiment described in a TOML file.

    To write one, copy a file of the paper and change it; `kernelbandits list` shows where they are. A method of your
    own has type = "my_module:MyPolicy", with my_module.py beside the file. For data of your own, use an environment
    Classification or Surrogate with path = "my.parquet", relative to the folder of the file.
    Results do not depend on --jobs and --engine.
    """
    from kernelbandits.experiments import load, report_experiment

    experiment = load(file)
    options = run_options_of(Path("results") / experiment.name if out is None else out, **given)
    report_experiment(options.part_of(experiment), options)


def run_options_of(folder: Path, *, engine: str, scheduler: str | None, jobs: int | None, **options: Any) -> RunOptions:
    """The options of a run into this folder, with the engine that was asked for."""
    from kernelbandits.experiments import RunOptions, dask, local

    if scheduler is not None and engine != "dask":
        raise InvalidArgument("--scheduler needs --engine dask")
    if scheduler is not None and jobs is not None:
        raise InvalidArgument("--jobs has no meaning with --scheduler: the scheduler's workers do the work")
    return RunOptions(folder, dask(scheduler, jobs) if engine == "dask" else local(jobs), **options)


@click.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """Show the experiments that come with the library and the names that a TOML file may use."""
    from kernelbandits import Contexts, Covariance, Environment, Estimator, Kernel, Policy, Scaling, Width
    from kernelbandits.experiments import load, shipped
    from kernelbandits.paper import STUDIES
    from kernelbandits.specs import names_below

    experiments = {name: {"title": load(name).title, "file": str(path)} for name, path in shipped().items()}
    shown_kinds = (Policy, Estimator, Kernel, Width, Environment, Covariance, Contexts, Scaling)
    kinds = {kind.__name__: names_below(kind) for kind in shown_kinds}
    studies = {name: study.title for name, study in STUDIES.items()}
    if as_json:
        record = {"experiments": experiments, "studies": studies, "types": kinds}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    click.echo("Experiments (kernelbandits reproduce NAME; copy a file to make your own):")
    for name, entry in experiments.items():
        click.echo(f"  {name:10s} {entry['title']}\n  {'':10s} {entry['file']}")
    click.echo("\nStudies (kernelbandits reproduce NAME):")
    for name, title in studies.items():
        click.echo(f"  {name:10s} {title}")
    click.echo("\nNames for `type` in a file:")
    for kind, names in kinds.items():
        click.echo(f"  {kind:12s} {', '.join(names)}")


@click.command(name="make-stand-in")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv[.gz]")
@click.option("--rows", type=click.IntRange(min=1), default=100_000, show_default=True, metavar="N")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Each seed gives other rows.")
@debug_option
def make_stand_in(file: Path, rows: int, seed: int, debug: bool) -> None:
    """Write synthetic rows in the Avazu schema, to try the study and your own programs without the real file.

    Nothing in it comes from Avazu; all names begin with "s-". Memory does not grow with the number of rows.
    """
    from kernelbandits.environments.standin import write_standin

    write_standin(file, rows, seed)
    click.echo(f"Wrote {rows:,} rows of the synthetic stand-in (no Avazu data) to {file}")
