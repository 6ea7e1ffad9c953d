import gc
import signal
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

import kernelbandits as kb
import pictures
from chromium import MISSING
from command import BLAS_THREADS
from kernelbandits.reporting import charts
from kernelbandits.tables import files
from series_looks import series_that_look_alike
from small import TOML

settings.register_profile(
    "same-every-time",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],  # the machine may be
)
settings.load_profile("same-every-time")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a shell does for what it runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # with which children start as usual, too


@pytest.fixture(autouse=True, scope="session")
def wide_window():
    """What tests look for in tables stands on one line; `test_terminal_tables.py` tries windows of other widths."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "1000")
        yield


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread():
    """The workers share the cores already, and sums must not depend on how many there are.

    Processes that tests start inherit it: several threads would wait for each other, busily, on a busy machine.
    """
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(limits=1):
        for name in BLAS_THREADS:
            patch.setenv(name, "1")
        yield


def pytest_collection_finish():
    """Thousands of tests stay until the end: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Skipped tests are easily overlooked: say it when no browser was there to look at the report."""
    left_out = [report for report in terminalreporter.stats.get("skipped", []) if MISSING in str(report.longrepr)]
    if left_out:
        terminalreporter.write_line(f"{len(left_out)} browser tests were left out: {MISSING}", yellow=True)


@pytest.fixture(autouse=True, scope="session")
def no_two_series_look_the_same():
    """Every picture that any test draws, of any command, is looked at before it is saved."""
    draw_charts = charts.Charts.draw

    def looked_at(drawn, figure):
        draw_charts(drawn, figure)
        assert series_that_look_alike(figure) == []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts.Charts, "draw", looked_at)
        yield


@pytest.fixture(autouse=True, scope="session")
def sketched_pictures():
    with pictures.sketched():
        yield


@pytest.fixture(scope="module")
def painted():
    """Pictures as users get them, for all tests of a module."""
    with pictures.painted():
        yield


@pytest.fixture(scope="module")
def sound_parquet():
    """Parquet files are believed to be whole; otherwise each is first read in a process of its own, for 0.2 s."""
    whole = SimpleNamespace(run=lambda command, **_: CompletedProcess(command, 0, "", ""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "subprocess", whole)
        yield


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


@pytest.fixture
def small(small_file: Path) -> kb.Experiment:
    return kb.load_experiment(small_file)
