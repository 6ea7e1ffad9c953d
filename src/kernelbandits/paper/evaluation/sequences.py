"""Whether a confidence sequence ever misses, along ten thousand looks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import confidence_sequence
from kernelbandits.paper.evaluation.kept import Rows, kept, portions
from kernelbandits.paper.parts import StudyPart, by
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, Rule, look
from kernelbandits.specs import Count
from kernelbandits.types import Array

ALPHA, LOOKS = 0.05, 10_000


def coins(mean: float, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Rewards 0 or 1, weights 1, and the largest weight."""
    return (rng.random(LOOKS) < mean).astype(np.float64), np.ones(LOOKS), 1.0


def shares(mean: float, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Rewards between 0 and 1."""
    return rng.beta(8.0 * mean, 8.0 * (1.0 - mean), LOOKS), np.ones(LOOKS), 1.0


def learner(mean: float, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """One arm in the log of a learner that gives it a chance of ½ while its mean is above the truth, else 1/20."""
    rewards, weights = (rng.random(LOOKS) < mean).astype(np.float64), np.zeros(LOOKS)
    luck, paid, played = rng.random(LOOKS), 0.0, 0
    for t in range(LOOKS):
        chance = 0.5 if paid >= mean * played else 0.05
        if luck[t] < chance:
            weights[t] = 1.0 / chance
            paid, played = paid + rewards[t], played + 1
    return rewards, weights, 20.0


KINDS = {"coins": coins, "shares": shares, "learner": learner}
MEANS = (0.005, 0.05, 0.5)


def missed(kind: str, mean: float, seeds: range) -> Rows:
    """In how many of some runs the mean is outside at any look, and how wide intervals are at the end."""
    misses, widths = 0, []
    for seed in seeds:
        r, w, largest = KINDS[kind](mean, np.random.default_rng((seed, int(1000 * mean), len(kind))))
        spec = confidence_sequence.ConfidenceSequence(1.0 - ALPHA, largest_weight=largest)
        misses += int((confidence_sequence.capitals_along(spec, r, w, mean) >= 1.0 / ALPHA).any())
        if seed % 10 == 0:
            running = spec.start()
            running.observe(r, w)
            widths.append(running.interval.width)
    yield {"kind": kind, "mean": mean, "runs": len(seeds), "missed": misses, "width": float(np.mean(widths))}


@final
@dataclass(frozen=True, slots=True)
class SequenceStudy(StudyPart):
    """Does the sequence hold at all times at once?"""

    name: ClassVar[str] = "sequences"
    heading: ClassVar[str] = "Share of {0.seeds} runs in which a 95 % confidence sequence misses at any of 10,000 looks"
    seeds: Count = 2000

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(kind, mean, seeds) for kind in KINDS for mean in MEANS for seeds in portions(self.seeds, 100)]
        sums = kept(runner, self.name, missed, tasks).group_by("kind", "mean", maintain_order=True)
        totals = sums.agg(pl.col("runs", "missed").sum(), pl.col("width").mean())
        return totals.with_columns(share=pl.col("missed") / pl.col("runs"))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("kind", "mean", "share", "width")

    def charts(self, rows: pl.DataFrame) -> Charts:
        marks: list[Mark] = [Rule(ALPHA, "y", "allowed")]
        for place, (kind, own) in enumerate(by(rows, "kind")):
            beside = 1.05 ** (place - 1)  # so that equal shares do not hide each other
            marks.append(Points(own["mean"] * beside, own["share"], look(place), kind))
        x, y = Axis("mean reward", "log", MEANS), Axis("share", low=0.0)
        return Charts([Chart("misses anywhere along 10,000 looks", marks, x, y, "right")], 1, 3.4)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        worst = rows.sort("share").row(-1, named=True)
        yield f"missed at any look in at most {worst['share']:.3f} of the runs ({worst['kind']}, mean {worst['mean']})"
