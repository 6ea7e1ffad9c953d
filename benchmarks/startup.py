"""How long the first import and `--help` take, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.cases import Case, Goal

_FIRST_AGENT = """
from kernelbandits import GPUCB, Gaussian, GaussianProcess, Problem, ConstantWidth
GPUCB(GaussianProcess(Gaussian()), ConstantWidth(2.0)).start(Problem(n_arms=2, dim=3), 0)
"""


@cache
def _bytecode() -> TemporaryDirectory[str]:
    """Where every library's bytecode is kept from the warm-up on: an editable one may have none, an installed one has.

    The folder is there as long as this process.
    """
    return TemporaryDirectory(prefix="kernelbandits-bytecode-")


def _python(code: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = _bytecode().name
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env=environment)


def _against_numpy(code: str) -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_python, code), "numpy, scipy.linalg": partial(_python, "import numpy, scipy.linalg")}


def _help() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_python, "import sys; from kernelbandits.cli import main; main(['--help'])")}


def _help_seconds() -> Mapping[str, float]:
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        _help()["ours"]()
        seconds.append(time.perf_counter() - start)
    return {"seconds for `kernelbandits --help` (goal < 0.6)": float(np.median(seconds))}


def cases() -> Iterator[Case]:
    """Import, the way to the first agent, and help."""
    goals = (Goal("numpy, scipy.linalg", 1 / 1.5),)
    importing = partial(_against_numpy, "import kernelbandits")
    yield Case("import", "`import kernelbandits` in a new process", importing, goals=goals)
    starting = partial(_against_numpy, _FIRST_AGENT)
    yield Case("import-agent", "import and start a GP-UCB agent in a new process", starting)
    yield Case("help", "`kernelbandits --help` in a new process", _help, facts=_help_seconds)
