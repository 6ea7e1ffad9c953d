"""Drawing the rounds of the paper's environment against the bare operations that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.cases import Case
from kernelbandits import LowRank, Synthetic

HORIZON = 1000


def _contenders() -> Mapping[str, Callable[[], Any]]:
    instance = Synthetic(LowRank()).draw(np.random.default_rng(0))
    n_arms, dim = instance.context_std.shape
    centers = [np.ascontiguousarray(reward.centers.T) for reward in instance.rewards]
    heights = [reward.coefficients for reward in instance.rewards]
    block = np.empty((250, centers[0].shape[1]))

    def ours() -> Any:
        return instance.rounds(HORIZON, np.random.default_rng(1))

    def bare() -> None:
        """Normal draws, one product with the centres per arm, exp, one product with the heights: no distances."""
        rng = np.random.default_rng(1)
        contexts = rng.standard_normal((n_arms, HORIZON, dim))
        for arm in range(n_arms):
            for start in range(0, HORIZON, len(block)):
                np.matmul(contexts[arm, start : start + len(block)], centers[arm], out=block)
                np.exp(block, out=block)
                block @ heights[arm]

    return {"ours": ours, "bare operations": bare}


def cases() -> Iterator[Case]:
    """Yield one case with one thread, as in a worker process."""
    title = f"environment, K = 20, d = 100, 500 bumps, T = {HORIZON}, one thread, against normal draws + gemm + exp"
    yield Case("environment", title, _contenders, goals={"bare operations": 1 / 1.3})
