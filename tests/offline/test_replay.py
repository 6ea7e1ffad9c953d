from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from made_logs import POLICY, Always, Gamble, K, live_rewards, made_log, written_log

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument


@pytest.mark.parametrize("skewed", [False, True], ids=["uniform", "skewed"])
def test_the_first_rounds_of_a_replay_earn_what_they_earn_live(skewed):
    m, n_logs = 60, 40
    found = []
    for seed in range(n_logs):
        replayed = kb.replay_log(POLICY, made_log(700, seed, skewed), rng=seed, n_resamples=0)
        assert len(replayed.rewards) >= m
        found.append(replayed.rewards[:m].mean())
    truth = np.array([live_rewards(POLICY, m, 1000 + seed)[0].mean() for seed in range(3 * n_logs)])
    error = np.hypot(np.std(found, ddof=1) / np.sqrt(n_logs), np.std(truth, ddof=1) / np.sqrt(len(truth)))
    assert abs(np.mean(found) - truth.mean()) < 3 * error
    naive = [log.rewards.mean() for log in (made_log(700, seed, skewed) for seed in range(n_logs))]
    assert abs(np.mean(naive) - truth.mean()) > 5 * error, "the log's own average is something else"


def test_exploration_counts_only_the_rounds_that_were_played():
    replayed = kb.replay_log(POLICY, made_log(600, 0, skewed=False), rng=0)
    assert replayed.arms[:30].tolist() == list(range(K)) * 10, "round-robin over the rows that count"


def test_a_uniform_log_loses_only_the_rows_of_other_arms():
    log = made_log(300, 0, skewed=False)
    replayed = kb.replay_log(Always(2), log, rng=0)
    assert replayed.rows.tolist() == np.flatnonzero(log.arms == 2).tolist()
    assert replayed.n_rows == 300
    assert np.array_equal(replayed.rewards, log.rewards[replayed.rows])


def test_a_policy_that_never_agrees_is_refused():
    log = kb.Log(np.eye(2), np.array([0, 1]), np.ones(2), np.full(2, 0.5), n_arms=2)
    with pytest.raises(InvalidArgument, match="agrees with none of its 2 rows"):
        kb.replay_log(Contrary(), log, rng=0)


def test_one_seed_is_one_replay_whatever_is_resampled():
    log = made_log(200, 0, skewed=True)
    first, again = (kb.replay_log(POLICY, log, rng=3, n_resamples=4) for _ in range(2))
    assert np.array_equal(first.resampled_means, again.resampled_means)
    assert len(np.unique(first.resampled_means)) == 4
    assert np.array_equal(first.rows, kb.replay_log(POLICY, log, rng=3, n_resamples=0).rows)
    other = kb.replay_log(POLICY, log, rng=4, n_resamples=4)
    assert not np.array_equal(first.rows, other.rows)
    assert not np.array_equal(first.resampled_means, other.resampled_means)


def test_the_error_of_a_fixed_policy_is_that_of_a_mean():
    """Nothing is learned, so the rewards' own spread tells the error as well: s/√m."""
    for seed, skewed in enumerate([False, True]):
        replayed = kb.replay_log(Always(1), made_log(400, seed, skewed), rng=seed, n_resamples=60)
        expected = replayed.rewards.std(ddof=1) / np.sqrt(len(replayed.rewards))
        assert replayed.standard_error == pytest.approx(expected, rel=0.25)


def test_the_error_shows_how_much_runs_of_the_policy_differ():
    """Three arms that give 0, 1 and 2, and a policy that settles for one at random: the truth is 1 ± √(2/3)."""
    log = made_log(150, 0, skewed=False)
    log = kb.Log(log.contexts, log.arms, log.arms.astype(float), log.propensities, K)
    replayed = kb.replay_log(Gamble(), log, rng=0, n_resamples=100)
    assert replayed.rewards.std() == 0.0, "a single run knows nothing of it"
    assert replayed.standard_error == pytest.approx(np.sqrt(2 / 3), rel=0.15)


def test_resampled_logs_have_other_rows_of_the_same_distribution():
    log = made_log(900, 5, skewed=True)
    by_weight = np.average(log.rewards[log.arms == 0], weights=1 / log.propensities[log.arms == 0])
    means = kb.replay_log(Always(0), log, rng=1, n_resamples=64).resampled_means
    assert means.mean() == pytest.approx(by_weight, abs=4 * means.std() / 8)


def test_resampled_logs_have_another_order():
    """In the order of the log a row that was drawn twice would come twice in a row."""
    log, shown = made_log(60, 0, skewed=False), []
    log = kb.Log(np.arange(60.0)[:, np.newaxis], log.arms, log.rewards, log.propensities, K)
    kb.replay_log(Watching(shown), log, rng=0, n_resamples=1)
    first, again = shown[:60], shown[60:]
    assert first == list(range(60))
    assert len(set(again)) < 60 == len(again)
    assert 15 < np.sum(np.diff(again) < 0) < 45


@pytest.mark.parametrize("n_resamples", [0, 1])
def test_without_resampled_logs_no_error_is_stated(n_resamples):
    assert np.isnan(kb.replay_log(Always(0), made_log(50, 0, skewed=False), 0, n_resamples=n_resamples).standard_error)


def test_runs_without_a_round_leave_no_error():
    log = kb.Log(np.eye(2), np.array([0, 1]), np.ones(2), np.full(2, 0.5), n_arms=2)
    assert np.isnan(kb.replay_log(Always(0), log, rng=0).standard_error), "half of the resampled logs lack arm 0"


