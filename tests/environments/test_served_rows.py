"""Recorded rows as contexts: each once before any again, and in a new order every time."""

import numpy as np
import pytest

import kernelbandits as kb


@pytest.mark.parametrize("contexts", [kb.OwnContexts(), kb.SharedContexts()])
def test_every_pass_over_the_rows_has_its_own_order(contexts):
    n = 24
    rows = np.arange(float(n))[:, np.newaxis]
    groups = [rows, rows + 100.0] if contexts == kb.OwnContexts() else [rows[:10], rows[10:]]
    served = contexts.serve(groups, 3 * n + 5, np.random.default_rng(0))[:, 0, 0]
    passes = [served[start : start + n] for start in range(0, 3 * n, n)]
    for order in passes:
        assert sorted(order) == list(range(n))
    orders = [*passes, np.arange(n)]
    for i, order in enumerate(orders):
        for other in orders[:i]:
            assert np.mean(order == other) < 0.5, "two passes in the same order"
    assert not np.array_equal(served[3 * n :], served[:5])


def test_arms_are_shuffled_apart():
    rows = np.arange(24.0)[:, np.newaxis]
    served = kb.OwnContexts().serve([rows, rows], 24, np.random.default_rng(0))[:, :, 0]
    assert np.mean(served[:, 0] == served[:, 1]) < 0.5
