"""Large fits on any engine: one per arm, and from tables larger than memory."""

from kernelbandits.experiments.fits.each import fit_each
from kernelbandits.experiments.fits.parquet import fit_parquet
from kernelbandits.experiments.fits.table import fit_arms, fit_table

__all__ = ["fit_arms", "fit_each", "fit_parquet", "fit_table"]
