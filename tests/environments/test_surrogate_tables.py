from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import examples
import kernelbandits as kb
from kernelbandits.environments import LabelledPoints
from kernelbandits.errors import InvalidArgument, InvalidFile

pytestmark = pytest.mark.usefixtures("sound_parquet")

SPEC = kb.Surrogate(examples.TABLE, "offer", "spent", oracle=kb.KernelRidge(kb.Gaussian(4.0) + 1.0, ridge=3.0))


def table(path, n=60, **columns):
    rng = np.random.default_rng(0)
    x, z = rng.random(n), rng.random(n)
    plain = {"arm": np.tile(["a", "b", "c"], n // 3), "reward": x - z + 0.1 * rng.random(n), "x": x, "z": z}
    pl.DataFrame(plain | columns).write_parquet(path)
    return path


def test_means_are_those_of_ridge_oracles_fitted_by_hand(tmp_path):
    """Solve each arm's ridge system for the rows that are not served, and compare on what is."""
    spec = kb.Surrogate(table(tmp_path / "t.parquet"))
    (data, rewards), instance = spec.data(), spec.draw(7)
    kernel = kb.Gaussian(4.0)
    rounds = instance.rounds(40, np.random.default_rng(1))
    for arm in range(3):
        own = data.codes == arm
        served = {row.tobytes() for row in instance.groups[arm]}
        fitted = [i for i in np.flatnonzero(own) if data.points[i].tobytes() not in served]
        assert len(fitted) == own.sum() // 2
        X, y = data.points[fitted], rewards[fitted]
        weights = np.linalg.solve(kernel(X) + 0.1 * np.eye(len(X)), y)
        assert np.allclose(rounds.means[:, arm], kernel(rounds.contexts[:, arm], X) @ weights)


def test_norms_are_exact_and_noise_is_told():
    instance = replace(SPEC, noise_std=0.3).draw(0)
    problem = instance.problem(10)
    assert problem.noise_std == 0.3
    assert np.allclose(problem.reward_norms, [oracle.norm for oracle in instance.oracles])


def test_shared_contexts_are_the_same_for_all_arms():
    contexts = replace(SPEC, contexts=kb.SharedContexts()).draw(0).rounds(20, np.random.default_rng(0)).contexts
    assert np.array_equal(contexts[:, 0], contexts[:, 1])
    contexts = SPEC.draw(0).rounds(20, np.random.default_rng(0)).contexts
    assert not np.array_equal(contexts[:, 0], contexts[:, 1])


def test_every_run_splits_the_rows_anew():
    first, again, other = (SPEC.draw(seed).groups[0] for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert {row.tobytes() for row in first} != {row.tobytes() for row in other}


def test_sizes_are_said():
    counts = np.bincount(SPEC.data()[0].codes)
    halves = counts // 2
    left = counts - halves
    note = f"fitted to {min(halves)} – {max(halves)} rows; its other {min(left)} – {max(left)} are served"
    assert note in SPEC.notes(100)[-3]
    assert "fitted to 25 – 25 rows" in replace(SPEC, n_fit=25).notes(100)[-3]


def test_an_oracle_is_fitted_to_half_of_the_rows_but_no_more_than_the_paper_has():
    codes = np.repeat([0, 1, 2], [30, 4001, 9000])
    data = LabelledPoints(np.zeros((len(codes), 1)), codes, ("a", "b", "c"), ())
    assert SPEC._sizes(data) == [15, 2000, 2000]
    assert replace(SPEC, n_fit=29)._sizes(data) == [29, 29, 29]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"reward": ["1", "much", "2"] * 20}, r"t\.parquet: row 2 .*column 'reward' is 'much', not a number"),
        ({"reward": [1.0, None, 2.0] * 20}, r"row 2 .*column 'reward' is empty \(20 such\)"),
        ({"reward": [1.0, 2.0, float("nan")] * 20}, r"row 3 .*column 'reward' is empty \(20 such\)"),
        ({"reward": [1.0] * 60}, "every reward in column 'reward' is 1; there is nothing to learn"),
        ({"arm": ["a", None, "b"] * 20}, r"row 2 .*column 'arm' is empty"),
        ({"arm": ["a"] * 60}, "every row of column 'arm' has the class 'a'"),
        ({"arm": ["a", "b"] * 29 + ["rare", "rare"]}, r"fewer than 20 rows: 'rare' \(2\)"),
    ],
)
def test_a_table_that_is_no_bandit_is_refused(columns, words, tmp_path):
    with pytest.raises(InvalidFile, match=words) as refusal:
        kb.Surrogate(table(tmp_path / "t.parquet", **columns)).notes(10)
    assert "\n" not in str(refusal.value)


def test_an_arm_with_too_few_rows_for_its_oracle_is_named(tmp_path):
    spec = kb.Surrogate(table(tmp_path / "t.parquet"), n_fit=20)
    with pytest.raises(InvalidFile, match=r"arm 'a' has 20 rows; with n_fit = 20 .*lower n_fit"):
        spec.notes(10)


def test_one_column_cannot_be_both():
    with pytest.raises(InvalidArgument, match="arm and reward must be two columns"):
        kb.Surrogate(examples.TABLE, "spent", "spent")
