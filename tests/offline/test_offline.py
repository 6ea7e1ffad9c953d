from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile

K, D = 3, 4
POLICY = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(2.0), 0.1), n_explore=30)


def mean_reward(x):
    """What each arm gives on average, shape (n, K)."""
    return 0.5 + 0.4 * np.stack([np.tanh(2 * x[:, 0]), np.tanh(-2 * x[:, 0]), np.sin(2 * x[:, 1])], axis=1)


def made_log(n, seed, skewed):
    """A log of a policy that plays with chances that favour a poor arm if `skewed`, equal ones otherwise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, D))
    chances = np.full((n, K), 1 / K)
    if skewed:
        chances = np.where(x[:, :1] > 0, [[0.2, 0.6, 0.2]], [[0.6, 0.2, 0.2]])
    arms = np.array([rng.choice(K, p=p) for p in chances])
    rewards = (rng.random(n) < mean_reward(x)[np.arange(n), arms]).astype(float)
    return kb.Log(x, arms, rewards, chances[np.arange(n), arms], K)


def live(policy, horizon, seed):
    """Average reward of the policy when it really plays."""
    rng = np.random.default_rng(seed)
    agent = policy.start(kb.Problem(K, D, horizon), rng.spawn(1)[0])
    total = 0.0
    for _ in range(horizon):
        x = rng.standard_normal((1, D))
        arm = agent.choose(x[0]).arm
        reward = float(rng.random() < mean_reward(x)[0, arm])
        agent.observe(x[0], arm, reward)
        total += reward
    return total / horizon


@pytest.mark.parametrize("skewed", [False, True], ids=["uniform", "skewed"])
def test_the_first_rounds_of_a_replay_earn_what_they_earn_live(skewed):
    m, n_logs = 80, 60
    found = []
    for seed in range(n_logs):
        replayed = kb.replay_log(POLICY, made_log(700, seed, skewed), rng=seed)
        assert len(replayed.rewards) >= m
        found.append(replayed.rewards[:m].mean())
    truth = np.array([live(POLICY, m, 1000 + seed) for seed in range(3 * n_logs)])
    error = np.hypot(np.std(found, ddof=1) / np.sqrt(n_logs), np.std(truth, ddof=1) / np.sqrt(len(truth)))
    assert abs(np.mean(found) - truth.mean()) < 3 * error
    naive = [log.rewards.mean() for log in (made_log(700, seed, skewed) for seed in range(n_logs))]
    assert abs(np.mean(naive) - truth.mean()) > 5 * error, "the log's own average is something else"


def test_the_standard_error_covers_the_truth_of_a_fixed_policy():
    truth = mean_reward(np.random.default_rng(9).standard_normal((200_000, D)))[:, 1].mean()
    errors = []
    for seed in range(80):
        replayed = kb.replay_log(Always(1), made_log(300, seed, skewed=True), rng=seed)
        errors.append((replayed.mean - truth) / replayed.standard_error)
    inside = np.mean(np.abs(errors) < 1.96)
    assert 0.88 <= inside <= 1.0
    assert abs(np.mean(errors)) < 0.4


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
    log = kb.Log(np.eye(3), np.array([0, 0, 0]), np.ones(3), np.full(3, 0.5), n_arms=2)
    with pytest.raises(InvalidArgument, match="agrees with none of its 3 rows"):
        kb.replay_log(Always(1), log, rng=0)


@pytest.mark.parametrize("chance", [0.0, -0.1, 1.1, np.nan])
def test_a_propensity_must_be_a_chance(chance):
    with pytest.raises(InvalidArgument, match="propensities must be"):
        kb.Log(np.eye(3), np.zeros(3, dtype=int), np.ones(3), np.array([0.5, chance, 0.5]), n_arms=2)


@pytest.mark.parametrize("arms", [[0, 1, 2], [0, -1, 1], [0.0, 1.0, 1.0], [0, 1]])
def test_arms_must_be_those_of_the_log(arms):
    with pytest.raises(InvalidArgument, match="arms must be 3 whole numbers from 0 to 1"):
        kb.Log(np.eye(3), np.array(arms), np.ones(3), np.full(3, 0.5), n_arms=2)


def log_table(path, **columns):
    plain = {"x": [0.5, 1.0, 2.0, 4.0], "arm": ["b", "a", "b", "a"], "reward": [1, 0, 0, 1], "propensity": [0.5] * 4}
    pl.DataFrame(plain | columns).write_csv(path)
    return kb.LogFile(path)


def test_a_log_from_a_file(tmp_path):
    log = log_table(tmp_path / "log.csv").read()
    assert log.names == ("a", "b")
    assert log.arms.tolist() == [1, 0, 1, 0]
    assert log.rewards.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert log.contexts.shape == (4, 1)
    assert len(log) == 4


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"propensity": [0.5, 0.0, 0.5, 0.5]},
            r"log\.csv: row 2 .*'propensity' is 0 .*expected a probability",
        ),
        ({"propensity": [0.5, 0.5, -1.0, 0.5]}, r"log\.csv: row 3 .*'propensity' is -1"),
        ({"propensity": [0.5, 0.5, None, 0.5]}, r"log\.csv: row 3 .*'propensity' is empty"),
        ({"propensity": ["half"] * 4}, "column 'propensity' is not numeric"),
        ({"reward": [1, None, 0, 0]}, r"row 2 .*'reward' is empty"),
    ],
)
def test_a_log_that_cannot_be_weighed_is_refused(columns, words, tmp_path):
    with pytest.raises(InvalidFile, match=words):
        log_table(tmp_path / "log.csv", **columns).read()


def test_a_log_without_propensities_is_refused(tmp_path):
    pl.DataFrame({"x": [1, 2], "arm": [0, 1], "reward": [0, 1]}).write_csv(tmp_path / "log.csv")
    with pytest.raises(InvalidFile, match=r"log\.csv has no column 'propensity'"):
        kb.LogFile(tmp_path / "log.csv").read()


@final
@dataclass(frozen=True, slots=True)
class Always(kb.Policy):
    """One arm, whatever is shown."""

    arm: int

    def learner(self, problem, rng):
        return _AlwaysLearner(self.arm, problem.n_arms)


class _AlwaysLearner(kb.Learner):
    def __init__(self, arm, n_arms):
        self._choice = kb.Choice(arm, 1.0, np.zeros(n_arms), explored=False)

    def decide(self, contexts, eligible):
        return self._choice

    def observe(self, context, arm, reward):
        pass
