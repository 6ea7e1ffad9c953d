"""The probability that one of several normals is the largest, against adaptive integration, counting and identities."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate
from scipy.stats import chisquare, norm

import kernelbandits as kb
from kernelbandits.policies import propensities
from kernelbandits.policies.propensities import pick_sampled

ACCURACY = 1e-10


def by_integration(mean, std):
    """∫ φ(u) Π_{j≠i} Φ((μᵢ + σᵢu − μⱼ)/σⱼ) du for every i, adaptive, told where each factor rises."""

    def probability(i):
        others = [j for j in range(len(mean)) if j != i]
        rises = [(mean[j] - mean[i] + t * std[j]) / std[i] for j in others for t in (-8.0, -4.0, 0.0, 4.0, 8.0)]
        places = sorted({-9.0, 9.0, *(rise for rise in rises if -9.0 < rise < 9.0)})

        def density(u):
            return norm.pdf(u) * np.prod([norm.cdf((mean[i] - mean[j] + std[i] * u) / std[j]) for j in others])

        return sum(integrate.quad(density, a, b, epsabs=1e-13, epsrel=1e-11)[0] for a, b in pairwise(places))

    return np.array([probability(i) for i in range(len(mean))])


@pytest.mark.parametrize(
    ("mean", "std"),
    [
        ([0.0, 0.0], [1.0, 1.0]),
        ([0.3, -0.2, 0.1], [0.5, 1.0, 2.0]),
        ([0.0, 0.5, 3.0], [1.0, 1e-3, 0.7]),
        ([1e6, 1e6 + 1e-3, 1e6 - 2e-3], [1e-3, 2e-3, 5e-3]),
        ([0.0, 1e-4, -3.0, 0.2], [1e-4, 1e-6, 5.0, 0.1]),
        ([5.0, -5.0], [1.0, 1.0]),
        ([0.0, 100.0, 1.0], [1.0, 0.1, 3.0]),
    ],
)
def test_adaptive_integration(mean, std):
    mean, std = np.array(mean), np.array(std)
    assert kb.largest_probabilities(mean, std) == pytest.approx(by_integration(mean, std), abs=ACCURACY)


def test_two_normals_have_a_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(300):
        mean, std = rng.standard_normal(2) * 10 ** rng.uniform(-3, 1), 10 ** rng.uniform(-8, 3, 2)
        first = norm.cdf((mean[0] - mean[1]) / np.hypot(*std))
        assert kb.largest_probabilities(mean, std) == pytest.approx([first, 1 - first], abs=ACCURACY)


def test_a_common_level_that_swallows_the_deviations():
    """Next to 1e88 a deviation is lost, but the means are equal, so that the deviations decide."""
    mean, std, rng = np.full(3, 4.3e88), np.array([5e8, 3e4, 5e8]), np.random.default_rng(0)
    stated = kb.largest_probabilities(mean, std)
    assert np.array_equal(stated, kb.largest_probabilities(np.zeros(3), std))
    arms = [pick_sampled(mean, std, None, rng).arm for _ in range(600)]
    assert chisquare(np.bincount(arms, minlength=3), 600 * stated).pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 2, 7, 20, 100])
def test_equal_normals_share_alike(n):
    assert kb.largest_probabilities(np.full(n, 3.7), np.full(n, 0.2)) == pytest.approx(np.full(n, 1 / n), abs=ACCURACY)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 100), spread=st.sampled_from([0.0, 1.0, 4.0, 12.0, 80.0]))
def test_they_sum_to_one_and_do_not_depend_on_units_or_order(seed, n, spread):
    rng = np.random.default_rng(seed)
    std = 10.0 ** (-spread * rng.random(n))
    mean = rng.standard_normal(n) * rng.choice([0.0, 0.1, 1.0]) * std.max()
    p = kb.largest_probabilities(mean, std)
    assert p.sum() == pytest.approx(1.0, abs=n * ACCURACY)
    assert p.min() >= 0.0
    assert kb.largest_probabilities(4.0 * mean, 4.0 * std) == pytest.approx(p, abs=ACCURACY)
    order = rng.permutation(n)
    assert kb.largest_probabilities(mean[order], std[order]) == pytest.approx(p[order], abs=ACCURACY)


def test_counting_draws():
    rng = np.random.default_rng(3)
    mean, std = 0.5 * rng.standard_normal(20), rng.uniform(0.1, 1.0, 20)
    draws = mean + std * rng.standard_normal((200_000, 20))
    wins = np.bincount(draws.argmax(axis=1), minlength=20)
    p = kb.largest_probabilities(mean, std)
    often = p > 1e-4
    assert chisquare(wins[often], p[often] / p[often].sum() * wins[often].sum()).pvalue > 0.01


class TestCertainty:
    """A standard deviation of 0."""

    def test_all_certain(self):
        assert kb.largest_probabilities(np.array([1.0, 2.0, 2.0]), np.zeros(3)).tolist() == [0.0, 0.5, 0.5]

    def test_certain_and_random(self):
        # The largest certain value is 0.5; the two random ones are both below it with Φ(0.5) Φ(−0.25).
        mean, std = np.array([0.5, 0.0, 1.0, 0.5, -2.0]), np.array([0.0, 1.0, 2.0, 0.0, 0.0])
        certain = norm.cdf(0.5) * norm.cdf(-0.25)
        first, _ = integrate.quad(lambda x: norm.pdf(x) * norm.cdf((x - 1) / 2), 0.5, 12, epsabs=1e-13)
        second = 1 - certain - first
        expected = [certain / 2, first, second, certain / 2, 0.0]
        assert kb.largest_probabilities(mean, std) == pytest.approx(expected, abs=ACCURACY)

    def test_it_is_the_limit_of_small_deviations(self):
        mean = np.array([0.4, 0.0, 0.1])
        limit = kb.largest_probabilities(mean, np.array([0.0, 1.0, 0.5]))
        assert kb.largest_probabilities(mean, np.array([1e-13, 1.0, 0.5])) == pytest.approx(limit, abs=1e-10)

    @pytest.mark.parametrize(("certain", "expected"), [(9.5, [1.0, 0.0]), (-9.5, [0.0, 1.0])])
    def test_far_from_the_random_one(self, certain, expected):
        p = kb.largest_probabilities(np.array([certain, 0.0]), np.array([0.0, 1.0]))
        assert p == pytest.approx(expected, abs=ACCURACY)


def test_a_choice_has_the_probability_it_says():
    rng = np.random.default_rng(5)
    mean, std = np.array([0.2, 0.5, 0.5, 0.4, 9.0]), np.array([1.0, 0.0, 0.0, 0.3, 2.0])
    eligible = np.array([True, True, True, True, False])
    expected = np.append(kb.largest_probabilities(mean[:4], std[:4]), 0.0)
    choices = [pick_sampled(mean, std, eligible, rng) for _ in range(6000)]
    assert all(choice.propensity == expected[choice.arm] for choice in choices)
    assert all(choice.scores[4] == -np.inf for choice in choices)
    assert {choice.arm for choice in choices if not choice.explored} == {1, 2}
    counts = np.bincount([choice.arm for choice in choices], minlength=5)
    assert chisquare(counts[:4], 6000 * expected[:4]).pvalue > 0.01


@pytest.mark.parametrize(("n_arms", "least", "most_panels"), [(20, 1.0, 6), (20, 0.2, 12), (100, 1e-3, 15)])
def test_it_takes_few_points(n_arms, least, most_panels, monkeypatch):
    rng = np.random.default_rng(0)
    mean, std = rng.standard_normal(n_arms), rng.uniform(least, 1.0, n_arms)
    sizes = []

    def counting(z):
        sizes.append(z.size)
        return norm.cdf(z)

    monkeypatch.setattr(propensities, "normal_distribution", counting)
    kb.largest_probabilities(mean, std)
    assert sum(sizes) <= most_panels * 20 * n_arms


@given(
    mean=st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=6),
    exponents=st.lists(st.one_of(st.floats(-12.0, 3.0), st.just(None)), min_size=6, max_size=6),
    shift=st.sampled_from([0.0, 1e6]),
)
def test_what_can_happen_has_a_probability_and_all_sum_to_one(mean, exponents, shift):
    mean = np.array(mean) + shift
    std = np.array([0.0 if e is None else 10.0**e for e in exponents[: len(mean)]])
    chances = kb.largest_probabilities(mean, std)
    assert abs(chances.sum() - 1.0) < 1e-12
    assert chances[std > 0.0].min(initial=1.0) > 0.0
    assert chances.min() >= 0.0


@pytest.mark.parametrize("gap", [9.0, 50.0, 1e6])
def test_an_arm_that_hardly_ever_wins_is_not_impossible(gap):
    chances = kb.largest_probabilities(np.array([0.0, gap]), np.array([1.0, 1.0]))
    assert 0.0 < chances[0] < 1e-9
    certain = kb.largest_probabilities(np.array([0.0, gap, gap - 1.0]), np.array([1.0, 0.0, 0.0]))
    assert 0.0 < certain[0] < 1e-9
    assert certain[2] == 0.0, "a constant below another is never the largest"
    overtaken = kb.largest_probabilities(np.array([0.0, gap]), np.array([0.0, 1e-3]))
    assert 0.0 < overtaken[0] < 1e-9


def test_an_improbable_draw_is_stated_with_its_floor():
    """A generator that draws −40 and 40: whichever arm wins, its propensity is positive."""

    class Rigged:
        def standard_normal(self, n):
            return np.array([40.0, -40.0])

    choice = pick_sampled(np.array([0.0, 20.0]), np.ones(2), None, Rigged())
    assert choice.arm == 0
    assert choice.propensity == choice.probabilities[0] == pytest.approx(1e-16)
