import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_spec

pytestmark = pytest.mark.filterwarnings("ignore::kernelbandits.errors.WeakEvidence")  # the example tables are small


def draw(environment, seed=0):
    return environment.draw(np.random.default_rng(seed))


def test_every_exported_environment_has_an_example():
    assert examples.exported(kb.Environment) == examples.types_of(examples.ENVIRONMENTS)
    assert examples.exported(kb.Covariance) == examples.types_of(examples.COVARIANCES)
    drawn = [draw(environment) for environment in examples.ENVIRONMENTS]
    assert examples.exported(kb.Instance) == examples.types_of(drawn)


@pytest.mark.parametrize("environment", examples.ENVIRONMENTS, ids=repr)
class TestEnvironment:
    def test_is_a_value(self, environment):
        check_spec(environment)

    def test_rounds_fit_the_problem(self, environment):
        instance = draw(environment)
        problem, rounds = instance.problem(horizon=30), instance.rounds(30, np.random.default_rng(1))
        assert problem.horizon == 30
        assert len(rounds) == 30
        assert rounds.contexts.shape == (30, problem.n_arms, problem.dim)
        assert rounds.means.shape == (30, problem.n_arms)
        assert rounds.noise.shape in ((30,), (30, problem.n_arms))
        assert np.isfinite(rounds.contexts).all()

    def test_means_are_those_of_the_problem(self, environment):
        instance = draw(environment)
        rounds = instance.rounds(10, np.random.default_rng(1))
        true_means = instance.problem().true_means
        by_round = np.array([true_means(contexts) for contexts in rounds.contexts])
        assert np.allclose(rounds.means, by_round, rtol=1e-10, atol=1e-13)

    def test_same_generator_same_draw(self, environment):
        first, again, other = draw(environment, 3), draw(environment, 3), draw(environment, 4)
        rounds = [instance.rounds(5, np.random.default_rng(2)) for instance in (first, again, other)]
        assert np.array_equal(rounds[0].contexts, rounds[1].contexts)
        assert np.array_equal(rounds[0].means, rounds[1].means)
        assert not np.array_equal(rounds[0].means, rounds[2].means)

    def test_an_instance_serves_other_rounds_to_another_generator(self, environment):
        instance = draw(environment)
        first, second = (instance.rounds(5, np.random.default_rng(seed)) for seed in (1, 2))
        assert not np.array_equal(first.contexts, second.contexts)


@pytest.mark.parametrize("covariance", examples.COVARIANCES, ids=repr)
@pytest.mark.parametrize("dim", [2, 3, 50, 101])
def test_covariance_is_a_spectrum_for_every_arm(covariance, dim):
    check_spec(covariance)
    variances = covariance.variances(6, dim, np.random.default_rng(0))
    assert variances.shape == (6, dim)
    assert (variances >= 0).all()
    assert (variances.sum(axis=1) > 0).all()
    assert len(np.unique(variances.max(axis=1))) == 6, "every arm has its own level"
