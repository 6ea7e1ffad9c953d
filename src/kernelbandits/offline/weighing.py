"""One pass over a log for all candidates: weights, predictions, overlap."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kernelbandits.offline.candidate import Candidate
from kernelbandits.offline.candidate_overlap import Overlap, overlap_of
from kernelbandits.offline.log import BLOCK, Log
from kernelbandits.offline.reward_models import FittedRewards, RewardModel
from kernelbandits.offline.split import Split, past_means
from kernelbandits.offline.weighted_rows import WeightedRows
from kernelbandits.reporting import Progress
from kernelbandits.types import Array, BoolArray


class Weighed(NamedTuple):
    """A candidate on a log: its rows, its overlap, and E[w² | x] of every row, or w² if not all chances are known."""

    rows: WeightedRows
    overlap: Overlap
    squares: Array


def weigh(
    log: Log, candidates: Mapping[str, Candidate], model: RewardModel | None, split: Split, rng: np.random.Generator
) -> dict[str, Weighed]:
    """Weigh the rows of a log for every candidate, by blocks of rows; the reward model is fitted first."""
    n, K = len(log), log.n_arms
    with Progress("evaluate", 2 * n) as progress:
        fitted = None if model is None else model.fit(log, split)
        progress.show(n, "reward model")
        asks = {
            name: c.prepare(log, split, each)
            for (name, c), each in zip(candidates.items(), rng.spawn(len(candidates)), strict=True)
        }
        wanted = fitted is not None or any(c.needs_contexts for c in candidates.values())
        early = past_means(log.rewards) if fitted is not None and not split.learns_from[0].any() else None
        found = {name: _Columns(n, K) for name in candidates}
        played = np.bincount(log.arms, minlength=K) > 0
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            contexts = log.contexts[start:stop] if wanted else np.zeros((stop - start, 0))
            predicted = None if fitted is None else _predicted(fitted, contexts, log, split, start, early)
            for name, ask in asks.items():
                found[name].fill(log, ask(contexts, start), predicted, start, played)
            progress.show(n + stop, f"{stop:,} rows")
    return {name: columns.weighed(log) for name, columns in found.items()}


def _predicted(
    fitted: FittedRewards, contexts: Array, log: Log, split: Split, start: int, early: Array | None
) -> Array:
    """Predictions for all arms of a block, shape (b, K), each by its part's model, within the bounds of rewards."""
    parts = split.part[start : start + len(contexts)]
    answer = np.empty((len(contexts), log.n_arms))
    for part in np.unique(parts).tolist():
        rows = np.flatnonzero(parts == part)
        if early is not None and part == 0:
            answer[rows] = early[start + rows, np.newaxis]  # no model has seen anything yet
        else:
            answer[rows] = fitted.predict(contexts[rows], part)
    low, high = log.bounds or (log.rewards.min(), log.rewards.max())
    return np.clip(answer, low, high, out=answer)


class _Columns:
    """What is found about one candidate, block by block."""

    def __init__(self, n: int, n_arms: int) -> None:
        self._weights, self._chances, self._predicted, self._expected = (np.zeros(n) for _ in range(4))
        self._squares: Array | None = None
        self._shares, self._unsupported = np.zeros(n_arms), 0.0

    def fill(self, log: Log, chances: Array, predicted: Array | None, start: int, played: BoolArray) -> None:
        rows = slice(start, start + len(chances))
        arms, each = log.arms[rows], np.arange(len(chances))
        self._chances[rows] = own = chances[each, arms]
        self._weights[rows] = own / log.propensities[rows]
        self._shares += chances.sum(axis=0)
        if predicted is not None:
            self._predicted[rows] = predicted[each, arms]
            self._expected[rows] = np.einsum("nk,nk->n", chances, predicted)
        if log.chances is None:
            possible = played if log.eligible is None else played & log.eligible[rows]
            self._unsupported += float(chances[~np.broadcast_to(possible, chances.shape)].sum())
            return
        logged = log.chances[rows]
        self._unsupported += float(chances[logged <= 0.0].sum())
        if self._squares is None:
            self._squares = np.zeros(len(self._weights))
        ratios = np.divide(chances**2, logged, out=np.zeros_like(chances), where=logged > 0.0)
        self._squares[rows] = ratios.sum(axis=1)

    def weighed(self, log: Log) -> Weighed:
        n = len(log)
        rows = WeightedRows(self._weights, log.rewards, self._chances, self._predicted, self._expected)
        overlap = overlap_of(log, rows, self._shares / n, self._unsupported / n)
        return Weighed(rows, overlap, np.square(self._weights) if self._squares is None else self._squares)
