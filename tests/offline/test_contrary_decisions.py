"""Candidates that go against what a sure writer plays, where few rows, or none, can speak for them."""

import numpy as np
import pytest

import kernelbandits as kb

N, SURE = 1000, 0.98


def sure_log(contrary, played, seed=0):
    """A writer that plays arm 0 with chance 0.98; the candidate plays arm 1 in the first `contrary` of 1,000 rows.

    Arm 1 was played in `played` of these, with its chance of 0.02.
    """
    rng = np.random.default_rng(seed)
    arms, wanted = np.zeros(N, dtype=int), np.zeros(N, dtype=int)
    wanted[:contrary], arms[:played] = 1, 1
    propensities = np.where(arms == 1, 1.0 - SURE, SURE)
    rewards = (rng.random(N) < 0.6).astype(float)
    log = kb.Log(None, arms, rewards, propensities, 2, learned=False)
    return kb.evaluate(log, {"c": kb.GivenChances(np.eye(2)[wanted])})["c"]


@pytest.mark.parametrize("played", [0, 1, 7])
def test_what_a_log_happens_to_have_does_not_decide_whether_it_can_answer(played):
    """A log like this has 1.4 such rows on average: none, one and seven are luck, and all are refused."""
    found = sure_log(contrary=70, played=played)
    assert found.verdict.kind == "not supported"
    share = (70 - played) / SURE / N
    assert found.overlap.contrary == pytest.approx(share)
    assert found.overlap.contrary_rows == pytest.approx(share * N / 50.0 if played else 0.0)


def test_the_refusal_says_how_many_rows_there_would_be():
    words = sure_log(contrary=75, played=7).verdict.words
    assert "7% of its decisions go against an arm that had a chance above one half" in words
    assert "a log of 1,000 rows has only about 1.4 rows on average that speak for these" in words


def test_where_such_rows_are_few_one_more_would_count_as_much_as_they_do():
    found = sure_log(contrary=300, played=6)
    assert found.verdict.kind != "not supported"
    assert found.overlap.contrary_weight == pytest.approx(50.0)
    assert found.interval.width > 50.0 / N, "one more row of weight 50 could move the value by this"


def test_candidates_of_other_kinds_are_not_concerned():
    rng = np.random.default_rng(1)
    log = kb.Log(None, rng.integers(2, size=N), rng.random(N).round(), np.full(N, 0.5), 2, learned=False)
    overlap = kb.evaluate(log, {"first": kb.AlwaysArm(0)})["first"].overlap
    assert (overlap.contrary, overlap.contrary_rows, overlap.contrary_weight) == (0.0, np.inf, 0.0)


def test_a_threshold_is_left_alone_where_nothing_is_won_by_it():
    """Weights from 0.5 to 2 and a candidate whose heavy rows earn more: to cut them would be bias without a gain."""
    rng = np.random.default_rng(2)
    heavy = rng.random(20_000) < 0.4
    weights = np.where(heavy, 1.6, 0.6)
    rewards = (rng.random(20_000) < np.where(heavy, 0.7, 0.3)).astype(float)
    rows = kb.WeightedRows(weights, rewards, weights / 2, *np.full((2, 20_000), 0.5))
    plain = kb.DoublyRobust().value(rows)
    assert kb.SwitchDoublyRobust().value(rows) == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("successes", [1, 2, 3])
@pytest.mark.parametrize("high", [1.0, 7.5])
def test_a_bootstrap_of_few_successes_stays_within_reason(successes, high):
    rewards = np.zeros(200)
    rewards[: 2 * successes : 2] = high
    log = kb.Log(None, np.arange(200) % 2, rewards, np.full(200, 0.5), 2, bounds=(0.0, high))
    found = kb.evaluate(log, {"first": kb.AlwaysArm(0)}, interval=kb.StudentizedBootstrap())["first"]
    assert 0.0 <= found.interval.low <= found.value <= found.interval.high <= high
    assert -high <= found.gain_interval.low <= found.gain_interval.high <= high


def test_replayed_intervals_are_plain_numbers():
    log = kb.Log(np.ones((40, 1)), np.arange(40) % 2, np.arange(40) % 3 * 1.0, np.full(40, 0.5), 2)
    live = kb.evaluate(log, {"first": kb.AlwaysArm(0)}, replays={"any": kb.Uniform()}).replays[0]
    assert [type(end) for end in live.interval] == [float, float]
