"""Decisions of other libraries at the same size. They are linear, so they do less work than ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kernelbandits.types import Array


def each(decide: Callable[[Any], Any], items: Sequence[Any]) -> Callable[[], None]:
    """What decides for all of these, one after the other."""

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
