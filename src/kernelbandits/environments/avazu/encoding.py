"""One-hot encoding of texts as a sparse matrix."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse


def one_hot(features: pl.DataFrame) -> sparse.csr_array:
    """A column for every value of every feature, shape (n, p): row j has a 1 for each of its values.

    Values are told apart as texts: numbers such as hour or C14 are names here, not quantities.
    """
    n, m = features.shape
    columns = np.empty((n, m), dtype=np.int64)
    width = 0
    for j, name in enumerate(features.columns):
        _, codes = np.unique(features[name].rank("dense").to_numpy(), return_inverse=True)
        columns[:, j] = codes + width
        width += int(codes.max()) + 1
    return sparse.csr_array((np.ones(n * m), columns.ravel(), np.arange(0, n * m + 1, m)), shape=(n, width))
