"""Logs of a made-up bandit, a policy that never learns, and what a policy earns live."""

from dataclasses import dataclass
from typing import final

import numpy as np

import kernelbandits as kb

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


def live_rewards(policy, n, seed, horizon=None):
    """Rewards of the policy when it really plays, and its log."""
    rng = np.random.default_rng(seed)
    agent = policy.start(kb.Problem(K, D, horizon or n), rng.spawn(1)[0])
    x, luck = rng.standard_normal((n, D)), rng.random(n)
    chances, arms, rewards, propensities = mean_reward(x), np.empty(n, dtype=int), np.empty(n), np.empty(n)
    for t in range(n):
        decision = agent.choose(x[t])
        arms[t], propensities[t] = decision.arm, decision.propensity
        rewards[t] = float(luck[t] < chances[t, decision.arm])
        agent.observe(x[t], decision.arm, rewards[t])
    return rewards, kb.Log(x, arms, rewards, propensities, K)


def written_log(policy, n, seed):
    """A log that the policy wrote."""
    return live_rewards(policy, n, seed)[1]


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


@final
@dataclass(frozen=True, slots=True)
class Gamble(kb.Policy):
    """One arm, drawn before the first round: runs differ by nothing but this."""

    def learner(self, problem, rng):
        return _AlwaysLearner(int(rng.integers(problem.n_arms)), problem.n_arms)
