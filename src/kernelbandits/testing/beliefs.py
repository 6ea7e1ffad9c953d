"""The contract of every belief."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits.beliefs import Belief, Prefetched, Tracker
from kernelbandits.errors import KernelBanditsError
from kernelbandits.problem import Problem
from kernelbandits.testing.specs import check_spec
from kernelbandits.types import Array, IntArray


def check_belief(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """The contract of a tracker: usable answers whatever is observed, the same ones with prefetching, and new arms."""
    check_spec(belief)
    data = _Observations.draw(n_arms, dim, seed)
    problem, asked = Problem(n_arms, dim), np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    _check_answers(belief, problem, data)
    twin, tracker = data.tell(belief.start(problem, rng=seed)), data.tell(belief.start(problem, rng=seed))
    answers = tracker.mean_and_std(asked)
    assert np.array_equal(twin.mean_and_std(asked), answers), f"{belief}: the same seed and rewards, other answers"
    for array in twin.mean_and_std(asked):
        array += 1e3
    assert np.array_equal(twin.mean_and_std(asked), answers), f"{belief}: answers must be new arrays, the caller's own"
    copy = pickle.loads(pickle.dumps(tracker))
    for each in (copy, tracker):
        data.tell(each)
    same = np.allclose(copy.mean_and_std(asked), tracker.mean_and_std(asked), rtol=1e-9, atol=1e-9)
    assert same, f"{belief}: a copy of the tracker does not go on as the original"
    _check_prefetching(belief, problem, data)
    _check_another_arm(belief, problem, data)
    for what, hostile in data.part(np.arange(24)).hostile().items():
        tracker = hostile.tell(belief.start(problem, rng=seed))
        _check_usable(f"{belief}, {what}", tracker, hostile.contexts[: 2 * n_arms].reshape(2, n_arms, dim))
        size = float(np.abs(tracker.mean_and_std(hostile.contexts[:n_arms])[0]).max())
        most = float(np.abs(hostile.rewards).max())
        assert size <= 3.0 * most, f"{belief}, {what}: means up to {size:.2g} for rewards up to {most:.2g}"


def check_belief_in_any_order(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """The order in which rewards arrive is forgotten at the latest when their number has grown by half."""
    data, n = _Observations.draw(n_arms, dim, seed), 27
    asked = np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    apart = np.inf
    for count in range(n, n + n // 2 + 1):
        first, other = (
            data.part(rows).tell(belief.start(Problem(n_arms, dim), rng=seed)).mean_and_std(asked)
            for rows in (np.arange(count), np.random.default_rng(count).permutation(count))
        )
        apart = min(apart, float(np.abs(np.subtract(first, other)).max()))
        if apart < 1e-7:
            return
    raise AssertionError(f"{belief}: {n} to {n + n // 2} rewards in another order change answers by {apart:.2g}")


def check_belief_in_any_unit(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """Rewards that are shifted and scaled shift and scale the answers."""
    data, problem = _Observations.draw(n_arms, dim, seed), Problem(n_arms, dim)
    asked = np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    for count in (n_arms + 2, 29, 42):
        part = data.part(np.arange(count))
        mean, std = part.tell(belief.start(problem, rng=seed)).mean_and_std(asked)
        for scale, shift in ((1e4, 100.0), (1e-6, 0.0), (1.0, -1e4)):
            other = replace(part, rewards=scale * part.rewards + shift)
            moved, wider = other.tell(belief.start(problem, rng=seed)).mean_and_std(asked)
            what = f"{belief}: {count} rewards × {scale:g} + {shift:g}"
            assert np.allclose((moved - shift) / scale, mean, rtol=1e-6, atol=1e-6), f"{what} change means otherwise"
            assert np.allclose(wider / scale, std, rtol=1e-6, atol=1e-6), f"{what} change deviations otherwise"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Observations:
    """Contexts (n, d), arms (n,) and rewards (n,) in the order of arrival."""

    contexts: Array
    arms: IntArray
    rewards: Array

    @classmethod
    def draw(cls, n_arms: int, dim: int, seed: int) -> _Observations:
        rng, n = np.random.default_rng(seed), 45
        contexts, arms = rng.standard_normal((n, dim)), rng.permutation(np.arange(n) % n_arms)
        return cls(contexts, arms, np.tanh(contexts[:, 0]) + 0.3 * arms + 0.1 * rng.standard_normal(n))

    def part(self, rows: IntArray) -> _Observations:
        return _Observations(self.contexts[rows], self.arms[rows], self.rewards[rows])

    def tell(self, tracker: Tracker) -> Tracker:
        for context, arm, reward in zip(self.contexts, self.arms, self.rewards, strict=True):
            tracker.observe(context, int(arm), float(reward))
        return tracker

    def hostile(self) -> dict[str, _Observations]:
        """Observations that trip up beliefs."""
        X, n = self.contexts, len(self.contexts)
        constant, one_hot = X.copy(), np.eye(X.shape[1])[np.arange(n) % X.shape[1]]
        constant[:, -1] = 1e8
        found = {
            "contexts far from the origin": replace(self, contexts=X + 1e7),
            "a large constant feature": replace(self, contexts=constant),
            "few different contexts": replace(self, contexts=X[np.arange(n) % 5]),
            "one-hot contexts": replace(self, contexts=one_hot),
            "contexts that are all the same": replace(self, contexts=np.ones_like(X)),
            "contexts that are all 0": replace(self, contexts=np.full_like(X, 1e-300)),
            "rewards around 10⁹": replace(self, rewards=self.rewards + 1e9),
            "one arm far below": replace(self, rewards=self.rewards - 3e4 * (self.arms == 0)),
        }
        return found | {f"rewards that are all {y}": replace(self, rewards=np.full(n, y)) for y in (0.0, 0.1, 0.7)}


def _check_usable(who: str, tracker: Tracker, rounds: Array) -> None:
    for shown in rounds:
        mean, std = tracker.mean_and_std(shown)
        assert mean.shape == std.shape == (len(shown),), f"{who}: answers have shapes {mean.shape} and {std.shape}"
        assert np.isfinite(mean).all(), f"{who}: means are not finite: {mean}"
        assert np.isfinite(std).all(), f"{who}: deviations are not finite: {std}"
        assert (std >= 0.0).all(), f"{who}: a deviation is negative: {std}"


def _check_answers(belief: Belief, problem: Problem, data: _Observations) -> None:
    """Answers are usable after every reward."""
    tracker, rounds = belief.start(problem), data.contexts[: problem.n_arms][np.newaxis]
    for row in range(len(data.rewards)):
        _check_usable(f"{belief} after {row} rewards", tracker, rounds)
        data.part(np.array([row])).tell(tracker)


def _check_prefetching(belief: Belief, problem: Problem, data: _Observations) -> None:
    """Rewards come at once, late, twice, and at contexts that were not announced."""
    rng, late = np.random.default_rng(0), []
    plain, ahead = belief.start(problem), belief.start(problem)
    for size in (1, 6, 13):
        block = Prefetched(rng.standard_normal((size, problem.n_arms, problem.dim)))
        ahead.prefetch(block)
        for row, shown in enumerate(block):
            same = np.allclose(plain.mean_and_std(shown), ahead.mean_and_std(shown), rtol=1e-7, atol=1e-8)
            assert same, f"{belief}: prefetching {size} rounds changed an answer"
            arm = int(data.arms[row])
            late.append((shown[arm], arm, float(data.rewards[row])))
            due = [late[-1]] * (1 + row % 2) if row % 3 else [late[0], (data.contexts[row], arm, 0.5)]
            for each in (plain, ahead):
                for context, played, reward in due:
                    each.observe(context, played, reward)
    ahead.prefetch(None)
    shown = data.contexts[: problem.n_arms]
    same = np.allclose(plain.mean_and_std(shown), ahead.mean_and_std(shown), rtol=1e-7, atol=1e-8)
    assert same, f"{belief}: prefetched rounds that were forgotten changed an answer"


def _check_another_arm(belief: Belief, problem: Problem, data: _Observations) -> None:
    """A new arm can be asked about and learned from; a belief that refuses it answers as before."""
    tracker, shown = data.tell(belief.start(problem)), data.contexts[: problem.n_arms + 1]
    before = tracker.mean_and_std(shown[:-1])
    try:
        tracker.add_arm(problem.with_another_arm())
    except KernelBanditsError:
        assert np.array_equal(tracker.mean_and_std(shown[:-1]), before), f"{belief}: refusing an arm changed an answer"
        return
    after = np.array(tracker.mean_and_std(shown))[:, :-1]
    assert np.allclose(after, before, rtol=1e-9, atol=1e-9), f"{belief}: a new arm changed what is known of the others"
    for _ in range(3):
        _check_usable(f"{belief} with another arm", tracker, shown[np.newaxis])
        data.tell(tracker)
        for _ in range(5):
            tracker.observe(shown[-1] + 4.0, problem.n_arms, 5.0)
    mean = tracker.mean_and_std(shown + 4.0)[0]
    assert mean[-1] > 2.0, f"{belief}: where a new arm had rewards of 5, it has the mean {mean[-1]:.2g}"
