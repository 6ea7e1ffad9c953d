"""How far estimators are from the truth, beside what zr-obp publishes of the same logs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import polars as pl
from scipy.special import expit, softmax

from kernelbandits import offline
from kernelbandits.experiments import Runner
from kernelbandits.kernels import Gaussian
from kernelbandits.offline import value_estimators
from kernelbandits.paper.evaluation.kept import Rows, kept, portions
from kernelbandits.paper.evaluation.worlds import LoggedWorld, WorldCase
from kernelbandits.paper.parts import StudyPart, by
from kernelbandits.regression import KernelRidge
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, look
from kernelbandits.specs import Count
from kernelbandits.types import Array, IntArray

_LIMIT = 10_000
_SEED = 12345


@final
@dataclass(frozen=True, slots=True)
class PublishedWorld(LoggedWorld):
    """The synthetic example of zr-obp; with 30 arms and 5 features, seeds 0 to 19 are its published runs.

    Normal contexts. The log-odds of a reward are linear in context and arm, with coefficients drawn from −1 to 1 for
    every seed, and standardised. The writer prefers poor arms, softmax(−3 q). The candidate is the softmax of what a
    logistic regression of the arm on the context, with weights r/h, predicts; it was fitted to another log of the same
    size. The truth is that of the contexts drawn. Draws are those of the example, so that its logs are met again.
    """

    n: Count = 10_000
    n_arms: Count = 30
    dim: Count = 5

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        for seed in seeds:
            draws = np.random.RandomState(seed)
            x, means, logged, arms, rewards = self._draw(seed, draws)
            classifier = _logistic().fit(x, arms, sample_weight=rewards / logged[np.arange(self.n), arms])
            x, means, logged, arms, rewards = self._draw(seed, draws)
            scores = np.zeros((self.n, self.n_arms))
            scores[:, classifier.classes_] = classifier.predict_proba(x)
            chances = softmax(scores, axis=1)
            log = offline.Log(x, arms, rewards, logged[np.arange(self.n), arms], self.n_arms, learned=False)
            yield WorldCase(log, chances, float((chances * means).sum(axis=1).mean()), means)

    def _draw(self, seed: int, draws: np.random.RandomState) -> tuple[Array, Array, Array, IntArray, Array]:
        """Contexts, mean rewards, probabilities of the writer, arms and rewards."""
        n, K, d = self.n, self.n_arms, self.dim
        fixed, luck = np.random.RandomState(seed), np.random.RandomState(seed)
        x = draws.normal(size=(n, d))
        z = np.concatenate([np.ones((n, 1)), x], axis=1)
        of_context, of_arm = fixed.uniform(-1.0, 1.0, d + 1), fixed.uniform(-1.0, 1.0, K + 1)
        of_both = z @ fixed.uniform(-1.0, 1.0, (d + 1, K + 1))
        odds = (z @ of_context + of_both[:, 0])[:, np.newaxis] + of_arm[1:] + of_both[:, 1:]
        means = expit((odds - odds.mean()) / odds.std())
        logged = softmax(-3.0 * means, axis=1)
        arms = np.asarray((logged.cumsum(axis=1) > luck.uniform(size=(n, 1))).argmax(axis=1), dtype=np.int64)
        rewards = draws.binomial(1, means[np.arange(n), arms]).astype(np.float64)
        return x, means, logged, arms, rewards


@final
@dataclass(frozen=True, slots=True)
class PublishedDigits(LoggedWorld):
    """The multi-class example of zr-obp on scikit-learn's digits; seeds 0 to 29 are its published runs.

    Reward 1 for the right class (Dudík et al. 2014). Two classifiers are fitted to 30 % of the rows; the others, 1,258,
    are the log. Its writer takes the class of a logistic regression with probability 0.4 and otherwise any; the
    candidate that of a random forest with probability 0.9. The truth is exact.
    """

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        from sklearn.datasets import load_digits
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import train_test_split

        x, labels = load_digits(return_X_y=True)
        for seed in seeds:
            known, points, classes, truth = train_test_split(x, labels, test_size=0.7, random_state=seed)
            forest = RandomForestClassifier(30, max_depth=5, min_samples_leaf=10, random_state=_SEED)
            guess, better = (each.fit(known, classes).predict(points) for each in (_logistic(), forest))
            rows = np.arange(len(points))
            logged, chances = np.full((len(points), 10), 0.06), np.full((len(points), 10), 0.01)
            logged[rows, guess] += 0.4
            chances[rows, better] += 0.9
            luck = np.random.RandomState(seed).uniform(size=(len(points), 1))
            arms = np.asarray((logged.cumsum(axis=1) > luck).argmax(axis=1), dtype=np.int64)
            log = offline.Log(points, arms, (arms == truth).astype(np.float64), logged[rows, arms], 10, learned=False)
            yield WorldCase(log, chances, float(chances[rows, truth].mean()))


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=100.0, max_iter=_LIMIT, random_state=_SEED)


ESTIMATORS: dict[str, offline.ValueEstimator] = {
    "DM": value_estimators.DirectMethod(),
    "IPS": value_estimators.InversePropensity(),
    "SNIPS": value_estimators.SelfNormalized(),
    "DR": value_estimators.DoublyRobust(),
    "SNDR": value_estimators.SelfNormalizedDoublyRobust(),
    "Switch-DR": value_estimators.SwitchDoublyRobust(),
    "DRos": value_estimators.ShrunkDoublyRobust(),
    "clipped": value_estimators.ClippedWeights(),
    "sub-Gaussian IPS": value_estimators.SubGaussianWeights(),
    "sub-Gaussian DR": value_estimators.SubGaussianDoublyRobust(),
    "replay": value_estimators.Replay(),
}
BOUND = "DR, true means"
"""With the true mean rewards in place of a model: no unbiased estimator that does not know them has less variance."""
_NAMES = ("DM", "IPS", "SNIPS", "DR", "SNDR", "Switch-DR", "DRos")


class ErrorCase(NamedTuple):
    """A world, the reward model used there, and, if its first `runs` logs are those of published errors, these."""

    world: LoggedWorld
    model: offline.RewardModel
    runs: int = 0
    published: tuple[float, ...] = ()


_LINEAR = offline.LinearRewards()
_DIGITS_MODEL = offline.RewardsByEstimator(KernelRidge(Gaussian(0.04), 0.03))
"""Of five widths and three ridges the one with the smallest cross-fitted squared error, in logs 100 to 102."""
CASES = {
    "published, K = 30, d = 5": ErrorCase(
        PublishedWorld(), _LINEAR, 20, (0.07439, 0.009481, 0.006665, 0.006175, 0.006118, 0.006175, 0.021951)
    ),
    "K = 10, d = 5": ErrorCase(PublishedWorld(n_arms=10), _LINEAR),
    "K = 10, d = 100": ErrorCase(PublishedWorld(n_arms=10, dim=100), _LINEAR),
    "published, digits": ErrorCase(
        PublishedDigits(), _DIGITS_MODEL, 30, (0.436541, 0.030288, 0.022764, 0.016156, 0.022082, 0.034657, 0.015868)
    ),
}
"""Published are mean relative errors in the examples of zr-obp (2022), whose own reward models are a logistic
regression without interactions and a short boosting."""


def relative_errors(name: str, seeds: range) -> Rows:
    """|estimate − truth|/truth of every estimator for some seeds of a world."""
    world, model = CASES[name][:2]
    for seed, case in zip(seeds, world.cases(seeds), strict=True):
        candidates, split = {"candidate": offline.GivenChances(case.chances)}, offline.folds(len(case.log))
        weighed = offline.weigh(case.log, candidates, model, split, np.random.default_rng(0))["candidate"].rows
        values = {label: estimator.value(weighed) for label, estimator in ESTIMATORS.items()}
        values |= _known(case, weighed)
        for label, value in values.items():
            error = abs(value - case.truth) / case.truth
            yield {"world": name, "estimator": label, "seed": seed, "error": error}


def _known(case: WorldCase, rows: offline.WeightedRows) -> dict[str, float]:
    """DR with the true means, where these are known."""
    if case.means is None:
        return {}
    own = case.means[np.arange(len(rows)), case.log.arms]
    expected = (case.chances * case.means).sum(axis=1)
    return {BOUND: float((expected + rows.weights * (rows.rewards - own)).mean())}


@final
@dataclass(frozen=True, slots=True)
class Errors(StudyPart):
    """Are estimators as near to the truth as those of others? 10,000 rows per log; 1,258 of digits."""

    name: ClassVar[str] = "errors"
    heading: ClassVar[str] = "Relative errors of estimators, {0.seeds} logs per world, and on the logs of zr-obp's"
    seeds: Count = 200

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(name, seeds) for name in CASES for seeds in portions(self.seeds, 10)]
        found = kept(runner, self.name, relative_errors, tasks)
        runs = pl.col("world").replace_strict({name: case.runs for name, case in CASES.items()})
        mean = found.group_by("world", "estimator", maintain_order=True).agg(
            pl.col("error").mean(),
            error_se=(pl.col("error").std() / pl.len().sqrt()).fill_null(0.0),
            on_published=pl.col("error").filter(pl.col("seed") < runs).mean(),
        )
        published = {(w, e): x for w, case in CASES.items() for e, x in zip(_NAMES, case.published, strict=False)}
        keys = mean.select("world", "estimator").iter_rows()
        return mean.with_columns(published=pl.Series([published.get(key) for key in keys], dtype=pl.Float64))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("world", "estimator", "error", "error_se", "on_published", "published")

    def charts(self, rows: pl.DataFrame) -> Charts:
        names, charts = [*ESTIMATORS, BOUND], []
        for world, own in by(rows, "world"):
            places = own.with_columns(place=pl.col("estimator").replace_strict(names, range(len(names))))
            known = places.drop_nulls("published")
            marks: list[Mark] = [Points(places["error"], places["place"], look(0), "here")]
            if len(known):
                marks.append(Points(known["on_published"], known["place"], look(2), "here, on the published logs"))
                marks.append(Points(known["published"], known["place"], look(1), "published"))
            charts.append(Chart(world, marks, Axis("relative error", "log"), Axis(names=names)))
        return Charts(charts, 2, height=7.6, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for world, frame in by(rows, "world"):
            own, runs = {row["estimator"]: row for row in frame.iter_rows(named=True)}, CASES[world].runs
            shown = [own[name] for name in ("DR", "IPS", "DM", BOUND) if name in own]
            told = [f"{row['estimator']} {row['error']:.4f} ± {row['error_se']:.4f}" for row in shown]
            yield f"{world}: {', '.join(told)}"
            if runs:
                pairs = [f"{name} {own[name]['on_published']:.4f} ({own[name]['published']:.4f})" for name in _NAMES]
                few = f", of which {self.seeds} were drawn" if self.seeds < runs else ""
                yield f"on the {runs} published logs{few}, and in brackets as published: {', '.join(pairs)}"
