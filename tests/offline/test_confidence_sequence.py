import numpy as np
import pytest
from scipy.integrate import quad

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.confidence_sequence import beta_capital, capitals_along, gamma_exponential_capital

T = 10_000


def coins(rng, mean):
    return (rng.random(T) < mean).astype(float), np.ones(T), mean, 1.0


def fractions(rng, mean):
    return rng.beta(8 * mean, 8 * (1 - mean), T), np.ones(T), mean, 1.0


def from_a_changing_log(rng, mean):
    """Weights of a log whose writer lost interest in the arm after a tenth of the rows."""
    chance = np.where(np.arange(T) < T // 10, 0.5, 0.05)
    return (rng.random(T) < mean).astype(float), (rng.random(T) < chance) / chance, mean, 20.0


@pytest.mark.parametrize("mean", [0.005, 0.5])
@pytest.mark.parametrize("world", [coins, fractions, from_a_changing_log])
def test_the_mean_is_missed_anywhere_along_ten_thousand_looks_in_at_most_one_run_of_twenty(world, mean):
    missed = 0
    for seed in range(60):
        r, w, truth, largest = world(np.random.default_rng(seed), mean)
        spec = kb.ConfidenceSequence(largest_weight=largest)
        missed += bool((capitals_along(spec, r, w, truth) >= 20.0).any())
    assert missed <= 8, "3 are expected at most; 9 or more have a probability below 1/300"


@pytest.mark.parametrize(("excess", "squares"), [(3.0, 1.0), (20.0, 60.0), (0.5, 0.0)])
def test_the_mixture_is_the_integral_over_bets(excess, squares):
    rho = 3.0

    def density(bet):
        return (1 - bet) ** (rho - 1) * np.exp(rho * bet)

    def won(bet):
        return np.exp(bet * excess + squares * (np.log1p(-bet) + bet))

    direct = quad(lambda bet: won(bet) * density(bet), 0, 1)[0] / quad(density, 0, 1)[0]
    assert gamma_exponential_capital(excess, squares) == pytest.approx(np.log(direct), abs=1e-8)


def test_coins_are_a_fair_game():
    """The mean capital over all outcomes of ten coins is 1."""
    heads = np.arange(11)
    chances = np.array([1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1]) * 0.3**heads * 0.7 ** (10 - heads)
    assert chances @ np.exp(beta_capital(heads, 10, 0.3)) == pytest.approx(1.0)


def test_one_by_one_is_the_same_as_all_at_once():
    r, w, _, largest = from_a_changing_log(np.random.default_rng(1), 0.3)
    spec = kb.ConfidenceSequence(largest_weight=largest)
    many, single = spec.start(), spec.start()
    many.observe(r[:200], w[:200])
    for reward, weight in zip(r[:200], w[:200], strict=True):
        single.observe(reward, weight)
    assert single.n == many.n == 200
    assert single.sums == pytest.approx(many.sums, rel=1e-12)
    assert single.interval == pytest.approx(many.interval, abs=1e-9)


def test_it_goes_on_from_its_sums():
    spec, r = kb.ConfidenceSequence(), np.arange(50) % 2.0
    whole, half = spec.start(), spec.start()
    whole.observe(r)
    half.observe(r[:20])
    again = kb.RunningInterval(spec, half.n, dict(half.sums))
    again.observe(r[20:])
    assert again.interval == pytest.approx(whole.interval, abs=1e-9)


def test_units_of_rewards_do_not_matter():
    r = np.random.default_rng(0).random(100)
    plain, scaled = kb.ConfidenceSequence().start(), kb.ConfidenceSequence(low=-50.0, high=150.0).start()
    plain.observe(r)
    scaled.observe(200.0 * r - 50.0)
    assert (np.array(scaled.interval) + 50.0) / 200.0 == pytest.approx(np.array(plain.interval), abs=1e-9)
    assert scaled.mean == pytest.approx(200.0 * plain.mean - 50.0)


def test_widths_are_near_those_of_a_single_look():
    """Half as much again to twice the width of a normal interval: the price of looking at any time."""
    rng = np.random.default_rng(3)
    for mean, n in [(0.5, 1000), (0.05, 1000), (0.005, 10_000)]:
        running = kb.ConfidenceSequence().start()
        running.observe((rng.random(n) < mean).astype(float))
        assert 1.2 < running.interval.width / (2 * 1.96 * np.sqrt(mean * (1 - mean) / n)) < 2.1
        assert running.interval.covers(running.mean)


def test_nothing_is_known_before_the_first_reward():
    running = kb.ConfidenceSequence(low=2.0, high=3.0).start()
    assert running.interval == (2.0, 3.0)
    assert np.isnan(running.mean)


@pytest.mark.parametrize(
    ("reward", "weight", "words"),
    [
        (2.0, 1.0, "rewards must be from 0 to 1, as ConfidenceSequence was told; entry 0 is 2"),
        (float("nan"), 1.0, "rewards must be finite"),
        (1.0, 1.5, "weights must be from 0 to largest_weight=1; entry 0 is 1.5"),
        (1.0, -1.0, "weights must be from 0"),
    ],
)
def test_what_cannot_be_is_refused(reward, weight, words):
    running = kb.ConfidenceSequence().start()
    with pytest.raises(InvalidArgument, match=words):
        running.observe(reward, weight)
    assert running.n == 0


def test_bounds_must_make_sense():
    with pytest.raises(InvalidArgument, match="low must be below high"):
        kb.ConfidenceSequence(low=1.0, high=1.0)
    with pytest.raises(InvalidArgument, match="largest_weight must be at least 1"):
        kb.ConfidenceSequence(largest_weight=0.5)


@pytest.mark.parametrize(
    ("rewards", "weights", "words"),
    [("much", 1.0, "rewards must hold real numbers"), ([1.0, 0.0], [1.0] * 3, r"weights must have shape \(2,\)")],
)
def test_what_is_no_reward_or_weight_is_refused(rewards, weights, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.ConfidenceSequence().start().observe(rewards, weights)


def test_scores_are_predicted_from_the_past_alone():
    rng = np.random.default_rng(4)
    r, w = rng.random(12), rng.choice([0.0, 0.5, 3.0], 12)
    running = kb.ConfidenceSequence(largest_weight=3.0).start()
    running.observe(r[:5], w[:5])
    running.observe(r[5:], w[5:])
    scores = w * r  # those that are never below 0
    predicted = [np.clip((0.5 + scores[:i].sum()) / (1 + i), 0.0, 1.0) for i in range(12)]
    assert running.sums["sum lower"] == pytest.approx(scores.sum())
    assert running.sums["squares lower"] == pytest.approx(np.sum((scores - predicted) ** 2))
