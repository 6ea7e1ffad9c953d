"""Commands that run experiments: reproduce, run, list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelbandits.cli.study_options import given_study_options, study_options
from kernelbandits.errors import InvalidArgument, nearest

if TYPE_CHECKING:
    from kernelbandits.experiments import Experiment
    from kernelbandits.experiments.engines import Engine
    from kernelbandits.experiments.order import Order


def _run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that `reproduce` and `run` share."""
    options = [
        click.option("--seeds", type=click.IntRange(min=1), metavar="N", help="Use the seeds 0 … N-1."),
        click.option("--horizon", type=click.IntRange(min=1), metavar="T", help="Play T rounds."),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Worker processes. Default: one a core. Results do not depend on it.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "dask"]),
            default="local",
            show_default=True,
            help="Processes of this machine, or Dask workers. Results do not depend on it.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="With --engine dask: a running scheduler, tcp://HOST:8786. Default: Dask workers on this machine.",
        ),
        click.option(
            "--out",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            help="Output folder. Default: results/NAME.",
        ),
        click.option(
            "--only",
            multiple=True,
            metavar="NAME",
            help="Only this method or panel; may be given several times.",
        ),
        click.option("--report", is_flag=True, help="Write report.html as well: one page to look into, offline."),
        click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON, for other programs."),
        click.option("--debug", is_flag=True, help="Show the full traceback of an error."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("name", metavar="NAME")
@_run_options
@study_options
def reproduce(name: str, debug: bool, **options: Any) -> None:
    """Run an experiment of the paper or a study.

    NAME is figure-1, figure-2, table-1, theory, beyond, real-world, or all.

    Writes results.parquet (every round), summary.csv (final regret), the pictures as PNG and SVG, and provenance.json.
    The study theory checks the paper's theory by experiment and writes one CSV a table; there --only names parts of it.
    The study real-world plays the paper's methods and linear baselines on real data sets, beyond those and this
    library's own policies on the paper's problems and harder ones.
    With all, --only names methods and panels, and studies are left out.
    The study table-1 plays on the Avazu file given with --data, and on a synthetic stand-in without one.

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
    from kernelbandits.experiments import load, shipped
    from kernelbandits.experiments.order import Order
    from kernelbandits.paper import STUDIES

    known = [*shipped(), *STUDIES]
    if name != "all" and name not in known:
        raise InvalidArgument(f"no experiment is called {name!r}; {nearest(name, [*known, 'all'])}")
    out: Path | None = options.pop("out")
    options["engine"] = _engine(options.pop("engine"), options.pop("scheduler"), options.pop("jobs"))
    everything = list(shipped()) if options["only"] else known
    chosen = everything if name == "all" else [name]
    special = given_study_options(options, name, {each: STUDIES[each] for each in chosen if each in STUDIES})
    for each in chosen:
        folder = Path("results") / each if out is None else out / each if name == "all" else out
        if each in STUDIES:
            own = {key: value for key, value in special.items() if key in STUDIES[each].options}
            STUDIES[each].carry_out(Order(folder, **options), **own)
        else:
            _run(load(each), Order(folder, **options))


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@_run_options
def run(file: Path, debug: bool, **options: Any) -> None:
    """Run an experiment described in a TOML file.

    To write one, copy a file of the paper and change it: `kernelbandits list` shows where they lie. A method of your
    own stands in the file as type = "my_module:MyPolicy", with my_module.py beside the file. Data of your own: an
    environment Classification or Surrogate with path = "my.parquet", taken from the folder of the file.
    """
    from kernelbandits.experiments import load
    from kernelbandits.experiments.order import Order

    experiment = load(file)
    out: Path | None = options.pop("out")
    options["engine"] = _engine(options.pop("engine"), options.pop("scheduler"), options.pop("jobs"))
    _run(experiment, Order(Path("results") / experiment.name if out is None else out, **options))


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, for other programs.")
def list_(as_json: bool) -> None:
    """Show the experiments that come with the library and the names that a TOML file may use."""
    from kernelbandits import Contexts, Covariance, Environment, Estimator, Kernel, Policy, Scaling, Width
    from kernelbandits.experiments import load, shipped
    from kernelbandits.experiments.vocabulary import ExportedNames
    from kernelbandits.paper import STUDIES

    experiments = {name: (load(name).title, str(path)) for name, path in shipped().items()}
    shown_kinds = (Policy, Estimator, Kernel, Width, Environment, Covariance, Contexts, Scaling)
    kinds = {kind.__name__: ExportedNames().names_below(kind) for kind in shown_kinds}
    studies = {name: study.title for name, study in STUDIES.items()}
    if as_json:
        shown = {name: {"title": title, "file": path} for name, (title, path) in experiments.items()}
        click.echo(json.dumps({"experiments": shown, "studies": studies, "types": kinds}, indent=2, ensure_ascii=False))
        return
    click.echo("Experiments (kernelbandits reproduce NAME; copy a file to make your own):")
    for name, (title, path) in experiments.items():
        click.echo(f"  {name:10s} {title}\n  {'':10s} {path}")
    click.echo("\nStudies (kernelbandits reproduce NAME):")
    for name, title in studies.items():
        click.echo(f"  {name:10s} {title}")
    click.echo("\nNames for `type` in a file:")
    for kind, names in kinds.items():
        click.echo(f"  {kind:12s} {', '.join(names)}")


def _engine(name: str, scheduler: str | None, jobs: int | None) -> Engine:
    """The engine that the options ask for."""
    from kernelbandits.experiments.engines import dask, local

    if name == "dask":
        if scheduler is not None and jobs is not None:
            raise InvalidArgument("--jobs has no meaning with --scheduler: the scheduler's workers do the work")
        return dask(scheduler, jobs)
    if scheduler is not None:
        raise InvalidArgument("--scheduler needs --engine dask")
    return local(jobs)


def _run(experiment: Experiment, order: Order) -> None:
    from kernelbandits.experiments.reporting import carry_out

    carry_out(order.part_of(experiment), order)
