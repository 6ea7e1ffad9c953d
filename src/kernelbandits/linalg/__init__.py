"""Linear algebra on arrays: the growing Cholesky factor, panels, segments, aligned memory, threads, memory limits."""

from kernelbandits.linalg.aligned import LINE, aligned_zeros, whole_lines
from kernelbandits.linalg.inverse_factor import Appended, Band, InverseFactor
from kernelbandits.linalg.panels import fill_by_panels, pieces, rows_at_once
from kernelbandits.linalg.precision import EPS, TINY
from kernelbandits.linalg.segments import Segments, segment_sums
from kernelbandits.linalg.threads import blas_threads, one_thread, safe_threads, worthwhile_threads

__all__ = [
    "EPS",
    "LINE",
    "TINY",
    "Appended",
    "Band",
    "InverseFactor",
    "Segments",
    "aligned_zeros",
    "blas_threads",
    "fill_by_panels",
    "one_thread",
    "pieces",
    "rows_at_once",
    "safe_threads",
    "segment_sums",
    "whole_lines",
    "worthwhile_threads",
]
