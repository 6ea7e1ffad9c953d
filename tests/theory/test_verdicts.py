"""The verdict of a diagnosis: right on worlds whose truth is known, and what its numbers are."""

import json
import re

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.regression import MinNormInterpolator
from kernelbandits.theory.diagnosis import Suitability, diagnose, diagnosis_document
from kernelbandits.theory.diagnosis.budgets import rows_by_arm
from kernelbandits.theory.diagnosis.cross_validation import N_FOLDS, held_out_scores, ridge_path
from kernelbandits.theory.diagnosis.permutation import linear_share, permutation_p_value
from kernelbandits.theory.diagnosis.verdict import SIGNAL_LEVEL, judge, verdict_on

SIZES = [(2, 20, 100), (2, 10, 100)]  # arms, features, rows per arm
FEW = [(2, 100, 50), (4, 30, 25), (10, 100, 30)]  # here a verdict may be that there are too few rows


def paper(design, n_arms, dim, n, rng):
    """Rows of every arm of the paper's synthetic bandit, each with its own context."""
    instance = kb.Synthetic(design, n_arms=n_arms, dim=dim).draw(rng)
    rounds = instance.rounds(n * n_arms, rng)
    t = np.arange(n * n_arms)
    arms = t % n_arms
    return rounds.contexts[t, arms], arms, rounds.means[t, arms] + rounds.noise


def linear(n_arms, dim, n, rng):
    X, arms = rng.standard_normal((n * n_arms, dim)), np.arange(n * n_arms) % n_arms
    weights = rng.standard_normal((n_arms, dim)) / np.sqrt(dim)
    return X, arms, np.einsum("ij,ij->i", X, weights[arms]) + 0.3 * rng.standard_normal(len(X))


def noise(n_arms, dim, n, rng):
    X, arms = rng.standard_normal((n * n_arms, dim)), np.arange(n * n_arms) % n_arms
    return X, arms, rng.standard_normal(len(X))


def levels(n_arms, dim, n, rng):
    X, arms, y = noise(n_arms, dim, n, rng)
    return X, arms, y + arms


def coins(n_arms, dim, n, rng):
    X, arms, _ = noise(n_arms, dim, n, rng)
    return X, arms, (rng.random(len(X)) < 0.1 + 0.5 * arms / n_arms).astype(float)


WORLDS = {
    "low rank": (lambda *size: paper(kb.LowRank(), *size), Suitability.INTERPOLATION),
    "approximately low rank": (lambda *size: paper(kb.ApproximateLowRank(), *size), Suitability.INTERPOLATION),
    "spectral decay": (lambda *size: paper(kb.SpectralDecay(), *size), Suitability.INTERPOLATION),
    "linear": (linear, Suitability.LINEAR),
    "noise": (noise, Suitability.NO_CONTEXT),
    "levels": (levels, Suitability.NO_CONTEXT),
    "coins": (coins, Suitability.NO_CONTEXT),
}


def scores_of(X, arms, y, most=1000):
    return held_out_scores(kb.Gaussian(4.0), X, y, rows_by_arm(arms, len(y)), most)[0]


def is_right(kind, expected):
    """Whether a verdict says what the world is like, or that there are too few rows to tell."""
    undecided = kind is Suitability.UNDECIDED and expected is not Suitability.NO_CONTEXT
    return undecided or kind in (expected, Suitability.TOO_FEW)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("n_draws", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_right_on_every_draw(world, size, n_draws):
    make, expected = WORLDS[world]
    found = [judge(scores_of(*make(*size, np.random.default_rng([seed, *size])))) for seed in range(n_draws)]
    assert [kind for kind in found if not is_right(kind, expected)] == []
    assert found.count(expected) >= 0.9 * n_draws


def test_interpolated_noise_is_worse_than_the_mean():
    """Smooth effects in four dimensions under noise: ridge sees them, the interpolator follows the noise."""
    rng = np.random.default_rng(3)
    X, arms = rng.standard_normal((600, 4)) * 0.7, np.arange(600) % 2
    y = np.sin(3.0 * X[:, 0]) + np.cos(2.0 * X[:, 1]) + 0.6 * rng.standard_normal(600)
    report = diagnose(X, arms, y)
    assert report.verdict.kind is Suitability.MEAN
    assert report.verdict.text.startswith(
        "Kernel interpolation is worse than predicting the mean: take the default policy (held-out R²: interpolation −"
    )
    assert report.recommendation is None
    assert "no data-driven budget: interpolation is no better than the mean" in report.notes
    assert report.held_out.pooled.scores["ridge"].r_squared > 0.1


def test_ridge_may_be_clearly_better():
    rng = np.random.default_rng(3)
    X, arms = rng.standard_normal((800, 6)) * 0.7, np.arange(800) % 2
    y = 2.0 * X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 0]) + 0.7 * rng.standard_normal(800)
    report = diagnose(X, arms, y)
    assert report.verdict.kind is Suitability.RIDGE
    assert report.verdict.text.startswith("Ridge predicts better than interpolation: take the default policy (")
    assert report.recommendation is not None


