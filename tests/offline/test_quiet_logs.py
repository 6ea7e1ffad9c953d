"""Logs in which nothing varies, times in every unit, and encoders that were fitted elsewhere."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb


def test_equal_scores_leave_everything_possible():
    """A direct method that predicts the same in every row says nothing of its own error."""
    log = kb.Log(None, np.tile([0, 1], 50), np.tile([1.0, 0, 0, 0], 25), np.full(100, 0.5), 2)
    found = kb.evaluate(log, {"first": kb.AlwaysArm(0)})["first"]
    direct = next(each for each in found.estimates if each.estimator == "DirectMethod")
    assert (direct.interval.low, direct.interval.high) == (0.0, 1.0)
    assert 0.0 <= found.interval.low <= found.value <= found.interval.high <= 1.0


def test_a_candidate_that_decides_as_the_log_did_gains_nothing():
    rng = np.random.default_rng(0)
    log = kb.Log(None, rng.integers(3, size=300), rng.random(300), np.full(300, 1 / 3), 3)
    found = kb.evaluate(log, {"the same": kb.UniformArms(), "first": kb.AlwaysArm(0)})
    same = found["the same"]
    assert (same.gain, same.gain_interval.low, same.gain_interval.high) == (0.0, 0.0, 0.0)
    assert same.verdict.words == "not told apart: it decides as the policy that wrote the log"
    assert found["first"].gain_interval.width > 0.0


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_times_are_seconds_in_every_unit(unit, zone):
    day = timedelta(days=1)
    times = pl.Series([datetime(2026, 1, 1) + i * day for i in range(4)]).cast(pl.Datetime(unit))
    times = times if zone is None else times.dt.replace_time_zone(zone)
    table = {"arm": ["a", "b"] * 2, "reward": [1.0, 0, 0, 1], "propensity": [0.5] * 4, "time": times}
    assert np.diff(kb.read_log(table).times).tolist() == [86_400.0] * 3


@pytest.mark.parametrize(
    "times", [pl.Series([0, 1, 2, 3], dtype=pl.Duration("ms")), pl.Series(["00:00:01"] * 4).str.to_time()]
)
def test_times_of_day_and_durations_are_read(times):
    table = {"arm": ["a", "b"] * 2, "reward": [1.0, 0, 0, 1], "propensity": [0.5] * 4, "time": times}
    steps = np.diff(kb.read_log(table).times)
    assert steps == pytest.approx([0.001] * 3 if times.dtype == pl.Duration else [0.0] * 3)


def test_a_table_in_memory_is_read_with_a_fitted_encoder():
    table = {"age": [20, 30, 40, 50], "arm": ["a", "b"] * 2, "reward": [1.0, 0, 0, 1], "propensity": [0.5] * 4}
    encoder = kb.Encoding().fit({"age": [0.0, 100.0]})
    with kb.open_log(table, encoder=encoder) as log:
        assert log.contexts.tolist() == encoder.transform({"age": table["age"]}).tolist()


def test_a_fitted_encoder_finds_columns_that_have_another_use_in_the_log(tmp_path):
    """A bandit that was fitted without a column of propensities takes that column for a feature."""
    table = {"arm": ["a", "b"] * 2, "reward": [1.0, 0, 0, 1], "propensity": [0.5, 0.4, 0.6, 0.5]}
    pl.DataFrame(table).write_parquet(tmp_path / "log.parquet")
    encoder = kb.Encoding().fit({"propensity": [0.4, 0.6]})
    for source in (table, tmp_path / "log.parquet"):
        with kb.open_log(source, encoder=encoder) as log:
            assert log.contexts[0:4].tolist() == encoder.transform({"propensity": table["propensity"]}).tolist()
