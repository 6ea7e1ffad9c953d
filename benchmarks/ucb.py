"""CGP-UCB in simulation and live, against the same algorithm written with other tools; the default policy live.

All use the paper's width. The loops update ln det(I + λ⁻²K) by the determinant lemma: an observation with posterior
variance v adds ln(1 + v/λ²).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from benchmarks.cases import Case
from kernelbandits import (
    GPUCB,
    AsGiven,
    Gaussian,
    GaussianProcess,
    LowRank,
    Policy,
    Problem,
    Rounds,
    Synthetic,
    TheoreticalWidth,
    default_policy,
    replay,
)
from kernelbandits.errors import MissingKnowledge
from kernelbandits.types import Array, IntArray

GAMMA, RIDGE, DELTA = 4.0, 1.0, 0.1

Predict = Callable[[int, Array], tuple[float, float]]
Learn = Callable[[int, Array, float], None]


def _play(rounds: Rounds, problem: Problem, predict: Predict, learn: Learn) -> IntArray:
    if problem.noise_std is None or problem.reward_norms is None:
        raise MissingKnowledge("the widths of these loops need a problem with noise_std and reward_norms")
    n_arms = problem.n_arms
    log_det = np.zeros(n_arms)
    arms = np.empty(len(rounds), dtype=np.int64)
    for t, contexts in enumerate(rounds.contexts):
        pairs = np.array([predict(i, contexts[i]) for i in range(n_arms)])
        confidence = np.sqrt(2.0 * log_det + 2.0 * np.log(n_arms / DELTA))
        beta = problem.reward_norms + problem.noise_std**2 / np.sqrt(RIDGE) * confidence
        arm = int(np.argmax(pairs[:, 0] + beta * np.sqrt(pairs[:, 1])))
        log_det[arm] += np.log1p(pairs[arm, 1] / RIDGE)
        learn(arm, contexts[arm], float(rounds.means[t, arm] + rounds.noise[t]))
        arms[t] = arm
    return arms


def plain_incremental(rounds: Rounds, problem: Problem) -> IntArray:
    """One Cholesky factor per arm, one row appended per observation; one kernel call and solve per arm and round."""
    kernel = Gaussian(GAMMA)
    X = [np.empty((0, problem.dim)) for _ in range(problem.n_arms)]
    L = [np.empty((0, 0)) for _ in range(problem.n_arms)]
    whitened_y = [np.empty(0) for _ in range(problem.n_arms)]

    def whiten(i: int, x: Array) -> Array:
        return solve_triangular(L[i], kernel(X[i], x[np.newaxis])[:, 0], lower=True)

    def predict(i: int, x: Array) -> tuple[float, float]:
        if not len(X[i]):
            return 0.0, 1.0
        v = whiten(i, x)
        return float(v @ whitened_y[i]), float(1.0 - v @ v)

    def learn(i: int, x: Array, reward: float) -> None:
        n = len(X[i])
        v = whiten(i, x) if n else np.empty(0)
        pivot = np.sqrt(1.0 + RIDGE - v @ v)
        larger = np.zeros((n + 1, n + 1))
        larger[:n, :n], larger[n, :n], larger[n, n] = L[i], v, pivot
        L[i], X[i] = larger, np.vstack([X[i], x])
        whitened_y[i] = np.append(whitened_y[i], (reward - v @ whitened_y[i]) / pivot)

    return _play(rounds, problem, predict, learn)


def scikit_learn(rounds: Rounds, problem: Problem) -> IntArray:
    """scikit-learn's GaussianProcessRegressor, refitted for the arm that got an observation."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    kernel = RBF(np.sqrt(problem.dim / (2.0 * GAMMA)), "fixed")
    data: list[list[tuple[Array, float]]] = [[] for _ in range(problem.n_arms)]
    models: list[Any] = [None] * problem.n_arms

    def predict(i: int, x: Array) -> tuple[float, float]:
        if models[i] is None:
            return 0.0, 1.0
        mean, std = models[i].predict(x[np.newaxis], return_std=True)
        return float(mean[0]), float(std[0] ** 2)

    def learn(i: int, x: Array, reward: float) -> None:
        data[i].append((x, reward))
        points, targets = zip(*data[i], strict=True)
        model = GaussianProcessRegressor(kernel, alpha=RIDGE, optimizer=None)
        models[i] = model.fit(np.array(points), np.array(targets))

    return _play(rounds, problem, predict, learn)


