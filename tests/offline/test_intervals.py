"""Intervals against direct computation, and their coverage where it is hard."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

import kernelbandits as kb
from kernelbandits.offline.intervals import likelihood_bound, likelihood_ratio
from kernelbandits.offline.score_sample import ScorePoints, ScoreSample, joined_neighbours


def sample_of(scores, extremes=None, limits=(-np.inf, np.inf)):
    scores = np.asarray(scores, dtype=float)
    n = len(scores)
    extremes = extremes or (float(scores.min()), float(scores.max()))
    return ScoreSample(scores, np.ones(n), np.array([0, n]), extremes, limits, float(n))


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # older scipy says so of its own step
def test_the_likelihood_ratio_is_that_of_the_best_reweighting():
    """Maximise Π n p_i subject to Σ p_i = 1 and Σ p_i y_i = μ, directly."""
    y, mu = np.array([0.1, 0.5, 0.9, 1.4, 0.3, 0.2]), 0.7
    constraints = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: p @ y - mu}]
    best = minimize(
        lambda p: -np.log(6 * p).sum(), np.full(6, 1 / 6), bounds=[(1e-9, 1)] * 6, constraints=constraints, tol=1e-12
    )
    assert likelihood_ratio(ScorePoints(y, np.ones(6), np.ones(6)), mu) == pytest.approx(2 * best.fun, rel=1e-5)


def test_the_bound_is_where_the_ratio_reaches_the_limit():
    rng = np.random.default_rng(0)
    points = ScorePoints(rng.exponential(size=200), rng.uniform(0.5, 2, 200), np.ones(200))
    for end in (0.0, 10.0):
        bound = likelihood_bound(points, 3.84, end)
        assert likelihood_ratio(points, bound) == pytest.approx(3.84, abs=1e-3)
    assert likelihood_bound(points, 3.84, points.mean + 1e-3) == points.mean + 1e-3


def test_counts_stand_for_repeated_rows():
    y = np.array([0.0, 1.0, 3.0])
    few = ScorePoints(y, np.ones(3), np.array([5.0, 3.0, 2.0]))
    many = ScorePoints(np.repeat(y, [5, 3, 2]), np.ones(10), np.ones(10))
    assert likelihood_ratio(few, 1.2) == pytest.approx(likelihood_ratio(many, 1.2), rel=1e-9)
    assert few.mean == pytest.approx(many.mean)
    assert few.standard_error == pytest.approx(many.standard_error)


@pytest.mark.parametrize("n", [5, 700, 100_000])
def test_joined_neighbours_keep_mean_and_spread(n):
    values = np.random.default_rng(1).exponential(size=n)
    points, counts = joined_neighbours(values, 240, 80)
    assert counts.sum() == n
    assert len(points) <= 400
    assert counts @ points / n == pytest.approx(values.mean(), rel=1e-12)
    assert counts @ np.square(points - values.mean()) / n == pytest.approx(values.var(), rel=2e-3)
    assert points.max() == values.max()


@pytest.mark.parametrize(
    "method", [kb.EmpiricalLikelihood(), kb.StudentizedBootstrap(2000), kb.NormalInterval()], ids=repr
)
def test_all_agree_on_many_well_behaved_rows(method):
    scores = np.random.default_rng(2).standard_normal(20_000) + 3.0
    found = method.interval(sample_of(scores), 0.95)
    half = 1.96 * scores.std() / np.sqrt(len(scores))
    assert found.low == pytest.approx(scores.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(scores.mean() + half, abs=0.1 * half)


@pytest.mark.parametrize("successes", [0, 1, 7])
def test_the_gamma_interval_is_garwoods_for_counts(successes):
    scores = np.zeros(1000)
    scores[:successes] = 5.0
    found = kb.GammaInterval().interval(sample_of(scores, extremes=(0.0, 5.0)), 0.95)
    low = stats.gamma.ppf(0.025, successes) if successes else 0.0
    assert found.low == pytest.approx(low * 5 / 1000)
    assert found.high == pytest.approx(stats.gamma.ppf(0.975, successes + 1) * 5 / 1000)


def test_no_success_has_an_upper_bound_all_the_same():
    found = kb.EmpiricalLikelihood().interval(sample_of(np.zeros(500), (0.0, 4.0), (0.0, 1.0)), 0.95)
    assert found.low == 0.0
    assert 0.01 < found.high < 0.06, "Garwood's is 0.03"


@pytest.mark.parametrize("mean", [2.0, 6.0, 20.0])
def test_rare_successes_are_covered(mean):
    """Poisson numbers of successes, each worth 5: coverage over all counts, exactly."""
    n, counts = 2000, np.arange(int(mean + 8 * np.sqrt(mean) + 8))
    covered = []
    for count in counts:
        scores = np.zeros(n)
        scores[:count] = 5.0
        covered.append(
            kb.EmpiricalLikelihood().interval(sample_of(scores, (0.0, 5.0), (0.0, 1.0)), 0.95).covers(5 * mean / n)
        )
    assert stats.poisson.pmf(counts, mean) @ np.array(covered) >= 0.94


def test_the_gamma_interval_refuses_negative_scores():
    with pytest.raises(kb.errors.InvalidArgument, match="needs scores of at least 0"):
        kb.GammaInterval().interval(sample_of([-1.0, 1.0]), 0.95)


def test_equal_scores_have_an_interval():
    for method in (kb.EmpiricalLikelihood(), kb.StudentizedBootstrap(100), kb.NormalInterval()):
        found = method.interval(sample_of(np.full(50, 0.3), (0.3, 0.3), (0.0, 1.0)), 0.95)
        assert found.covers(0.3)


def test_the_likelihood_ratio_at_the_ends_is_that_of_students_t_with_half_the_rows():
    sample = sample_of(np.random.default_rng(2).random(20), extremes=(0.0, 1.0))
    found, limit = kb.EmpiricalLikelihood().interval(sample, 0.95), stats.t.ppf(0.975, 10) ** 2
    for end, extreme in zip(found, sample.extremes, strict=True):
        assert likelihood_ratio(sample.points().with_one(extreme), end) == pytest.approx(limit, rel=1e-4)
