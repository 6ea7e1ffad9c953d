"""The command `kernelbandits`, called in this process: a second less per test than a process of its own."""

import contextlib
import io
import subprocess
import sys
import traceback

from kernelbandits.cli import main

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""How many threads the BLAS of a process may use, by its kinds."""

COMMAND = [sys.executable, "-c", "from kernelbandits.cli import main; main()"]

BUDGET = [
    "budget",
    "--delta",
    "0.5",
    "--arms",
    "2",
    "--noise-std",
    "0.1",
    "--norm",
    "0.1",
    "--epsilon",
    "0.1",
    "--dim",
    "200",
    "--case",
    "I",
]
"""A question that needs no data."""


def run(*arguments, cwd="."):
    """Return what a process would: exit code, output and errors. Not for commands that start workers.

    Workers are kept for the next call and would still be in the folder of the first.
    """
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*arguments])
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def run_process(*arguments, cwd=None):
    """Run the command as a real process; the limit only ends a test that hangs."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=1200, check=False)
