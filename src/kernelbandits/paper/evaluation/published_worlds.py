"""The worlds for which zr-obp publishes errors, log for log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.special import expit, softmax

from kernelbandits.offline import Log
from kernelbandits.paper.evaluation.worlds import LoggedWorld, WorldCase
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
            log = Log(x, arms, rewards, logged[np.arange(self.n), arms], self.n_arms, learned=False)
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
            log = Log(points, arms, (arms == truth).astype(np.float64), logged[rows, arms], 10, learned=False)
            yield WorldCase(log, chances, float(chances[rows, truth].mean()))


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=100.0, max_iter=_LIMIT, random_state=_SEED)
