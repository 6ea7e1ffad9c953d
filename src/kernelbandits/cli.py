"""The command `kernelbandits`. Heavy libraries are imported by the commands that use them, so that help is quick."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelbandits.errors import InvalidArgument, KernelBanditsError, nearest
from kernelbandits.version import __version__

if TYPE_CHECKING:
    from kernelbandits.experiments import Experiment

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", message="%(version)s")
def app() -> None:
    r"""Kernel bandits for hundreds of features and non-linear rewards.

    \b
    Start here:
      kernelbandits reproduce figure-1            the paper's Figure 1: about two minutes on two cores
      kernelbandits reproduce figure-1 --seeds 2  a first look: a fifth of that
      kernelbandits reproduce theory              the paper's theory checked by experiment
      kernelbandits list                          what else can be reproduced, and the names for files of your own
      kernelbandits run my-experiment.toml        an experiment of your own
      kernelbandits bench                         how fast it is, against its peers and bare BLAS

    A run can be stopped at any moment; the same command goes on where it stopped.
    Exit codes: 0 done, 1 failed, 2 a wrong option, file or value, 130 interrupted.
    """


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
        click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON, for other programs."),
        click.option("--debug", is_flag=True, help="Show the full traceback of an error."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@app.command()
@click.argument("name", metavar="NAME")
@_run_options
def reproduce(name: str, debug: bool, **options: Any) -> None:
    r"""Run an experiment of the paper: NAME is figure-1, figure-2, theory, or all.

    Writes results.parquet (every round), summary.csv (final regret), the pictures as PNG and SVG, and provenance.json.
    The study theory checks the paper's theory by experiment and writes one CSV a table; there --only names parts of it.
    With all, --only names methods and panels, and studies are left out.

    \b
    Examples:
      kernelbandits reproduce figure-1
      kernelbandits reproduce figure-1 --only EtC --only CGP-UCB --only "low-rank, d = 100"
      kernelbandits reproduce theory --only linearization --only rate
      kernelbandits reproduce all --out results
    """
    from kernelbandits.experiments import load, shipped
    from kernelbandits.studies import STUDIES

    known = [*shipped(), *STUDIES]
    if name != "all" and name not in known:
        raise InvalidArgument(f"no experiment is called {name!r}; {nearest(name, [*known, 'all'])}")
    out: Path | None = options.pop("out")
    everything = list(shipped()) if options["only"] else known
    for each in everything if name == "all" else [name]:
        folder = Path("results") / each if out is None else out / each if name == "all" else out
        if each in STUDIES:
            STUDIES[each].carry_out(folder, **options)
        else:
            _carry_out(load(each), folder, **options)


@app.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@_run_options
def run(file: Path, debug: bool, **options: Any) -> None:
    """Run an experiment described in a TOML file.

    To write one, copy a file of the paper and change it: `kernelbandits list` shows where they lie. A method of your
    own stands in the file as type = "my_module:MyPolicy", with my_module.py beside the file.
    """
    from kernelbandits.experiments import load

    experiment = load(file)
    out: Path | None = options.pop("out")
    _carry_out(experiment, Path("results") / experiment.name if out is None else out, **options)


@app.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, for other programs.")
def list_(as_json: bool) -> None:
    """Show the experiments that come with the library and the names that a TOML file may use."""
    from kernelbandits import Covariance, Environment, Estimator, Kernel, Policy, Width
    from kernelbandits.experiments import load, shipped
    from kernelbandits.specs import subclass_names
    from kernelbandits.studies import STUDIES

    experiments = {name: (load(name).title, str(path)) for name, path in shipped().items()}
    kinds = {
        kind.__name__: subclass_names(kind) for kind in (Policy, Estimator, Kernel, Width, Environment, Covariance)
    }
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


@app.command()
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
    r"""Measure speed against the installed peers and against bare BLAS, interleaved in one run.

    scikit-learn is always a peer; BoTorch, mabwiser, contextualbandits, Vowpal Wabbit and river are where installed
    (`make bench-peers`). Prints ratios, draws them, writes bench.json, and compares with the last run.

    \b
    Examples:
      kernelbandits bench --only ucb-1000 --only decision
      kernelbandits bench --profile ucb-1000
    """
    from kernelbandits.benchmarks import bench as benchmarks

    if profile is not None:
        benchmarks.profile(profile)
    else:
        benchmarks.bench(only, repeats, out, as_json, compare)


def _carry_out(
    experiment: Experiment,
    folder: Path,
    seeds: int | None,
    horizon: int | None,
    jobs: int | None,
    only: tuple[str, ...],
    as_json: bool,
) -> None:
    from dataclasses import replace

    from kernelbandits.experiments.reporting import carry_out

    if seeds is not None:
        experiment = replace(experiment, seeds=tuple(range(seeds)))
    if horizon is not None:
        experiment = replace(experiment, horizon=horizon)
    if only:
        experiment = experiment.only(only)
    carry_out(experiment, folder, jobs, as_json)


def main(arguments: list[str] | None = None) -> None:
    """Entry point: every expected error is one line on the error stream and an exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = app.main(args=given, prog_name="kernelbandits", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.ClickException as error:
        code = _fail(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        code = _fail("interrupted; finished runs are kept, the same command goes on from there", INTERRUPTED)
    except KernelBanditsError as error:
        if "--debug" in given:
            raise
        code = _fail(str(error), 2 if isinstance(error, ValueError) else 1)
    except OSError as error:
        if "--debug" in given:
            raise
        code = _fail(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), 1)
    sys.exit(code or 0)


def _fail(message: str, code: int) -> int:
    click.echo("kernelbandits: " + " ".join(message.split()), err=True)
    return code
