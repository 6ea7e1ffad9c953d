import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_estimator


@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
@pytest.mark.parametrize("dim", [2, 30])
def test_estimator_keeps_the_contract(estimator, dim):
    check_estimator(estimator, dim=dim, seed=dim)


def test_every_exported_estimator_has_an_example():
    assert examples.exported(kb.Estimator) == examples.types_of(examples.ESTIMATORS)


def test_every_exported_predictor_comes_from_an_example():
    fitted = [estimator.fit([[0.0, 1.0]], [1.0]) for estimator in examples.ESTIMATORS]
    assert examples.exported(kb.Predictor) == examples.types_of(fitted)


@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_predictor_outlives_the_callers_arrays(estimator):
    """A service reuses its buffers; what was learnt must not move with them."""
    rng = np.random.default_rng(0)
    X, y, Z = rng.standard_normal((9, 4)), rng.standard_normal(9), rng.standard_normal((3, 4))
    predictor = estimator.fit(X, y)
    before = predictor.mean(Z)
    X[:], y[:] = 0.0, 0.0
    assert np.array_equal(predictor.mean(Z), before)


@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_expansion_is_the_same_function(estimator):
    rng = np.random.default_rng(0)
    X, y, Z = rng.standard_normal((9, 4)), rng.standard_normal(9), rng.standard_normal((3, 4))
    for predictor in (estimator.fit(X, y), estimator.without_data(4)):
        if predictor.expansion is not None:
            assert np.allclose(predictor.expansion(Z), predictor.mean(Z), rtol=1e-9, atol=1e-9)
