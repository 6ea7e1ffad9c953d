"""`python -m benchmarks`: measure speed."""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

from benchmarks.cases import Case, all_cases
from benchmarks.report import Record, bar_chart, measure, read_record, record_of, table
from kernelbandits.cli import main
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.reporting import Document, Findings, save, write_text


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this case; may be given several times.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Turns of every contender.")
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
    """Measure speed against the installed peers and against bare BLAS, in turns within one run.

    scikit-learn is always a peer; BoTorch, mabwiser, contextualbandits, Vowpal Wabbit and river are peers if installed
    (`make bench-peers`). Prints ratios, draws them, writes bench.json, and compares with the last run.

    \b
    Examples:
      python -m benchmarks --only ucb-1000 --only decision
      python -m benchmarks --profile ucb-1000
    """
    if profile is not None:
        [case] = chosen((profile,))
        show_profile(case)
    else:
        record = run_cases(chosen(only), repeats, out, compare, quiet=as_json)
        if as_json:
            print(json.dumps(record, ensure_ascii=False))


def chosen(names: tuple[str, ...]) -> list[Case]:
    """Return the cases of these names; all of them if there are none."""
    known = {case.name: case for case in all_cases()}
    for name in names:
        if name not in known:
            raise InvalidArgument(f"no benchmark is called {name!r}; {nearest(name, known)}")
    return [case for name, case in known.items() if not names or name in names]


def run_cases(cases: list[Case], repeats: int, folder: Path, compare: Path | None, *, quiet: bool) -> Record:
    """Measure the cases, print a table unless `quiet`, and write the record and a bar chart into the folder."""
    last = folder / "bench.json"
    previous = read_record(compare or last) if compare or last.is_file() else None
    measured = []
    for case in cases:
        if sys.stderr.isatty():
            print(f"{case.name}: {case.title}", file=sys.stderr)
        measured.append(measure(case, repeats))
    record = record_of(measured, repeats)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(last, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    files = [last, *save(bar_chart(measured), folder / "bench")]
    for item in measured:
        if item.picture is not None:
            files += save(item.picture, folder / item.case.name)
    if not quiet:
        facts = [f"{item.case.name}: {fact}: {value:.3g}" for item in measured for fact, value in item.facts.items()]
        document = Document("", (table(measured, previous), Findings("", tuple(facts))))
        document.show(f"In {folder}: {', '.join(path.name for path in files)}")
    return record


def show_profile(case: Case) -> None:
    """Print where the time of our side goes."""
    run = case.contenders()["ours"]
    run()
    profiler = cProfile.Profile()
    with threadpool_limits(case.threads):
        profiler.runcall(run)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main(command=bench)
