"""Scores of whole tables beside the bare products that they need; `python -m benchmarks.scores` for any number of rows.

Bare products are what no implementation can leave out, on rows that are encoded already and in blocks of 1,024:

- policies on the default belief: the features ψ of a row (a product with the centres, their exponentials and two more
  products), ψᵀw and ψᵀPψ for every arm;
- linear policies: xᵀθ and ‖Rᵀx‖² for every arm;
- those that draw (Thompson sampling): in addition Φ and φ of every arm at 70 points of the
  integral of a row: two panels of 28 points for most rows, three for others.

`score` also reads and checks the table, encodes it, and makes a frame of means, deviations and exact probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import click
import numpy as np
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from benchmarks.bandits import OFFERS, fitted_bandit, table_of
from benchmarks.cases import Case
from benchmarks.measure import in_new_process, processor_seconds, resident_peak
from kernelbandits import LinearThompsonSampling, LinearUCB, Policy, ThompsonSampling, default_policy
from kernelbandits.linalg import one_thread
from kernelbandits.types import Array

N_SCORED = 8192
_BLOCK, _POINTS = 1024, 70
_LIMIT = 2.0  # times the bare products


def kernel_products(tracker: Any, points: Array) -> None:
    """Features of rows and their products with every arm's weights and matrix."""
    model = tracker._model
    psi = model._features.of(points)
    for weights, precision in zip(model._w, model._P, strict=True):
        psi @ weights
        np.vecdot(psi @ precision, psi)


def linear_products(tracker: Any, points: Array) -> None:
    """Products of rows with every arm's weights and root of the inverse, of all but the intercept."""
    d, inner = points.shape[1], tracker._tracker
    for weights, root in zip(inner._weights, inner._roots, strict=True):
        points @ weights[:d]
        V = points @ root[:d]
        np.vecdot(V, V)


def no_draws(n_rows: int) -> None:
    """Nothing: the choice is certain."""


def normal_integrals(n_rows: int) -> None:
    """Φ and φ of every arm at the points of a row's integral."""
    u = np.tile(np.linspace(-8.0, 8.0, _POINTS), n_rows * len(OFFERS))
    ndtr(u)
    np.exp(-0.5 * u * u)


POLICIES: Mapping[str, tuple[Policy, Callable[[Any, Array], None], Callable[[int], None]]] = {
    "default": (default_policy(), kernel_products, no_draws),
    "thompson": (ThompsonSampling(), kernel_products, normal_integrals),
    "linear": (LinearUCB(), linear_products, no_draws),
    "linear-thompson": (LinearThompsonSampling(), linear_products, normal_integrals),
}
"""The policies that are measured, and their bare products."""


def contenders(name: str, n_rows: int) -> Mapping[str, Callable[[], Any]]:
    """Return `score` and the bare products of a policy for a table."""
    policy, products, draws = POLICIES[name]
    bandit, table = fitted_bandit(policy), table_of(n_rows, 3)
    agent, encoder = bandit._ready()
    points, tracker = encoder.transform(table), agent._learner._tracker  # type: ignore[attr-defined]

    def matrices() -> None:
        with one_thread():
            for start in range(0, n_rows, _BLOCK):
                products(tracker, points[start : start + _BLOCK])

    def bare() -> None:
        matrices()
        for start in range(0, n_rows, _BLOCK):
            draws(min(_BLOCK, n_rows - start))

    return {"ours": lambda: bandit.score(table), "bare products": bare, "matrices alone": matrices}


def cases() -> Iterator[Case]:
    """Yield one case per policy."""
    for name in POLICIES:
        yield Case(
            "bandit-score" if name == "default" else f"bandit-score-{name}",
            f"scores of {N_SCORED:,} rows, {len(OFFERS)} arms, policy {name}",
            partial(contenders, name, N_SCORED),
            goals={"bare products": 1.0 / _LIMIT},
        )


def grown(name: str, n_rows: int) -> tuple[float, float]:
    """Return by how much the memory of a new process grows while it scores a table, and the size of the answer, MB."""
    bandit, table = fitted_bandit(POLICIES[name][0]), table_of(n_rows, 3)
    bandit.score(table[: 4 * _BLOCK])
    before = resident_peak()
    answer = bandit.score(table)
    return (resident_peak() - before) / 1e6, answer.estimated_size() / 1e6


@click.command()
@click.option("--rows", default=100_000, show_default=True, help="rows of the table")
@click.option("--repeats", default=3, show_default=True, help="turns of each contender")
@click.option("--policy", "names", multiple=True, type=click.Choice([*POLICIES]), help="only these")
def scores(rows: int, repeats: int, names: tuple[str, ...]) -> None:
    """Print processor seconds of `score` and of its bare products, the best turns, their ratio, and memory."""
    click.echo("| policy | rows | score, s | bare products, s | ratio | matrices alone, s | memory, MB | answer, MB |")
    click.echo("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in names or POLICIES:
        runs = contenders(name, rows)
        with threadpool_limits(1):
            turns = [[processor_seconds(run) for run in runs.values()] for _ in range(repeats)]
        ours, bare, alone = np.min(turns, axis=0)
        memory, answer = in_new_process(grown, name, rows)
        times = f"{ours:.2f} | {bare:.2f} | {ours / bare:.2f} | {alone:.2f}"
        click.echo(f"| {name} | {rows:,} | {times} | {memory:.0f} | {answer:.0f} |")


if __name__ == "__main__":
    scores()