@pytest.mark.parametrize("n_resamples", [-1, 2.5])
def test_the_number_of_resampled_logs_is_checked(n_resamples):
    with pytest.raises(InvalidArgument, match="n_resamples"):
        kb.replay_log(Always(0), made_log(50, 0, skewed=False), 0, n_resamples=n_resamples)


def test_the_policy_is_told_how_many_rounds_to_expect():
    told = []
    for skewed, floor, rounds in [(True, None, 60), (False, None, 100), (False, 0.3, 90)]:
        kb.replay_log(Listening(told), made_log(300, 1, skewed), rng=0, floor=floor, n_resamples=0)
        assert told.pop().horizon == rounds
    problem = kb.Problem(K, 4, horizon=7)
    kb.replay_log(Listening(told), made_log(300, 1, skewed=True), rng=0, problem=problem, n_resamples=1)
    assert told == [problem, problem]


LOGGERS = {"Uniform": (kb.Uniform(), 400), "floor": (kb.ExplorationFloor(kb.LinearUCB(), epsilon=0.1), 1000)}
LEARNERS = {
    "default_policy": kb.default_policy(),
    "LinearUCB": kb.LinearUCB(),
    "Uniform": kb.Uniform(),
    "ExploreThenCommit": POLICY,
}


@pytest.mark.slow
@pytest.mark.parametrize("logger", LOGGERS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_interval_covers_the_live_value(learner, logger):
    """95 % intervals of 200 logs against the average of 400 live runs; 0.90 is more than three errors below 0.95."""
    (writer, n), policy, longest = LOGGERS[logger], LEARNERS[learner], 220
    horizon = round(n / K) if logger == "Uniform" else round(0.1 * n)
    curves = [live_rewards(policy, longest, 5000 + seed, horizon)[0] for seed in range(400)]
    truth = np.cumsum(np.mean(curves, axis=0)) / np.arange(1, longest + 1)
    inside = []
    for seed in range(200):
        log = written_log(writer, n, seed)
        replayed = kb.replay_log(policy, log, rng=seed)
        inside.append(replayed.interval(0.95).covers(truth[len(replayed.rows) - 1]))
    assert np.mean(inside) >= 0.90


@final
@dataclass(frozen=True, slots=True)
class Listening(kb.Policy):
    """Plays at random, and keeps the problem that it was told."""

    told: list

    def _validate(self):
        pass

    def learner(self, problem, rng):
        self.told.append(problem)
        return kb.Uniform().learner(problem, rng)


@final
@dataclass(frozen=True, slots=True)
class Contrary(kb.Policy):
    """Each round the other of two arms than the log of the test has."""

    def learner(self, problem, rng):
        return _ContraryLearner()


class _ContraryLearner(kb.Learner):
    def decide(self, contexts, eligible):
        return kb.Choice(1 - int(contexts[0].argmax()), 1.0, np.zeros(2), explored=False)

    def observe(self, context, arm, reward):
        pass


@final
@dataclass(frozen=True, slots=True)
class Watching(kb.Policy):
    """Plays arm 0, and keeps the first feature of every context."""

    shown: list

    def _validate(self):
        pass

    def learner(self, problem, rng):
        return _WatchingLearner(self.shown)


class _WatchingLearner(kb.Learner):
    def __init__(self, shown):
        self._shown = shown

    def decide(self, contexts, eligible):
        self._shown.append(contexts[0, 0])
        return kb.Choice(0, 1.0, np.zeros(K), explored=False)

    def observe(self, context, arm, reward):
        pass


def test_an_interval_needs_resampled_logs():
    replayed = kb.replay_log(Always(0), made_log(60, 0, skewed=False), 0, n_resamples=0)
    with pytest.raises(InvalidArgument, match="needs at least two resampled logs; n_resamples was 0"):
        replayed.interval()


def test_an_interval_is_as_wide_as_its_level_says():
    """Of three resampled logs: Student's t with two degrees of freedom has its quantiles in closed form."""
    log = made_log(60, 0, skewed=False)
    replayed = kb.replay_log(Always(0), log, 0, n_resamples=3)
    for level in (0.5, 0.9, 0.95):
        t = level * np.sqrt(2.0 / (1.0 - level**2))
        half = t * np.std(replayed.resampled_means, ddof=1) * np.sqrt(4.0 / 3.0)
        assert replayed.interval(level) == pytest.approx((replayed.mean - half, replayed.mean + half))


def test_contexts_of_every_arm_and_eligible_arms_are_replayed():
    """Live, the policy would earn what its best eligible arm gives: 0.9 where it has the feature, else 0.1."""
    rng = np.random.default_rng(5)
    n = 1200
    eligible = rng.random((n, 3)) < 0.6
    eligible[np.arange(n), rng.integers(3, size=n)] = True
    x = (rng.random((n, 3, 2)) < 0.4).astype(float)
    chances = eligible / eligible.sum(axis=1, keepdims=True)
    arms = (chances.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    rewards = (rng.random(n) < 0.1 + 0.8 * x[np.arange(n), arms, 0]).astype(float)
    log = kb.Log(x, arms, rewards, chances[np.arange(n), arms], 3, eligible=eligible)
    replayed = kb.replay_log(kb.LinearUCB(), log, rng=1, n_resamples=0)
    best = 0.1 + 0.8 * (x[..., 0] * eligible).max(axis=1).mean()
    uniform = 0.1 + 0.8 * (x[..., 0] * chances).sum(axis=1).mean()
    assert len(replayed.rows) == pytest.approx(n / 3, rel=0.2)
    assert replayed.mean > 0.5 * (best + uniform), "it learns from the context of the arm that was played"
