"""Units of contexts by the order of features: against slow formulas, in other units, and when they are taken."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.anchored_kernels import AnchoredRational
from kernelbandits.beliefs.component_search import ComponentSearch
from kernelbandits.beliefs.context_units import FeatureRamps, FeatureScales
from kernelbandits.beliefs.evidence import Components
from kernelbandits.beliefs.kernel_features import KernelFeatures

N = 120


def points(seed, n=N):
    """A normal feature, one with a long tail, one that is mostly 0, one of three values, and a constant."""
    rng = np.random.default_rng(seed)
    spent = np.where(rng.random(n) < 0.6, 0.0, rng.exponential(50.0, n))
    return np.column_stack(
        [rng.standard_normal(n), np.exp(3.0 * rng.standard_normal(n)), spent, rng.integers(3, size=n), np.full(n, 7.0)]
    )


def test_coordinates_are_their_formula():
    X, Z = points(0), points(1, 9)
    units = FeatureRamps.among([X[:50], X[50:]])
    expected = np.empty((len(Z), len(units.origin)))
    for row, z in enumerate(Z):
        for k, feature in enumerate(units.features):
            share = min(max((z[feature] - units.starts[k]) / units.lengths[k], 0.0), 1.0)
            expected[row, k] = units.weights[k] * share - units.origin[k]
    np.testing.assert_allclose(units._map(Z), expected, atol=1e-14)
    np.testing.assert_allclose(units._map(X).mean(axis=0), 0.0, atol=1e-12)
    assert units.dim == X.shape[1]


def test_every_varying_feature_has_the_same_reach_and_at_most_eight_ramps():
    units = FeatureRamps.among([points(0)])
    counts = np.bincount(units.features, minlength=5)
    np.testing.assert_allclose(np.bincount(units.features, units.weights**2, minlength=5), [1, 1, 1, 1, 0])
    assert counts[:2].tolist() == [8, 8]
    assert counts[3:].tolist() == [2, 0]  # between three values, and none for a constant
    low, high = units._map(np.full((1, 5), -1e9)), units._map(np.full((1, 5), 1e9))
    assert ((high - low) ** 2).sum() == pytest.approx(4.0)


def test_there_are_fewer_ramps_if_features_are_many():
    X = np.random.default_rng(2).standard_normal((60, 115))
    assert len(FeatureRamps.among([X]).origin) == 4 * 115
    wide = np.random.default_rng(3).standard_normal((60, 700))
    assert len(FeatureRamps.among([wide]).origin) == 700


def test_coordinates_follow_the_order_whatever_the_unit():
    X = points(4)
    codes = FeatureRamps.among([X])._map(X)
    np.testing.assert_allclose(FeatureRamps.among([1e6 + 100.0 * X])._map(1e6 + 100.0 * X), codes, atol=1e-5)
    bent = X.copy()
    bent[:, 1] = np.log(X[:, 1])
    others = FeatureRamps.among([bent])._map(bent)
    assert np.abs(others - codes).max() < 0.25  # ramps begin and end at the same points, and are bent in between
    assert np.corrcoef(others.ravel(), codes.ravel())[0, 1] > 0.99
    same = FeatureRamps.among([X[::-1]])
    np.testing.assert_array_equal(same._map(X), codes)


def test_nothing_and_something_are_far_apart_however_little_it_is():
    X = points(5)
    units, scales = FeatureRamps.among([X]), FeatureScales.own([X])
    few = X[:1].repeat(2, axis=0)
    few[:, 2] = 0.0, np.sort(X[X[:, 2] > 0.0, 2])[8]
    by_order, by_size = (
        float(np.ptp(each._map(few), axis=0) @ np.ptp(each._map(few), axis=0)) for each in (units, scales)
    )
    assert by_order > 0.1
    assert by_size < 0.05


def test_contexts_without_differences_have_one_ramp_that_tells_nothing():
    units = FeatureRamps.among([np.full((5, 3), 2.0)])
    assert units._map(np.array([[2.0, 8.0, 9.0]])).tolist() == [[0.0]]
    assert units.dim == 3


def searched(X, y):
    search = ComponentSearch([(X, y - y.mean())], float(np.var(y)), least_noise=0.01)
    while not search.done:
        search.step()
    return search.found()[0].units


def tailed(seed, n):
    """Features with long tails, and what pays: it depends on their logarithms."""
    Z = np.random.default_rng(seed).standard_normal((n, 6))
    return np.exp(2.0 * Z), (Z[:, :3].sum(axis=1) > 0.0).astype(int)


def test_the_order_counts_where_features_have_long_tails():
    X, paying = tailed(6, N)
    assert isinstance(searched(X, paying.astype(float)), FeatureRamps)
    assert isinstance(searched(np.log(X), paying.astype(float)), FeatureScales)


def test_it_learns_what_has_long_tails_nearly_as_well_as_from_logarithms():
    X, paying = tailed(7, 500)
    mistakes = []
    for contexts in (X, np.log(X)):
        agent, wrong = kb.default_policy().start(kb.Problem(2, X.shape[1]), rng=0), 0
        for x, arm in zip(contexts, paying, strict=True):
            decision = agent.choose(x)
            wrong += decision.arm != arm
            agent.observe(x, decision.arm, float(decision.arm == arm))
        mistakes.append(wrong)
    assert mistakes[0] < 1.5 * mistakes[1], mistakes


@pytest.mark.parametrize("common", [0.0, 1.0])
def test_a_sketch_of_more_coordinates_than_features_keeps_their_principal_directions(common):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((400, 60))
    units = FeatureRamps.among([X])
    assert len(units.origin) == 480
    found = Components(units, 1.0, common, 2.0, 1.0, 0.2, 1.0, 3.0, 0.5, 1.0, 0.01)
    features = KernelFeatures(found, X, 256)
    features._validate()
    phi = features.of(X[::7])[:, 1:]
    exact = 2.0 * AnchoredRational(units, 1.0, common)(X[::7])
    assert features.n <= 257
    assert (features.variances(X[::7]) - np.vecdot(phi, phi)).min() > -1e-9
    assert np.abs(phi @ phi.T - exact).mean() < 0.02
    np.testing.assert_allclose(features._directions.T @ features._directions, np.eye(170), atol=1e-10)
