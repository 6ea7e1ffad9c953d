"""Limits of doubles and of the machine: what can be factored, threads of BLAS, cache and memory."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.errors import TooLarge
from kernelbandits.types import Array

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

EPS = float(np.finfo(np.float64).eps)
"""Distance from 1 to the next larger number."""
TINY = float(np.finfo(np.float64).tiny)
"""Smallest positive number with full precision."""

_SAFE_BELOW = 12_000
_ONE_THREAD_BELOW = 2500
_CACHE = 2**16  # doubles
_CGROUP = Path("/sys/fs/cgroup")
_ALWAYS_ACCEPTED = 2**26


def one_thread() -> AbstractContextManager[object]:
    """A context in which BLAS uses one thread."""
    limits: AbstractContextManager[object] = _thread_pools(len(sys.modules)).limit(limits=1)
    return limits


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> ThreadpoolController:
    """The BLAS libraries of this process: looking for them takes a millisecond, and only an import brings new ones."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def safe_threads(n: int) -> AbstractContextManager[object]:
    """A context for factoring an n × n matrix, with one thread if n is very large.

    The threaded Cholesky factorisation of the OpenBLAS in numpy's and scipy's wheels crashes with a segmentation fault
    from about n = 16,000 on.
    """
    return nullcontext() if n < _SAFE_BELOW else one_thread()


class SafeCholesky(NamedTuple):
    """A = UᵀU, with U in the upper triangle of `factor`, whose strict lower triangle still holds A.

    `diagonal` is that of A, and `condition` an estimate of the condition number of A.
    """

    factor: Array
    diagonal: Array
    condition: float

    def solve(self, y: Array) -> tuple[Array, Array]:
        """x = A⁻¹ y and A x, which differs from y by rounding, both of shape (n,)."""
        x: Array = lapack.dpotrs(self.factor, y, lower=0)[0]
        return x, blas.dsymv(1.0, self.factor, x, lower=1) + (self.diagonal - self.factor.diagonal()) * x


def safe_cholesky(A: Array) -> SafeCholesky | None:
    """Factor A, which is in Fortran order, in place of its upper triangle.

    None if A is too close to singular; then the lower triangle and the diagonal of A are as they were.
    """
    n = len(A)
    diagonal = A.diagonal().copy()
    one_norm = float(lapack.dlange("1", A))  # type: ignore[call-arg]
    with safe_threads(n):
        factor, info = lapack.dpotrf(A, lower=0, clean=0, overwrite_a=1)
    reciprocal = 0.0 if info else float(lapack.dpocon(factor, one_norm)[0])
    if info or reciprocal < 10.0 * n * EPS:
        A[np.diag_indices_from(A)] = diagonal
        return None
    return SafeCholesky(factor, diagonal, 1.0 / reciprocal)


def worthwhile_threads(n: int) -> AbstractContextManager[object]:
    """`safe_threads` for work that alternates between numpy and scipy, which have separate thread pools.

    The threads of one wait actively while the other works, so up to n of a few thousand one thread is as fast as two.
    """
    return one_thread() if n < _ONE_THREAD_BELOW else safe_threads(n)


def blas_threads() -> int:
    """The largest number of threads that a BLAS library of this process may use now."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)


def pieces(n: int, size: int = 0, *, width: int = 1) -> Iterator[slice]:
    """Consecutive slices of at most `size` that cover range(n).

    Without a size, of as many rows of this width as fit into the cache together, a multiple of 64.
    """
    size = size or max(64, _CACHE // max(width, 1) // 64 * 64)
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def available_memory() -> int:
    """Bytes that this process may still allocate, on the machine and within the limit of its container."""
    return min(_memory_of_machine(), _memory_of_container())


def _memory_of_machine() -> int:
    """The operating system's estimate (Linux), otherwise all physical memory."""
    table = Path("/proc/meminfo")
    if table.is_file():
        found = re.search(r"^MemAvailable:\s*(\d+) kB", table.read_text(encoding="ascii"), flags=re.MULTILINE)
        if found:
            return 1024 * int(found[1])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**63


def _memory_of_container() -> int:
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            most, now = (_CGROUP / limit).read_text("ascii").strip(), (_CGROUP / used).read_text("ascii").strip()
        except OSError:  # no such limit here
            continue
        if most.isdigit() and now.isdigit():
            return max(0, int(most) - int(now))
    return 2**63


def memory_text(size: float) -> str:
    """A number of bytes as text, such as 1.5 GB."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def require_memory(size: float, what: str, instead: str) -> None:
    """Raise `TooLarge` if `size` bytes are not available. Small sizes are always accepted."""
    if size >= _ALWAYS_ACCEPTED and size > (have := available_memory()):
        raise TooLarge(
            f"{what} needs {memory_text(size)} of memory, of which {memory_text(have)} are available; {instead}"
        )
