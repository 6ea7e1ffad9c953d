"""The noise of surrogate worlds is that of the table, and a world in which nothing is explained is warned of."""

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.environments.held_out import noise_deviations, oracle_quality
from kernelbandits.errors import WeakEvidence

pytestmark = pytest.mark.usefixtures("sound_parquet")

ORACLE = kb.KernelRidge(kb.Gaussian(1.0) + 1.0, ridge=1.0)


def table(path, noise_std, n=600, signal=1.0, level=0.0):
    """Three arms with other functions of two features, each with its own noise, in n rows each."""
    rng = np.random.default_rng(0)
    x, z = rng.standard_normal((2, 3 * n))
    arms = np.tile(np.arange(3), n)
    worth = np.stack([x, np.tanh(2 * z), -x], axis=1)[np.arange(3 * n), arms]
    rewards = level + signal * worth + np.array(noise_std)[arms] * rng.standard_normal(3 * n)
    pl.DataFrame({"arm": arms, "reward": rewards, "x": x, "z": z}).write_parquet(path)
    return kb.Surrogate(path, encoding=kb.Encoding(categorical=()), oracle=ORACLE)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 16.0])
def test_the_noise_is_that_of_the_table(unit, tmp_path):
    noise_std = unit * np.array([0.3, 1.0, 3.0])
    spec = table(tmp_path / "t.parquet", noise_std, signal=unit)
    found = spec.draw(0).noise_std
    assert np.allclose(found, noise_std, rtol=0.15)
    assert np.array_equal(found, spec.draw(1).noise_std), "the same in every run"
    assert spec.draw(0).problem().noise_std == found.max()
    rounds = spec.draw(0).rounds(2000, np.random.default_rng(3))
    assert np.allclose(rounds.noise.std(axis=0), found, rtol=0.05)


def test_notes_say_the_noise_and_what_is_explained(tmp_path):
    spec = table(tmp_path / "t.parquet", [0.3, 1.0, 3.0])
    quality = spec.quality()
    low, high = f"{quality.noise_std.min():.3g}", f"{quality.noise_std.max():.3g}"
    *_, explained, noise = spec.notes(100)
    assert explained.startswith(f"oracles: R² = {quality.average:.2g} on rows that are not fitted (")
    assert (
        noise
        == f"standard deviation of the noise: {low} – {high}, estimated for each arm from rows that are not fitted"
    )
    stated = kb.Surrogate(spec.path, oracle=ORACLE, noise_std=0.25)
    assert f"noise: 0.25 as stated ({low} – {high}, estimated" in stated.notes(100)[-1]
    assert stated.draw(0).noise_std == 0.25
    assert kb.Surrogate(spec.path, oracle=ORACLE, noise_std=0.0).draw(0).noise_std == 0.0


def test_r_squared_is_that_of_rows_which_are_not_fitted(tmp_path):
    """Signal and noise of variance 1 each leave half to be explained, whatever the level of the rewards."""
    quality = table(tmp_path / "t.parquet", [1.0, 0.0, 1.0], n=900).quality()
    assert np.allclose(quality.r_squared, [0.5, 1.0, 0.5], atol=0.12)
    assert quality.average == pytest.approx(quality.r_squared.mean(), rel=1e-12), "as many rows of each arm"
    assert quality.explains


def test_an_oracle_that_remembers_is_not_believed(tmp_path):
    """It fits its own rows exactly, whatever they are: what it has not seen tells the noise."""
    spec = table(tmp_path / "t.parquet", [2.0, 2.0, 2.0], n=200, signal=0.0)
    spec = kb.Surrogate(spec.path, oracle=kb.KernelRidge(kb.Laplace(1.0), ridge=1e-9))
    quality = spec.quality()
    assert (quality.noise_std > 1.8).all()
    assert (quality.r_squared < 0.0).all()
    assert not quality.explains


@pytest.mark.parametrize("noise_std", [None, 0.01])
def test_a_world_that_explains_nothing_is_warned_of(noise_std, tmp_path):
    path = table(tmp_path / "t.parquet", [1.0, 1.0, 1.0], n=100, signal=0.0, level=5.0).path
    spec = kb.Surrogate(path, oracle=ORACLE, noise_std=noise_std)
    for _ in range(2):
        with pytest.warns(
            WeakEvidence, match=r"t\.parquet: the oracles explain nothing beyond chance: R² = "
        ) as record:
            spec.draw(0)
    assert record[0].filename == __file__
    assert "explain nothing beyond chance" in spec.notes(100)[-2]