def test_first_line_budget_and_record():
    X, arms, y = paper(kb.LowRank(), 4, 40, 100, np.random.default_rng(0))
    report = diagnose(X, arms, y, horizon=20_000)
    about = float(f"{report.recommendation.n_explore:.2g}")
    assert report.verdict.text.startswith(
        f"Kernel interpolation works here: explore about {about:,.0f} of 20,000 rounds"
    )
    document = diagnosis_document(report)
    assert document.sections[0].lines == (report.verdict.text,)
    assert report.verdict.text.partition(" (")[0] in document.html()
    record = json.loads(document.json())
    assert record["verdict"] == {"kind": "interpolation", "text": report.verdict.text}
    own = record["held_out"]["pooled"]["interpolation"]
    assert f"interpolation {own['r_squared']:.2f} ± {own['r_squared_error']:.2f}" in report.verdict.text
    assert [arm["arm"] for arm in record["held_out"]["arms"]] == ["0", "1", "2", "3"]


def test_arms_that_pay_alike_are_said_to():
    X, arms, y = noise(3, 5, 200, np.random.default_rng(1))
    assert ", and the arms pay alike (p = " in diagnose(X, arms, y).verdict.text
    assert "pay alike" not in diagnose(X, arms, y + arms).verdict.text
    assert diagnose(X, arms, y + arms).recommendation is None
    few = diagnose(*levels(2, 5, 60, np.random.default_rng(2))).verdict.text
    assert re.search(
        r"will do \(p = 0\.\d+ in 120 rows; a linear effect may still be up to 1?\d% of their variance", few
    )


def test_few_rows_and_no_rewards():
    X, arms, y = noise(3, 5, 12, np.random.default_rng(1))
    few = diagnose(X, arms, y).verdict
    assert few.kind is Suitability.TOO_FEW
    assert few.text.startswith("Too few rows to tell whether contexts help: 36 rows, at most 12 of one arm, show")
    assert diagnose(X[:9], arms[:9], y[:9]).verdict.kind is Suitability.TOO_FEW
    assert diagnose(X, arms, np.zeros(36)).verdict.kind is Suitability.TOO_FEW
    assert diagnose(X).verdict.kind is Suitability.NO_REWARDS


@pytest.mark.parametrize("change", [lambda y: y + 1e4, lambda y: 1e-3 * y, lambda y: -y])
def test_level_unit_and_sign_of_rewards_do_not_matter(change):
    X, arms, y = paper(kb.LowRank(), 2, 30, 60, np.random.default_rng(0))
    first, second = scores_of(X, arms, y).pooled.scores, scores_of(X, arms, change(y)).pooled.scores
    for name, score in first.items():
        assert second[name].r_squared == pytest.approx(score.r_squared, abs=1e-6)
        assert second[name].correlation == pytest.approx(score.correlation, abs=1e-6)


def test_scores_are_those_of_refitting():
    """Five folds, refitted by hand; one arm."""
    X, arms, y = paper(kb.LowRank(), 2, 10, 30, np.random.default_rng(0))
    X, y = X[arms == 0], y[arms == 0]
    fold = np.random.default_rng(0).permutation(len(y)) % N_FOLDS
    errors, chance = [], []
    for k in range(N_FOLDS):
        fitted, held = fold != k, fold == k
        mean = y[fitted].mean()
        predictor = MinNormInterpolator(kb.Gaussian(4.0)).fit(X[fitted], y[fitted] - mean)
        errors.extend((y[held] - mean - predictor.mean(X[held])) ** 2)
        chance.extend((y[held] - mean) ** 2)
    found, _ = held_out_scores(kb.Gaussian(4.0), X, y, rows_by_arm(None, len(y)), 1000)
    assert found.arms == ()
    assert found.pooled.scores["interpolation"].r_squared == pytest.approx(1 - np.sum(errors) / np.sum(chance))


