"""Limits of double precision."""

import numpy as np

EPS = float(np.finfo(np.float64).eps)
"""Distance from 1 to the next larger number."""

TINY = float(np.finfo(np.float64).tiny)
"""Smallest positive number with full precision."""
