"""One decision, and a batch of decisions, through the public interface, beside other libraries at the same size.

These are linear, so they do less work than ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import seconds
from kernelbandits import Agent, ExploreThenCommit, Gaussian, MinNormInterpolator, Problem
from kernelbandits.types import Array


def each(decide: Callable[[Any], Any], items: Sequence[Any]) -> Callable[[], None]:
    """Return a run that decides for all items, one after the other."""

    def run() -> None:
        for item in items:
            decide(item)

    return run


def vowpal_wabbit(shown: Sequence[Array]) -> Callable[[], Any]:
    """`--cb_explore_adf` with one action per arm, from the contexts as numbers, as in a service."""
    workspace = _trained_workspace(shown)
    return each(lambda contexts: workspace.predict(_lines(contexts)), shown)


def vowpal_wabbit_parsed(shown: Sequence[Array]) -> Callable[[], Any]:
    """The same with parsed examples: the linear product alone."""
    workspace = _trained_workspace(shown)
    return each(workspace.predict, [workspace.parse(_lines(contexts)) for contexts in shown])


def _trained_workspace(shown: Sequence[Array]) -> Any:
    from vowpalwabbit import Workspace

    workspace = Workspace("--cb_explore_adf --quiet")
    for contexts in shown[:20]:
        workspace.learn(_lines(contexts, "0:1.0:0.05"))
    return workspace


def _lines(contexts: Array, label: str = "") -> list[str]:
    rows = [" ".join(f"{j}:{value:.6f}" for j, value in enumerate(row)) for row in contexts]
    return [f"{label if i == 0 else ''} |f {row}" for i, row in enumerate(rows)]


def mabwiser(shown: Sequence[Array]) -> Callable[[], Any]:
    """LinUCB on a shared context, one row at a time."""
    from mabwiser.mab import MAB, LearningPolicy

    rng = np.random.default_rng(0)
    n_arms, dim = shown[0].shape
    model = MAB(list(range(n_arms)), LearningPolicy.LinUCB(alpha=1.0))
    model.fit(np.arange(400) % n_arms, rng.standard_normal(400), rng.standard_normal((400, dim)))
    return each(lambda contexts: model.predict(contexts[:1]), shown)


def contextualbandits(shown: Sequence[Array]) -> Callable[[], Any]:
    """LinUCB on a shared context, one row at a time."""
    from contextualbandits.online import LinUCB

    rng = np.random.default_rng(0)
    n_arms, dim = shown[0].shape
    model = LinUCB(n_arms, random_state=1)
    model.fit(rng.standard_normal((400, dim)), np.arange(400) % n_arms, rng.integers(0, 2, 400))
    return each(lambda contexts: model.predict(contexts[:1]), shown)


def river(shown: Sequence[Array]) -> Callable[[], Any]:
    """LinUCB (disjoint) on a shared context given as a dictionary."""
    from river.bandit import LinUCBDisjoint

    n_arms = len(shown[0])
    model = LinUCBDisjoint(alpha=1.0, seed=1)
    arms = list(range(n_arms))
    rows = [dict(enumerate(map(float, contexts[0]))) for contexts in shown]
    for t, row in enumerate(rows[:60]):
        model.update(t % n_arms, row, 0.5)
    return each(lambda row: model.pull(arms, row), rows)


N_ARMS, PER_ARM, DIM, DECISIONS, BATCH = 20, 100, 100, 500, 1000
LIMIT = 100e-6  # seconds per decision


@cache
def _agent() -> Agent:
    """EtC after its commitment, with 100 observations per arm."""
    rng = np.random.default_rng(0)
    policy = ExploreThenCommit(MinNormInterpolator(Gaussian(4.0)), n_explore=N_ARMS * PER_ARM)
    agent = policy.start(Problem(N_ARMS, DIM), rng=1)
    for _ in range(N_ARMS * PER_ARM):
        contexts = 0.7 * rng.standard_normal((N_ARMS, DIM))
        arm = agent.choose(contexts).arm
        agent.observe(contexts[arm], arm, float(rng.standard_normal()))
    return agent


def _contexts(n: int) -> Array:
    return 0.7 * np.random.default_rng(3).standard_normal((n, N_ARMS, DIM))


def _one_by_one() -> Mapping[str, Callable[[], Any]]:
    agent, shown = _agent(), list(_contexts(DECISIONS))
    points, weights, kernel = _bare_arrays()

    def one_stacked_product(contexts: Array) -> None:
        """Kernel values of all arms from one batched product; no norms, no checks, no choice."""
        (kernel(np.matmul(points, contexts[:, :, np.newaxis])[:, :, 0]) * weights).sum(axis=1)

    contenders = {"ours": each(agent.choose, shown), "one stacked product": each(one_stacked_product, shown)}
    peers = {
        "Vowpal Wabbit": ("vowpalwabbit", vowpal_wabbit),
        "Vowpal Wabbit, parsed before": ("vowpalwabbit", vowpal_wabbit_parsed),
        "mabwiser LinUCB": ("mabwiser", mabwiser),
        "contextualbandits LinUCB": ("contextualbandits", contextualbandits),
        "river LinUCB": ("river", river),
    }
    for name, (module, make) in peers.items():
        if find_spec(module):
            contenders[name] = make(shown)
    return contenders


def _bare_arrays() -> tuple[Array, Array, Callable[[Array], Array]]:
    rng = np.random.default_rng(4)
    points = rng.standard_normal((N_ARMS, PER_ARM, DIM))
    return points, rng.standard_normal((N_ARMS, PER_ARM)), lambda t: np.exp(t / DIM)


def _batch() -> Mapping[str, Callable[[], Any]]:
    agent, shown = _agent(), _contexts(BATCH)
    points, weights, kernel = _bare_arrays()
    transposed = [np.ascontiguousarray(X.T) for X in points]

    def ours() -> Any:
        return agent.choose_batch(shown)

    def one_product_per_arm() -> None:
        """gemm, exp and the product with the weights, for each arm."""
        for arm in range(N_ARMS):
            kernel(shown[:, arm] @ transposed[arm]) @ weights[arm]

    return {"ours": ours, "one gemm + exp per arm": one_product_per_arm}


def _latency() -> Mapping[str, float]:
    agent = _agent()
    times = [seconds(partial(agent.choose, contexts)) for contexts in _contexts(DECISIONS)]
    return {
        f"microseconds per decision, median (goal ≤ {LIMIT * 1e6:.0f})": float(np.median(times)) * 1e6,
        "microseconds per decision, 99 %": float(np.quantile(times, 0.99)) * 1e6,
    }


def cases() -> Iterator[Case]:
    """Yield the latency of one decision and the throughput of many."""
    title = f"{DECISIONS} decisions, K = {N_ARMS}, n = {PER_ARM} per arm, d = {DIM}, one thread, checks included"
    yield Case("decision", title, _one_by_one, goals={"Vowpal Wabbit": 1.0}, facts=_latency)
    title = f"a batch of {BATCH} decisions, K = {N_ARMS}, n = {PER_ARM} per arm, d = {DIM}, one thread"
    yield Case("batch", title, _batch, goals={"one gemm + exp per arm": 1 / 1.2})
