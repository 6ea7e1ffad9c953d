"""The choice of a solver, estimates of cost, and refusals of what cannot fit into memory."""

import time
import timeit
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, TooLarge
from kernelbandits.linalg import available_memory, memory_text
from kernelbandits.regression import base


@pytest.mark.parametrize(
    ("n", "ridge", "size", "kind"),
    [
        (5000, 0.0, 1e9, kb.MinNormInterpolator),
        (5000, 0.5, 1e9, kb.KernelRidge),
        (20_001, 0.0, 1e12, kb.ConjugateGradient),
        (20_001, 0.5, 1e12, kb.Nystrom),
        (5000, 0.0, 1e8, kb.ConjugateGradient),
        (5000, 0.5, 1e8, kb.Nystrom),
        (100_001, 0.0, 1e12, kb.Nystrom),
        (50_000, 0.0, 6e7, kb.Nystrom),
        (1, 0.0, 1e9, kb.MinNormInterpolator),
    ],
)
def test_the_rule(n, ridge, size, kind):
    solver = kb.solver_for(n, 20, ridge, memory=size)
    estimator = solver(kb.Matern(1.5))
    assert type(estimator) is kind
    assert estimator.kernel == kb.Matern(1.5)
    assert getattr(estimator, "ridge", ridge) == ridge
    assert solver.cost.bytes <= size
    assert "of memory" in str(solver)


def test_less_memory_means_fewer_centres():
    sizes = [kb.solver_for(1_000_000, 50, 1.0, memory=size)(kb.Gaussian()).n_centers for size in (1e9, 6e7, 4e7)]
    assert sizes[0] == 2000
    assert sizes[0] > sizes[1] > sizes[2]
    with pytest.raises(TooLarge, match=r"no solver for 1000000 points .* fits into 1 kB"):
        kb.solver_for(1_000_000, 50, 1.0, memory=1000)


@pytest.mark.parametrize("arguments", [(0, 5, 1.0), (5, 0, 1.0), (5, 5, -1.0), (5, 5, np.nan), (5, 5, 1.0, 0)])
def test_senseless_sizes_are_refused(arguments):
    with pytest.raises(InvalidArgument):
        kb.solver_for(*arguments)


def test_what_is_chosen_can_be_fitted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    fit = kb.solver_for(300, 4, 0.1)(kb.Gaussian()).fit(X, X[:, 0])
    assert np.abs(fit.mean(X) - X[:, 0]).max() < 0.5


@pytest.fixture
def processor_time(monkeypatch):
    """Measure the speed of the machine in time of the processor, which does not depend on what else it does."""
    monkeypatch.setattr(base, "repeat", partial(timeit.repeat, timer=time.thread_time))
    base._per_second.cache_clear()
    yield time.thread_time
    base._per_second.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        kb.KernelRidge(kb.Gaussian(), 1.0),
        kb.Nystrom(kb.Gaussian(), 1.0, 300),
        kb.GradientDescent(kb.Gaussian(), kb.FixedSteps(20)),
    ],
    ids=repr,
)
def test_an_estimate_is_of_the_right_size(estimator, processor_time):
    n = 3000
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 50)), rng.standard_normal(n)
    cost = kb.estimate(estimator, n, 50)
    seconds = []
    for _ in range(3):
        start = processor_time()
        estimator.fit(X, y)
        seconds.append(processor_time() - start)
    assert 0.1 < cost.seconds / min(seconds) < 10.0


def test_estimates_grow_as_they_should():
    def ratio(estimator):
        small, large = (kb.estimate(estimator, n, 10) for n in (100_000, 200_000))
        return large.seconds / small.seconds

    assert ratio(kb.KernelRidge(kb.Gaussian())) == pytest.approx(8.0, rel=0.05)
    assert ratio(kb.GaussianProcess(kb.Gaussian())) == pytest.approx(8.0, rel=0.05)
    assert ratio(kb.Nystrom(kb.Gaussian(), n_centers=500)) == pytest.approx(2.0, rel=0.05)
    assert ratio(kb.ConjugateGradient(kb.Gaussian(), memory=0)) == pytest.approx(4.0, rel=0.05)
    for stopping in (kb.FixedSteps(50), kb.HeldOut()):
        assert ratio(kb.GradientDescent(kb.Gaussian(), stopping, memory=0)) == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_every_estimator_knows_its_cost(estimator):
    small, large = kb.estimate(estimator, 1000, 10), kb.estimate(estimator, 100_000, 10)
    assert 0 < small.operations < large.operations
    assert 0 < small.bytes <= large.bytes
    assert small.kernel_values < large.kernel_values
    assert kb.estimate(estimator, 1, 1).seconds > 0


@pytest.mark.parametrize(("n", "d"), [(0, 5), (5, 0), (2.5, 5)])
def test_a_cost_of_a_senseless_size_is_refused(n, d):
    with pytest.raises(InvalidArgument, match="whole number"):
        kb.estimate(kb.KernelRidge(kb.Gaussian()), n, d)


@final
@dataclass(frozen=True, slots=True)
class NeverEvaluated(kb.RadialKernel):
    def profile(self, t, order=0):
        raise AssertionError("the fit has begun")


@pytest.mark.parametrize(
    "estimator",
    [
        kb.MinNormInterpolator(NeverEvaluated()),
        kb.KernelRidge(NeverEvaluated(), 0.5),
        kb.GaussianProcess(NeverEvaluated()),
    ],
    ids=repr,
)
def test_a_fit_that_cannot_fit_is_refused_before_it_begins(estimator):
    n = 1 + int(np.sqrt(available_memory() / 8.0))
    X = np.arange(float(n))[:, np.newaxis]
    with pytest.raises(TooLarge, match=rf"an exact fit of {n} points needs .* GB of memory, .* solver_for\({n}, 1, "):
        estimator.fit(X, X[:, 0])


def test_too_many_centres_are_refused():
    with pytest.raises(TooLarge, match="use fewer centres"):
        kb.Nystrom(kb.Gaussian(), n_centers=1_000_000).fit(np.zeros((1_000_000, 1)), np.zeros(1_000_000))


def test_available_memory_is_a_sensible_number():
    assert 1e6 < available_memory() < 1e15


@pytest.mark.parametrize(("size", "text"), [(1.5e9, "1.5 GB"), (2e6, "2 MB"), (3.21e12, "3.21 TB"), (100, "0.1 kB")])
def test_sizes_in_words(size, text):
    assert memory_text(size) == text
