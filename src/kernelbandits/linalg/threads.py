"""Number of threads that BLAS uses."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

_SAFE_BELOW = 12_000
_ONE_THREAD_BELOW = 2500


def one_thread() -> AbstractContextManager[object]:
    """A context in which BLAS uses one thread."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def safe_threads(n: int) -> AbstractContextManager[object]:
    """A context for factoring an n × n matrix, with one thread if n is very large.

    The threaded Cholesky factorisation of the OpenBLAS in numpy's and scipy's wheels crashes with a segmentation fault
    from about n = 16,000 on.
    """
    return nullcontext() if n < _SAFE_BELOW else one_thread()


def worthwhile_threads(n: int) -> AbstractContextManager[object]:
    """`safe_threads` for work that alternates between numpy and scipy, which have separate thread pools.

    The threads of one wait actively while the other works, so up to n of a few thousand one thread is as fast as two.
    """
    return one_thread() if n < _ONE_THREAD_BELOW else safe_threads(n)


def blas_threads() -> int:
    """The largest number of threads that a BLAS library of this process may use now."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