def test_ridge_path_is_that_of_leaving_rows_out():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((15, 3)), rng.standard_normal(15)
    gram = kb.Gaussian(1.0).gram(X)
    weights, errors = ridge_path(gram, y)
    for j, ridge in enumerate(np.trace(gram) / 15 * np.geomspace(1e-6, 1e4, 21)):
        np.testing.assert_allclose(weights[:, j], np.linalg.solve(gram + ridge * np.eye(15), y), rtol=1e-6)
        left = [np.delete(np.arange(15), i) for i in range(15)]
        fits = [np.linalg.solve(gram[np.ix_(rows, rows)] + ridge * np.eye(14), y[rows]) for rows in left]
        missed = [y[i] - gram[i, rows] @ fit for i, (rows, fit) in enumerate(zip(left, fits, strict=True))]
        assert errors[j] == pytest.approx(np.sum(np.square(missed)), rel=1e-6)
    assert np.isfinite(ridge_path(np.zeros((5, 5)), np.ones(5))[0]).all()


def test_p_values_are_about_uniform_without_an_effect():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        X = rng.standard_normal((30, 4))
        found.append(permutation_p_value([((X @ X.T,), rng.exponential(size=30))], rng))
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(found) <= level) == pytest.approx(level, abs=3.5 * np.sqrt(level / 300))
    assert min(found) > SIGNAL_LEVEL / 5


def test_many_arms_and_rows_are_sampled_and_said_to():
    X, arms, y = noise(60, 3, 12, np.random.default_rng(0))
    _, notes = held_out_scores(kb.Gaussian(4.0), X, y, rows_by_arm(arms, len(y)), 11)
    assert notes == [
        "held-out errors: 50 of 60 arms are used",
        "held-out errors: 11 evenly spaced rows are used of 50 of 50 arms",
    ]


