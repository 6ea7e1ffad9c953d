"""Linear algebra on arrays: factors, panels, segments, aligned memory, threads, memory limits."""

from kernelbandits.linalg.aligned import LINE, aligned_zeros, whole_lines
from kernelbandits.linalg.inverse_factor import Appended, Band, InverseFactor
from kernelbandits.linalg.panels import fill_by_panels, pieces, rows_at_once
from kernelbandits.linalg.pivoted_cholesky import MatrixRows, greedy_pivots, random_pivots
from kernelbandits.linalg.precision import EPS, TINY
from kernelbandits.linalg.ridge_system import RidgeSolution, solve_ridge_system
from kernelbandits.linalg.segments import Segments, segment_sums
from kernelbandits.linalg.symmetric import eigenpairs, safe_cholesky
from kernelbandits.linalg.threads import blas_threads, one_thread, safe_threads, worthwhile_threads