def test_noise_decides_who_wins(tmp_path):
    """With almost no noise even a greedy learner looks perfect; at the noise of the table it has much to lose."""
    path = table(tmp_path / "t.parquet", [3.0, 3.0, 3.0], n=900).path
    greedy = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(1.0), ridge=0.01), n_explore=30)
    lost = {}
    for noise_std in (None, 0.01):
        instance = kb.Surrogate(path, oracle=ORACLE, noise_std=noise_std, contexts=kb.SharedContexts()).draw(0)
        lost[noise_std] = sum(kb.play(greedy, instance, 200, rng=seed).regrets[30:].sum() for seed in range(8))
    assert lost[None] > 2.0 * lost[0.01]


def squares(noise_std, sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [(np.broadcast_to(noise_std, len(sizes))[arm] * rng.standard_normal(n)) ** 2 for arm, n in enumerate(sizes)]


def test_an_arm_with_few_rows_borrows_from_the_others():
    """Ten arms of equal noise: the estimates are nearer to it than each arm's own, on average."""
    for n in (1, 5):
        own, found = [], []
        for seed in range(50):
            values = squares(2.0, [n] * 10, seed)
            own += [np.sqrt(value.mean()) for value in values]
            found += noise_deviations(values).tolist()
        off_own, off_found = (np.mean((np.log(np.array(each)) - np.log(2.0)) ** 2) for each in (own, found))
        assert off_found < 0.5 * off_own
        assert np.exp(np.mean(np.log(found))) == pytest.approx(2.0, rel=0.1)


def test_an_arm_with_many_rows_keeps_its_own_noise():
    noise_std = np.array([0.1, 1.0, 1.5, 20.0])
    found = noise_deviations(squares(noise_std, [4000] * 4))
    assert np.allclose(found, noise_std, rtol=0.03)


def test_noise_has_the_unit_of_the_rewards():
    values = squares([1.0, 2.0, 4.0], [7, 30, 4])
    assert np.allclose(noise_deviations([9.0 * value for value in values]), 3.0 * noise_deviations(values))


def test_noise_without_residuals():
    assert noise_deviations([np.zeros(3), np.zeros(5)]).tolist() == [0.0, 0.0]
    assert noise_deviations([np.full(200, 4.0)]) == pytest.approx([2.0], rel=0.01), (
        "a single arm has none to borrow from"
    )


@pytest.mark.parametrize("n", [40, 4000])
def test_an_arm_without_residuals_may_have_been_lucky(n):
    found = noise_deviations([np.zeros(n), np.full(n, 4.0), np.full(n, 4.0)])
    assert 2.0 / np.sqrt(n + 1) == pytest.approx(found[0], rel=0.1)
    assert np.allclose(found[1:], 2.0, rtol=0.05)


def test_rare_outcomes_are_not_taken_for_a_difference():
    """Eight arms with 0 to 6 clicks in 400 rows: chance. Their own deviations differ by a factor of 2 and more."""
    rng = np.random.default_rng(3)
    clicks = [(rng.random(400) < 0.005).astype(float) for _ in range(8)]
    own, found = np.sqrt([values.mean() for values in clicks]), noise_deviations(clicks)
    assert own.max() > 2 * own.min()
    assert found.max() < 1.5 * found.min()
    assert np.allclose(found, np.sqrt(0.005), rtol=0.35)


def test_an_arm_whose_rewards_do_not_vary_has_nothing_to_explain():
    X, y = np.random.default_rng(0).standard_normal((2, 50, 2))
    flat = kb.KernelRidge(kb.Gaussian(1.0), ridge=1.0).fit(X, np.zeros(50)).expansion
    good = kb.KernelRidge(kb.Gaussian(1.0), ridge=1e-3).fit(X, y[:, 0]).expansion
    quality = oracle_quality([flat, good], [0.0, y[:, 0].mean()], [(X, np.zeros(50)), (X, y[:, 0])])
    assert quality.r_squared[0] == 0.0
    assert quality.r_squared[1] > 0.5
    assert quality.average == pytest.approx(quality.r_squared.mean())


def test_a_little_may_be_explained_by_chance():
    """The oracle halves the error of every row, or of 6 in 10 and doubles that of the others."""
    X = np.zeros((10, 1))
    one = kb.KernelRidge(kb.Gaussian(1.0), ridge=1e-12).fit(X[:1], np.ones(1)).expansion
    sure = oracle_quality([one], [0.0], [(X, np.full(10, 2.0))])
    assert sure.r_squared == pytest.approx([0.75])
    assert sure.explains
    chance = oracle_quality([one], [0.0], [(X, np.array([2.0] * 6 + [-1.0] * 4))])
    assert chance.r_squared == pytest.approx([1 - (6 + 16) / 28])
    assert not chance.explains