def botorch(rounds: Rounds, problem: Problem) -> IntArray:
    """BoTorch's SingleTaskGP with `condition_on_observations`."""
    import torch
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import RBFKernel
    from gpytorch.means import ZeroMean

    torch.set_num_threads(1)
    models: list[Any] = [None] * problem.n_arms

    def tensor(value: Any) -> Any:
        return torch.as_tensor(np.asarray(value, dtype=np.float64))

    def predict(i: int, x: Array) -> tuple[float, float]:
        if models[i] is None:
            return 0.0, 1.0
        with torch.no_grad():
            posterior = models[i].posterior(tensor(x[np.newaxis]))
            return float(posterior.mean), float(posterior.variance)

    def learn(i: int, x: Array, reward: float) -> None:
        point, target, noise = tensor(x[np.newaxis]), tensor([[reward]]), tensor([[RIDGE]])
        if models[i] is not None:
            models[i] = models[i].condition_on_observations(point, target, noise=noise)
            return
        kernel = RBFKernel()
        model = SingleTaskGP(
            point, target, noise, mean_module=ZeroMean(), covar_module=kernel, outcome_transform=None
        ).double()
        kernel.lengthscale = np.sqrt(problem.dim / (2.0 * GAMMA))
        models[i] = model.eval()

    return _play(rounds, problem, predict, learn)


POLICY = GPUCB(GaussianProcess(Gaussian(GAMMA), RIDGE), TheoreticalWidth(DELTA), AsGiven())


@cache
def world(horizon: int) -> tuple[Rounds, Problem]:
    """The paper's low-rank design, K = 20, d = 100."""
    instance = Synthetic(LowRank()).draw(np.random.default_rng(0))
    return instance.rounds(horizon, np.random.default_rng(1)), instance.problem(horizon)


def ours(horizon: int) -> IntArray:
    """Play rounds that were drawn beforehand, as `play` does."""
    rounds, problem = world(horizon)
    return replay(POLICY, problem, rounds, np.random.default_rng(2)).arms


def live(horizon: int, policy: Policy = POLICY) -> IntArray:
    """Use `choose` and `observe` as in production: nothing is known of the rounds ahead."""
    rounds, problem = world(horizon)
    agent = policy.start(problem, np.random.default_rng(2))
    arms = np.empty(horizon, dtype=np.int64)
    for t, contexts in enumerate(rounds.contexts):
        arm = arms[t] = agent.choose(contexts).arm
        agent.observe(contexts[arm], int(arm), float(rounds.means[t, arm] + rounds.noise[t]))
    return arms


def _against_peers(horizon: int) -> Mapping[str, Callable[[], Any]]:
    rounds, problem = world(horizon)
    contenders: dict[str, Callable[[], Any]] = {
        "ours": partial(ours, horizon),
        "plain incremental": partial(plain_incremental, rounds, problem),
        "scikit-learn": partial(scikit_learn, rounds, problem),
    }
    if find_spec("botorch"):
        contenders["BoTorch"] = partial(botorch, rounds, problem)
    return contenders


def _live(horizon: int) -> Mapping[str, Callable[[], Any]]:
    rounds, problem = world(horizon)
    return {"ours": partial(live, horizon), "plain incremental": partial(plain_incremental, rounds, problem)}


def _default_live(horizon: int) -> Mapping[str, Callable[[], Any]]:
    return {**_live(horizon), "ours": partial(live, horizon, default_policy())}


def cases() -> Iterator[Case]:
    """Yield T = 1000 and 2000 in simulation, T = 1000 live."""
    title = "CGP-UCB, K = 20, d = 100, T = {}, one thread, `play`"
    goals = {"plain incremental": 12, "scikit-learn": 60, "BoTorch": 150}
    yield Case("ucb-1000", title.format(1000), partial(_against_peers, 1000), goals=goals, same=True)
    goals = {"plain incremental": 9, "scikit-learn": 40, "BoTorch": 100}
    yield Case("ucb-2000", title.format(2000), partial(_against_peers, 2000), goals=goals, same=True)
    title = "CGP-UCB, K = 20, d = 100, T = 1000, one thread, live `choose` and `observe`"
    yield Case("ucb-live", title, partial(_live, 1000), goals={"plain incremental": 5}, same=True)
    title = "default_policy(), K = 20, d = 100, T = 1000, one thread, live; the plain loop is CGP-UCB, as a yardstick"
    yield Case("default-live", title, partial(_default_live, 1000))
