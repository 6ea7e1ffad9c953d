"""Time of the first import and of `--help`, in new processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import seconds

_FIRST_AGENT = """
from kernelbandits import GPUCB, Gaussian, GaussianProcess, Problem, ConstantWidth
GPUCB(GaussianProcess(Gaussian()), ConstantWidth(2.0)).start(Problem(n_arms=2, dim=3), 0)
"""


@cache
def _bytecode() -> TemporaryDirectory[str]:
    """Folder for the bytecode of all libraries, filled by the warm-up: an editable installation may have none."""
    return TemporaryDirectory(prefix="kernelbandits-bytecode-")


def _python(code: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = _bytecode().name
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)  # noqa: S603 (code of this file)


def _against_numpy(code: str) -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_python, code), "numpy, scipy.linalg": partial(_python, "import numpy, scipy.linalg")}


def _help() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_python, "import sys; from kernelbandits.cli import main; main(['--help'])")}


def _help_seconds() -> Mapping[str, float]:
    times = [seconds(_help()["ours"]) for _ in range(7)]
    return {"seconds for `kernelbandits --help` (goal < 0.6)": float(np.median(times))}


def cases() -> Iterator[Case]:
    """Yield import, the first agent, and help."""
    goals = {"numpy, scipy.linalg": 1 / 1.5}
    importing = partial(_against_numpy, "import kernelbandits")
    yield Case("import", "`import kernelbandits` in a new process", importing, goals=goals)
    starting = partial(_against_numpy, _FIRST_AGENT)
    yield Case("import-agent", "import and start a GP-UCB agent in a new process", starting)
    yield Case("help", "`kernelbandits --help` in a new process", _help, facts=_help_seconds)
