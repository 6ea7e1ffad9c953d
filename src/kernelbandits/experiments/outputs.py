"""The output folder of a run: data, pictures, provenance and report."""

from __future__ import annotations

import json
import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, final

import polars as pl

from kernelbandits import __version__
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments.engines import Engine, dask, local
from kernelbandits.experiments.grid import Experiment, first_seeds
from kernelbandits.experiments.results import (
    Results,
    contents,
    regret_picture,
    summary_of,
    with_details,
    write_frames,
)
from kernelbandits.experiments.running import Runner
from kernelbandits.experiments.store import installation
from kernelbandits.reporting import Document, Facts, Picture, Section, print_json, remove_abandoned, save, write_text

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars", "joblib")


@final
@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run an experiment or a study, and where its files go.

    The number of seeds and the horizon replace the experiment's own; `only` names the methods, panels or parts to run,
    all of them if empty. `as_json` prints JSON instead of tables, `report` adds an HTML report. `started` is the moment
    of the monotonic clock from which the duration counts.
    """

    folder: Path
    engine: Engine
    seeds: int | None = None
    horizon: int | None = None
    only: tuple[str, ...] = ()
    as_json: bool = False
    report: bool = False
    started: float = field(default_factory=time.monotonic, compare=False)

    def part_of(self, experiment: Experiment) -> Experiment:
        """The part of the experiment that these options ask for."""
        if self.seeds is not None:
            experiment = replace(experiment, seeds=first_seeds(self.seeds))
        if self.horizon is not None:
            experiment = replace(experiment, horizon=self.horizon)
        return experiment.only(self.only) if self.only else experiment


def run_options(folder: Path, *, engine: str, scheduler: str | None, jobs: int | None, **options: Any) -> RunOptions:
    """The options of a run into this folder as the command is given them, with the engine by name."""
    if scheduler is not None and engine != "dask":
        raise InvalidArgument("--scheduler needs --engine dask")
    if scheduler is not None and jobs is not None:
        raise InvalidArgument("--jobs has no meaning with --scheduler: the scheduler's workers do the work")
    return RunOptions(folder, dask(scheduler, jobs) if engine == "dask" else local(jobs), **options)


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """What was computed, before anything is written.

    `document` is for the screen, `page` makes the one of the report; frames go by file name, .parquet or .csv, pictures
    by file name without its ending; `contents` says what was computed, for the provenance.
    """

    document: Document
    page: Callable[[], Document]
    frames: Mapping[str, pl.DataFrame]
    pictures: Mapping[str, Picture]
    contents: Mapping[str, Any]


def write_outcome(outcome: Outcome, options: RunOptions) -> None:
    """Write the output folder, and print tables or JSON."""
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    files = write_frames(folder, outcome.frames)
    for name, picture in outcome.pictures.items():
        files += save(picture, folder / name)
    record = provenance(outcome.contents, time.monotonic() - options.started, options.engine)
    files.append(write_text(folder / "provenance.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n"))
    document = outcome.document
    if options.report:
        page = outcome.page()
        page = replace(page, sections=(*page.sections, provenance_section(record)))
        files.append(write_text(folder / "report.html", page.html()))
    seconds = time.monotonic() - options.started
    if options.as_json:
        names = [str(path) for path in files]
        print_json({**document.record, "folder": str(folder), "files": names, "seconds": round(seconds, 3)})
    else:
        document.show(
            f"Finished in {seconds:.{int(seconds < 10)}f} s. In {folder}: {', '.join(path.name for path in files)}"
        )


def report_experiment(
    experiment: Experiment,
    options: RunOptions,
    sections: Callable[[Results], Sequence[Section]] = lambda results: (),
    findings: Callable[[Results], Sequence[str]] = lambda results: (),
    frames: Callable[[Results], Mapping[str, pl.DataFrame]] = Results.frames,
) -> None:
    """Run an experiment and write its output folder; a study adds sections, findings and columns of its own."""
    stated = contents(experiment)  # first of all, so that a broken data file is refused before anything is written
    results = Runner(options.folder, options.engine).run(experiment)
    summary = summary_of(results, sections(results), findings(results))
    outcome = Outcome(
        summary,
        lambda: with_details(summary, results),
        frames(results),
        {experiment.name: regret_picture(results)},
        stated,
    )
    write_outcome(outcome, options)


def provenance(contents: Mapping[str, Any], seconds: float, engine: Engine) -> dict[str, Any]:
    """What was computed, with the command, time, versions, code and machine of the run, but none of its folders."""
    command = [Path(sys.argv[0]).name]
    for argument in sys.argv[1:]:  # --out=/home/me/results becomes --out=results
        option, equals, value = argument.rpartition("=")
        command.append(f"{option}{equals}{Path(value).name}" if Path(value).is_absolute() else argument)
    own = installation()
    return {
        **contents,
        "command": shlex.join(command),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "engine": repr(engine),
        "versions": {
            "kernelbandits": __version__,
            "python": platform.python_version(),
            **dict(zip(_LIBRARIES, map(version, _LIBRARIES), strict=True)),
        },
        "code": own.code,
        "machine": {"system": platform.system(), **own.machine},
    }


def provenance_section(record: Mapping[str, Any]) -> Facts:
    """The provenance for a report, without the settings, which have their own section."""
    shown = {name: value for name, value in record.items() if name not in ("experiment", "notes") and value != {}}
    return Facts("Provenance", {name.replace("_", " "): _words(value) for name, value in shown.items()})


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name} {_words(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        numbers = all(isinstance(entry, int) for entry in value)
        consecutive = numbers and len(value) > 2 and value == list(range(value[0], value[0] + len(value)))
        return f"{value[0]} … {value[-1]}" if consecutive else (", " if numbers else "; ").join(map(_words, value))
    return str(value)
