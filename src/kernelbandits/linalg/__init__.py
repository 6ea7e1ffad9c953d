"""Linear algebra on arrays: factors, solves, arrays in memory, limits of the machine."""

from kernelbandits.linalg.arrays import LINE, Segments, aligned_zeros, enlarged, segment_sums
from kernelbandits.linalg.inverse_factor import Appended, InverseFactor
from kernelbandits.linalg.machine import (
    EPS,
    TINY,
    available_memory,
    blas_threads,
    memory_text,
    one_thread,
    pieces,
    require_memory,
    safe_cholesky,
    safe_threads,
    worthwhile_threads,
)
from kernelbandits.linalg.pivoted_cholesky import MatrixRows, greedy_pivots, random_pivots
from kernelbandits.linalg.solves import RidgeSolution, eigenpairs, solve_ridge_system
