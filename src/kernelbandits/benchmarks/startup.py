"""How long the first import and `--help` take, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from kernelbandits.benchmarks.cases import Case, Goal


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def _imports() -> Mapping[str, Callable[[], Any]]:
    return {
        "ours": partial(_python, "import kernelbandits"),
        "numpy, scipy.linalg": partial(_python, "import numpy, scipy.linalg"),
    }


def _help() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_python, "import sys; from kernelbandits.cli import main; main(['--help'])")}


def _help_seconds() -> Mapping[str, float]:
    import time

    import numpy as np

    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        _help()["ours"]()
        seconds.append(time.perf_counter() - start)
    return {"seconds for `kernelbandits --help` (goal < 0.6)": float(np.median(seconds))}


def cases() -> Iterator[Case]:
    """Import and help."""
    yield Case(
        "import", "`import kernelbandits` in a new process", _imports, goals=(Goal("numpy, scipy.linalg", 1 / 1.5),)
    )
    yield Case("help", "`kernelbandits --help` in a new process", _help, facts=_help_seconds)
