"""What a log cannot answer is refused, what it can is not, and what it answers poorly is said."""

import re
import warnings

import numpy as np
import pytest
from made_logs import POLICY, Always, made_log, written_log

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, WeakEvidence
from kernelbandits.offline.overlap import kept_shares, refuse_without_overlap, warn_of_loss


def log_of(chances, n, seed, stated=None, names=()):
    """A log with the given chances of the arms in each row, shape (K,) or (n, K); `stated` are those it claims."""
    rng = np.random.default_rng(seed)
    chances = np.broadcast_to(chances, (n, np.shape(chances)[-1]))
    arms = (rng.random((n, 1)) > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
    stated = np.broadcast_to(chances if stated is None else stated, chances.shape)
    return kb.Log(rng.random((n, 1)), arms, rng.random(n), stated[np.arange(n), arms], chances.shape[1], names)


def refused(log, **options):
    with pytest.raises(InvalidArgument) as refusal:
        kb.replay_log(kb.Uniform(), log, rng=0, **options)
    return str(refusal.value)


@pytest.mark.parametrize("writer", [kb.default_policy(), POLICY, kb.LinearUCB()], ids=repr)
@pytest.mark.parametrize("n", [40, 400])
def test_a_log_of_best_guesses_is_refused(writer, n):
    message = refused(written_log(writer, n, seed=0))
    assert re.search(r"the mean of 1/propensity is 1(\.0\d)? and should be the number of arms, 3", message)
    assert "ExplorationFloor" in message


def test_a_large_log_with_equal_chances_is_plausible():
    """Every arm in exactly a third of the rows: what is within the tolerance is no evidence, however long the log."""
    n = 60_000
    log = kb.Log(np.zeros((n, 1)), np.arange(n) % 3, np.arange(n) % 2.0, np.full(n, 1 / 3), 3)
    refuse_without_overlap(log, 1 / 3)


def test_best_guesses_are_refused_beside_one_row_that_was_not():
    log = log_of([0.5, 0.5], 300, seed=0, stated=np.where(np.arange(300)[:, np.newaxis] == 7, 0.01, 1.0))
    assert "in 100% of its 300 rows" in refused(log)


def test_a_tenth_of_best_guesses_is_too_much():
    sure = (np.arange(300) < 30)[:, np.newaxis]
    assert "in 10% of its 300 rows" in refused(log_of(np.where(sure, [1.0, 0.0, 0.0], 1 / 3), 300, seed=0))


def test_an_arm_that_was_never_played_is_named():
    assert "arm 1 (tea) was never played" in refused(log_of([0.5, 0.0, 0.5], 60, 0, names=("cake", "tea", "coffee")))
    assert "arm 1, 2 was never played" in refused(log_of([1.0, 0.0, 0.0], 60, 0))


@pytest.mark.parametrize(("share", "n"), [(0.2, 12_000), (0.5, 1500), (0.9, 1500)])
def test_an_arm_without_a_chance_in_some_contexts_is_named(share, n):
    """Its propensities are right wherever it was played, and no single row tells."""
    out = (np.arange(n) < share * n)[:, np.newaxis]
    log = log_of(np.where(out, [0.2, 0.4, 0.4, 0.0], [0.1, 0.3, 0.3, 0.3]), n, seed=1)
    with pytest.raises(
        InvalidArgument, match=f"arm 3 should have about {n // 10} of {n} rows; it has .*ExplorationFloor"
    ):
        refuse_without_overlap(log, 0.1)


def test_some_contexts_may_be_lost_unnoticed_but_few():
    n = 3000
    out = (np.arange(n) < 0.03 * n)[:, np.newaxis]
    refuse_without_overlap(log_of(np.where(out, [0.2, 0.4, 0.4, 0.0], [0.1, 0.3, 0.3, 0.3]), n, seed=1), 0.1)


@pytest.mark.parametrize(("stated", "words"), [(0.2, "more often than the propensities say"), (0.45, "best guess")])
def test_propensities_that_cannot_be_right_are_refused(stated, words):
    assert words in refused(log_of(np.full(3, 1 / 3), 600, 0, stated=np.full(3, stated)))


def test_rounded_propensities_are_taken():
    log = log_of(np.full(3, 1 / 3), 200_000, 0, stated=np.full(3, 0.32))
    refuse_without_overlap(log, 0.32)


def test_honest_logs_are_not_refused():
    """500 logs of 2 to 12 arms, with chances that depend on the row; each may be refused with probability 1/1000."""
    rng = np.random.default_rng(0)
    for seed in range(500):
        n_arms, n = int(rng.integers(2, 13)), int(rng.integers(30, 1500))
        floor = rng.uniform(0.02, 1.0) / n_arms
        chances = floor + (1.0 - n_arms * floor) * rng.dirichlet(np.full(n_arms, rng.choice([0.1, 1.0, 10.0])), size=n)
        log = log_of(chances, n, seed)
        if len(np.unique(log.arms)) == n_arms:
            refuse_without_overlap(log, floor)


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_a_log_of_a_learner_with_a_floor_is_not_refused(epsilon):
    for seed in range(5):
        refuse_without_overlap(written_log(kb.ExplorationFloor(kb.LinearUCB(), epsilon), 600, seed), epsilon)


def with_tiny(log, propensity, n=1):
    chances = log.propensities.copy()
    chances[100 : 100 + n] = propensity
    return kb.Log(log.contexts, log.arms, log.rewards, chances, log.n_arms)


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("propensity", [0.1, 0.02])
def test_a_tiny_propensity_costs_no_rows_in_silence(propensity, n):
    log = with_tiny(made_log(600, 0, skewed=False), propensity, n)
    words = rf"{propensity} in row 100, leaves about {600 * propensity:.0f} of 600 rows; floor=0.333 would leave about"
    with pytest.warns(WeakEvidence, match=words) as record:
        kb.replay_log(Always(1), log, rng=0, n_resamples=0)
    assert record[0].filename == __file__, "where the log was replayed"
    replayed = kb.replay_log(Always(1), log, rng=0, floor=0.333, n_resamples=0)
    assert len(replayed.rows) >= 0.95 * (log.arms == 1).sum()
    assert len(kb.replay_log(Always(1), log, rng=0, floor=0.05, n_resamples=0).rows) < 60, "as stated, without a word"


def test_the_largest_floor_that_seems_to_keep_every_arm_is_named():
    log = with_tiny(with_tiny(made_log(600, 0, skewed=False), 0.05, 36), 0.01)
    with pytest.warns(WeakEvidence, match=r"0\.01 in row 100, leaves about 6 of 600 rows; floor=0\.333 would leave"):
        warn_of_loss(log, 0.01)


def test_few_rounds_are_said_where_no_floor_helps():
    log = log_of([0.01, 0.495, 0.495], 900, seed=2)
    with pytest.warns(WeakEvidence, match=r"leaves about 9 of 900 rows; no higher floor seems to keep every arm"):
        kb.replay_log(Always(1), log, rng=0, n_resamples=0)


def test_no_floor_is_named_that_single_rows_rule_out():
    """Twelve rows are too few to miss an arm in; that 0.8 for one leaves 0.2 for the other is certain."""
    arms, chances = np.array([0, 1] * 6), np.array([0.8] * 9 + [0.2] * 3)
    with pytest.warns(WeakEvidence, match=r"leaves about 2 of 12 rows; no higher floor seems to keep every arm"):
        warn_of_loss(kb.Log(np.eye(12), arms, np.ones(12), chances, 2), 0.2)


@pytest.mark.parametrize("n", [60, 5000])
def test_a_floor_of_the_writer_is_not_warned_of(n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_loss(log_of([0.1, 0.8, 0.1], 30 * n, seed=0), 0.1)
        warn_of_loss(log_of(np.full(3, 1 / 3), n, seed=0), 1 / 3)


def test_a_stated_floor_must_leave_every_arm():
    log = log_of([0.05, 0.475, 0.475], 2000, seed=0)
    refuse_without_overlap(log, 0.05)
    assert "arm 0 should have about 400 of 2000 rows; it has" in refused(log, floor=0.2)
    assert "in 94% of its 2000 rows" in refused(log, floor=0.475)


@pytest.mark.parametrize("floor", [0.0, -0.1, 1.1, np.nan])
def test_a_floor_must_be_a_chance(floor):
    assert "floor must be a number above 0 and at most 1" in refused(made_log(60, 0, skewed=False), floor=floor)


def test_rows_are_kept_as_often_as_the_floor_says():
    log = log_of([0.1, 0.3, 0.6], 4000, seed=0)
    assert np.allclose(kept_shares(log, 0.1), np.array([1.0, 1 / 3, 1 / 6])[log.arms])
    assert np.allclose(kept_shares(log, 0.3), np.array([1.0, 1.0, 0.5])[log.arms])
    rows = [len(kb.replay_log(Always(arm), log, 0, floor=0.1, n_resamples=0).rows) for arm in range(3)]
    assert np.allclose(rows, 400, atol=80)