def test_a_table_in_raw_units_with_texts_gaps_and_dates(tmp_path):
    """The first line of the command; raw units are scaled, and the notes tell how."""
    rng = np.random.default_rng(0)
    n = 1200
    z = rng.standard_normal((n, 4))
    arms = rng.integers(2, size=n)
    effect = np.tanh(z[:, 0] * (2 * arms - 1)) + 0.5 * (z[:, 3] > 0)
    frame = pl.DataFrame(
        {
            "age": pl.Series(np.where(rng.random(n) < 0.05, np.nan, 45.0 + 12.0 * z[:, 0]), nan_to_null=True),
            "income": 4e4 * np.exp(0.5 * z[:, 1]),
            "when": pl.Series((1.7e9 + 1e6 * z[:, 2]).astype(np.int64) * 1_000_000).cast(pl.Datetime("us")),
            "city": pl.Series(np.where(z[:, 3] > 0, "Rome", "Oslo")),
            "offer": pl.Series([["none", "10 %"][arm] for arm in arms]),
            "spent": effect + 0.1 * rng.standard_normal(n),
        }
    )
    frame.write_parquet(tmp_path / "shop.parquet")
    options = ["--arm-column", "offer", "--reward-column", "spent", "--horizon", "20000"]
    done = run("diagnose", str(tmp_path / "shop.parquet"), *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Kernel interpolation is worse than predicting the mean: take the default policy (")
    for note in (
        "missing numbers in 'age'",
        "dates and times as numbers: 'when'",
        "1 categorical column as",
        "6 features",
    ):
        assert f"Note: {note}" in done.stdout or note in done.stdout
    raw = run("diagnose", str(tmp_path / "shop.parquet"), *options, "--as-given", "--json", cwd=tmp_path)
    record = json.loads(raw.stdout)
    assert record["encoder"] is None
    assert any("differ by a factor of" in note for note in record["notes"])


@pytest.mark.parametrize("size", FEW, ids=str)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("n_draws", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_few_rows_are_said_to_be_too_few(world, size, n_draws):
    make, expected = WORLDS[world]
    found = [judge(scores_of(*make(*size, np.random.default_rng([seed, *size])))) for seed in range(n_draws)]
    assert [kind for kind in found if not is_right(kind, expected)] == []


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_linear_share_is_estimated_with_its_error(share):
    """Even where rows are far too few to fit a linear model: 25 per arm, 60 features."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(30):
        arms = []
        for _ in range(10):
            X, noise = rng.standard_normal((25, 60)), rng.standard_normal(25)
            y = np.sqrt(share) * X @ rng.standard_normal(60) / np.sqrt(60) + np.sqrt(1.0 - share) * noise
            arms.append((X @ X.T, y))
        found.append(linear_share(arms))
    estimates, errors = np.array(found).T
    assert estimates.mean() == pytest.approx(share, abs=0.1)
    if not share:
        assert estimates.std() == pytest.approx(errors.mean(), rel=0.4)
    assert linear_share([(np.zeros((3, 3)), np.arange(3.0))]) == (0.0, np.inf)


def test_a_verdict_that_leaves_it_open_shows_the_numbers():
    X, arms, y = linear(2, 100, 50, np.random.default_rng([0, 2, 100, 50]))
    found, groups = scores_of(X, arms, y), [np.flatnonzero(arms == arm) for arm in (0, 1)]
    verdict = verdict_on(found, None, groups, y)
    assert verdict.kind is Suitability.UNDECIDED
    assert verdict.text.startswith("Contexts help, but there are too few rows to tell whether a linear model predicts")
    assert "correlation: interpolation 0." in verdict.text
    for p, told in {
        0.02: "show no effect of contexts beyond chance (p = 0.02; a linear effect may still be up to 100% of their",
        0.002: "hint at an effect of contexts without proving it (p = 0.002, asked 0.0005)",
    }.items():
        open_question = verdict_on(found._replace(signal=p), None, groups, y)
        assert open_question.kind is Suitability.TOO_FEW
        assert told in open_question.text


def test_interpolation_does_not_work_in_five_dimensions_with_noise():
    make, _ = WORLDS["low rank"]
    found = [judge(scores_of(*make(2, 5, 100, np.random.default_rng(seed)))) for seed in range(4)]
    assert {*found} <= {Suitability.MEAN, Suitability.RIDGE}


def test_the_first_words_tell_of_a_linear_model_that_predicts_better():
    X, arms, y = paper(kb.LowRank(), 4, 40, 100, np.random.default_rng(0))
    found, groups = scores_of(X, arms, y), [np.flatnonzero(arms == arm) for arm in range(4)]
    linear = found.pooled.scores["linear"].r_squared
    better = ", but a linear model predicts somewhat better: take the default policy or LinearUCB"
    said = {  # by how many errors its correlation and its R² are ahead, and by how much the latter
        (-3.0, 4.0, 0.2): ": take the default policy (",
        (0.5, 1.0, 0.2): ": take the default policy; a linear model does as well (",
        (0.5, 4.0, 0.05): ": take the default policy; a linear model does as well (",
        (0.5, 4.0, 0.2): f"{better} (",
    }
    for (ahead, gained, more), words in said.items():
        own = found.pooled.scores["interpolation"]._replace(r_squared=linear - more)
        pooled = found.pooled._replace(scores={**found.pooled.scores, "interpolation": own})
        advantage, gain = {"ridge": 0.0, "linear": ahead}, {"ridge": 0.0, "linear": gained}
        changed = found._replace(pooled=pooled, advantage=advantage, gain=gain)
        assert verdict_on(changed, None, groups, y).text.startswith(f"Kernel interpolation works here{words}")
    advice = diagnose(X, arms, y, horizon=20_000).recommendation
    told = verdict_on(changed, advice, groups, y).text
    assert re.search(r"LinearUCB, or explore about [\d,]+ of 20,000 rounds and interpolate \(held-out", told)


def test_without_an_effect_the_linear_share_varies_by_its_standard_error():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(400):
        arms = [(X @ X.T, rng.standard_normal(30)) for X in rng.standard_normal((2, 30, 5))]
        share, error = linear_share(arms)
        found.append(share / error)
    assert np.std(found) == pytest.approx(1.0, abs=0.15)
