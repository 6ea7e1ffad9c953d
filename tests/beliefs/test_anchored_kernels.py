"""The kernels of the belief that is told nothing: against their formulas, and which of them is taken when."""

from math import exp

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.anchored_kernels import AnchoredGaussian, AnchoredRational
from kernelbandits.beliefs.context_units import FeatureScales
from kernelbandits.beliefs.model_estimation import RewardSearch

DIM, GAMMA = 5, 0.7
HEIGHTS = {AnchoredGaussian: lambda s: exp(-s), AnchoredRational: lambda s: 1.0 / (1.0 + s)}


def units():
    rng = np.random.default_rng(0)
    return FeatureScales(rng.standard_normal(DIM), rng.uniform(0.5, 2.0, DIM))


@pytest.mark.parametrize("common", [0.0, 1.0])
@pytest.mark.parametrize("kind", HEIGHTS)
def test_the_kernel_is_its_formula(kind, common):
    found, h = units(), HEIGHTS[kind]
    X, Z = np.random.default_rng(1).standard_normal((2, 6, DIM))

    def t(x, z):
        return sum((scale * (a - b)) ** 2 for scale, a, b in zip(found.scales, x, z, strict=True)) / DIM

    c = found.origin
    expected = [
        [h(GAMMA * t(x, z)) - (1 - common) * h(GAMMA * t(x, c)) * h(GAMMA * t(z, c)) for z in [*X, *Z]] for x in X
    ]
    kernel = kind(found, GAMMA, common)
    np.testing.assert_allclose(kernel(X, np.concatenate([X, Z])), expected, atol=1e-13)
    np.testing.assert_allclose(kernel(X), np.array(expected)[:, :6], atol=1e-13)


@pytest.mark.parametrize("kind", HEIGHTS)
def test_functions_are_0_at_the_origin_and_linear_for_a_small_gamma(kind):
    found, X = units(), np.random.default_rng(2).standard_normal((30, DIM))
    assert abs(kind(found, GAMMA, 0.0)(found.origin[np.newaxis])[0, 0]) < 1e-15
    assert np.linalg.eigvalsh(kind(found, GAMMA, 0.0)(X)).min() > 0.0
    U = (X - found.origin) * found.scales
    np.testing.assert_allclose(kind(found, 1e-7, 0.0)(X) / 1e-7, 2.0 / DIM * U @ U.T, rtol=1e-4, atol=1e-4)


def searched(rewards_of):
    tracker = kb.EmpiricalBayes().start(kb.Problem(3, DIM))
    rng = np.random.default_rng(3)
    for t in range(60):
        x = rng.standard_normal(DIM)
        tracker._data.add(x, t % 3, rewards_of(float(np.sin(x[0]) + 0.1 * rng.standard_normal())))
    search = RewardSearch(tracker._data, tracker._levels, tracker._budget)
    while not search.done:
        search.step()
    return search._search


@pytest.mark.parametrize(
    ("rewards_of", "rational"),
    [(lambda f: f, False), (lambda f: float(f > 0.0), True), (lambda f: 7.0 + 1e-3 * round(f), True)],
    ids=["amounts", "coins", "stars"],
)
def test_it_is_rational_where_rewards_take_few_values(rewards_of, rational):
    search = searched(rewards_of)
    found, grams = search.found()
    assert found.rational is rational
    for (X, _), gram in zip(search.arms, grams, strict=True):
        np.testing.assert_allclose(gram, found.kernel.gram(X), atol=1e-9)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("rewards_of", [lambda f: f, lambda f: float(f > 0.0)], ids=["amounts", "coins"])
def test_variance_and_size_are_those_of_typical_contexts(rewards_of, which):
    """Typical contexts are t̄ from each other and t̄/2 from the mean, whatever was found."""
    search = searched(rewards_of)
    search._best = next((i, kind, common) for i, kind, common in search._found if kind < 2 and common == which)
    found, _ = search.found()
    typical = search._spaces[search._best[1]].typical
    steps = np.sqrt(typical * DIM / 2.0) * np.eye(DIM)[:2]
    both = found.kernel(found.units.origin + steps / found.units.scales)
    assert both[0, 0] == pytest.approx(found.variance)
    assert both[0, 0] - both[0, 1] == pytest.approx(1.0)
