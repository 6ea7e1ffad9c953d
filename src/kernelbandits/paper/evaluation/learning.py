"""Whether intervals hold the value of a policy that learns: replayed as if live, and learned from the log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.kernels import Gaussian
from kernelbandits.offline import GivenChances, LearnedPolicy, Log, evaluate, folds, past, replay_log
from kernelbandits.paper.evaluation.coverage import LEVEL
from kernelbandits.paper.evaluation.kept import Rows, kept, portions
from kernelbandits.paper.evaluation.worlds import live_log
from kernelbandits.paper.parts import StudyPart, by
from kernelbandits.policies import ExplorationFloor, ExploreThenCommit, LinearUCB, Policy, Uniform, default_policy
from kernelbandits.problem import Problem
from kernelbandits.regression import KernelRidge, MinNormInterpolator
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, Rule, look
from kernelbandits.specs import Count
from kernelbandits.types import Array

N_ARMS, DIM = 3, 4
LEARNERS: dict[str, Policy] = {
    "default": default_policy(),
    "LinearUCB": LinearUCB(),
    "EtC, interpolation": ExploreThenCommit(MinNormInterpolator(Gaussian(2.0)), n_explore=30),
    "EtC, ridge": ExploreThenCommit(KernelRidge(Gaussian(2.0), 0.1), n_explore=30),
}
WRITERS: dict[str, tuple[Policy, int]] = {
    "uniform": (Uniform(), 400),
    "learner with a floor": (ExplorationFloor(LinearUCB(), epsilon=0.1), 1000),
    "uniform, long": (Uniform(), 3000),
}
"""Who writes the log, and how many rows."""
CASES = (
    *((writer, learner) for writer in ("uniform", "learner with a floor") for learner in LEARNERS),
    ("uniform, long", "EtC, ridge"),
)
"""The longer the log, the more it matters what a run happens to learn at its start."""
REPLAYED, ONE_RUN, LEARNED = "replayed", "replayed, spread of one run", "learned from the log"
_LIVE_RUNS, _FRESH = 400, 20


def mean_rewards(x: Array) -> Array:
    """Probability of a reward of 1 for each arm at contexts (n, d), shape (n, K)."""
    return 0.5 + 0.4 * np.stack([np.tanh(2.0 * x[:, 0]), np.tanh(-2.0 * x[:, 0]), np.sin(2.0 * x[:, 1])], axis=1)


@cache
def live_means(learner: str, horizon: int) -> Array:
    """Expected mean reward of a learner's first m live rounds, at m − 1; from the mean rewards of what it plays."""
    longest = horizon + 120  # a replay has about `horizon` rounds
    total = np.zeros(longest)
    for seed in range(_LIVE_RUNS):
        rng, problem = np.random.default_rng((seed, 41)), Problem(N_ARMS, DIM, horizon)
        log = live_log(LEARNERS[learner], problem, mean_rewards, longest, rng)
        total += mean_rewards(log.contexts)[np.arange(longest), log.arms]
    return np.asarray(np.cumsum(total / _LIVE_RUNS) / np.arange(1, longest + 1))


def covered(writer: str, learner: str, seeds: range) -> Rows:
    """For some logs of a writer: whether each interval of a learner's value holds the truth, and its width."""
    policy, n = WRITERS[writer]
    for seed in seeds:
        log = live_log(policy, Problem(N_ARMS, DIM, n), mean_rewards, n, np.random.default_rng((seed, 43)))
        for method, covers, width in (*_replayed(log, learner, seed), *_learned(log, learner, seed)):
            yield {"writer": writer, "learner": learner, "method": method, "covered": covers, "width": width}


def _replayed(log: Log, learner: str, seed: int) -> Sequence[tuple[str, float, float]]:
    replayed = replay_log(LEARNERS[learner], log, rng=seed)
    m, interval = len(replayed.rows), replayed.interval(LEVEL)
    truth = live_means(learner, max(1, round(float(log.propensities.min()) * len(log))))[m - 1]
    half = 1.959964 * float(replayed.rewards.std(ddof=1) / np.sqrt(m))
    return [
        (REPLAYED, float(interval.covers(truth)), interval.width),
        (ONE_RUN, float(abs(replayed.mean - truth) <= half), 2.0 * half),
    ]


def _learned(log: Log, learner: str, seed: int) -> Sequence[tuple[str, float, float]]:
    """`LearnedPolicy`, whose agents are kept so that their true value can be computed at fresh contexts."""
    split = past(len(log)) if log.learned else folds(len(log))
    chances = LearnedPolicy(LEARNERS[learner]).chances_of(log, split, np.random.default_rng(seed))
    fresh = np.random.default_rng((seed, 47)).standard_normal((_FRESH, len(log), DIM))
    truth = float(np.mean([(chances(x, 0) * mean_rewards(x)).sum(axis=1).mean() for x in fresh]))
    found = evaluate(log, {"learned": GivenChances(chances(log.contexts, 0))}, others=())["learned"]
    if found.verdict.kind == "not supported":
        return []
    return [(LEARNED, float(found.interval.covers(truth)), found.interval.width)]


@final
@dataclass(frozen=True, slots=True)
class LearningPolicies(StudyPart):
    """Three arms, four features, rewards 0 or 1; `seeds` logs for each writer and learner."""

    name: ClassVar[str] = "learning"
    heading: ClassVar[str] = "Share of {0.seeds} logs in which a 95 % interval holds the value of a policy that learns"
    cases: tuple[tuple[str, str], ...] = CASES
    seeds: Count = 40

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(*case, seeds) for case in self.cases for seeds in portions(self.seeds, 10)]
        found = kept(runner, self.name, covered, tasks).group_by("writer", "learner", "method", maintain_order=True)
        return found.agg(logs=pl.len(), coverage=pl.col("covered").mean(), width=pl.col("width").mean())

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(pl.col("coverage").round(3))

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for writer, every in by(rows, "writer"):
            marks: list[Mark] = [Rule(LEVEL, "y", "nominal")]
            for place, method in enumerate((REPLAYED, ONE_RUN, LEARNED)):
                own = every.filter(method=method)
                marks.append(Points(own["width"], own["coverage"], look(place), method))
            charts.append(Chart(f"log of: {writer}", marks, Axis("mean width"), Axis("coverage", high=1.01)))
        return Charts(charts, 3, height=3.6, legend="outside upper center", legend_columns=4)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for method, own in by(rows, "method"):
            logs = int(own["logs"].sum())
            share = float((own["coverage"] * own["logs"]).sum()) / logs
            error = np.sqrt(share * (1.0 - share) / logs)
            low = own.sort("coverage").row(0, named=True)
            least = f"least {low['coverage']:.3f} ({low['learner']}, log of: {low['writer']})"
            yield f"{method}: {share:.3f} ± {error:.3f} of {logs:,} logs; {least}"
