"""The covariance designs of the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Mapping

from kernelbandits.environments import ApproximateLowRank, Covariance, LowRank, SpectralDecay

DESIGNS: Mapping[str, Covariance] = {
    "low-rank": LowRank(),
    "approximate low-rank": ApproximateLowRank(),
    "spectral decay": SpectralDecay(),
}
