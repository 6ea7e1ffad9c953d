"""Golden values of zr-obp's estimators on its samples, and slow formulas."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb

DATA = os.environ.get("KERNELBANDITS_DATA_DIR")
ESTIMATORS = [
    kb.InversePropensity(),
    kb.ClippedWeights(10.0),
    kb.SelfNormalized(),
    kb.DirectMethod(),
    kb.DoublyRobust(),
    kb.SelfNormalizedDoublyRobust(),
    kb.SwitchDoublyRobust(10.0),
    kb.ShrunkDoublyRobust(10.0),
    kb.SubGaussianWeights(0.01),
    kb.SubGaussianDoublyRobust(0.01),
]
GOLDEN = {
    "men": [
        0.0030086263272564818,
        0.0030086263272564818,
        0.0031894231622774027,
        0.0052106178480213119,
        0.0032355186335448864,
        0.0031168293554532226,
        0.0046439640715674069,
        0.0049140592064841624,
        0.0029798617361041471,
        0.0035966953825904546,
    ],
    "women": [
        0.0074375775419231599,
        0.0043836691861280112,
        0.0023730461434477677,
        0.0047157179598208282,
        -0.0012634864715960364,
        0.0028079828220180531,
        0.0042512411135333947,
        0.0045585639039655455,
        0.0062318804205107221,
        0.0069164062388299670,
    ],
}
N_ITEMS = {"men": 34, "women": 46}


def open_bandit_rows(part):
    """The log of Thompson sampling as a uniform candidate sees it, with one smoothed click rate per item."""
    table = pl.read_csv(Path(DATA) / f"obd_bts_{part}.csv.gz")
    items, clicks = table["item_id"].to_numpy(), table["click"].to_numpy().astype(float)
    K, n = N_ITEMS[part], len(items)
    rates = (np.bincount(items, clicks, K) + 1) / (np.bincount(items, minlength=K) + 200)
    weights = 1 / K / table["propensity_score"].to_numpy()
    return kb.WeightedRows(weights, clicks, np.full(n, 1 / K), rates[items], np.full(n, rates.mean()))


@pytest.mark.skipif(DATA is None, reason="KERNELBANDITS_DATA_DIR is not set")
@pytest.mark.parametrize("part", GOLDEN)
def test_golden_values_of_the_open_bandit_samples(part):
    rows = open_bandit_rows(part)
    for estimator, golden in zip(ESTIMATORS, GOLDEN[part], strict=True):
        assert estimator.value(rows) == pytest.approx(golden, abs=1e-12), estimator
    assert (round(rows.effective_size, 1), round(rows.weights.max())) == {
        "men": (655.7, 178),
        "women": (2.1, 21739),
    }[part]


def made_rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    chances = rng.random(n)
    return kb.WeightedRows(chances / rng.uniform(0.05, 1, n), rng.random(n), chances, rng.random(n), rng.random(n))


ORACLES = {
    kb.InversePropensity(): lambda w, r, q, v, p: np.mean(w * r),
    kb.SelfNormalized(): lambda w, r, q, v, p: np.sum(w * r) / np.sum(w),
    kb.ClippedWeights(2.0): lambda w, r, q, v, p: np.mean(np.where(w > 2, 2, w) * r),
    kb.SubGaussianWeights(0.2): lambda w, r, q, v, p: np.mean(w * r / (0.8 + 0.2 * w)),
    kb.DirectMethod(): lambda w, r, q, v, p: np.mean(v),
    kb.DoublyRobust(): lambda w, r, q, v, p: np.mean(v) + np.mean(w * (r - q)),
    kb.SelfNormalizedDoublyRobust(): lambda w, r, q, v, p: np.mean(v) + np.sum(w * (r - q)) / np.sum(w),
    kb.SwitchDoublyRobust(2.0): lambda w, r, q, v, p: np.mean(v) + np.mean((w * (r - q))[w <= 2]) * np.mean(w <= 2),
    kb.ShrunkDoublyRobust(3.0): lambda w, r, q, v, p: np.mean(v + 3 * w / (w**2 + 3) * (r - q)),
    kb.SubGaussianDoublyRobust(0.2): lambda w, r, q, v, p: np.mean(v + w / (0.8 + 0.2 * w) * (r - q)),
    kb.Replay(): lambda w, r, q, v, p: np.sum(p * r) / np.sum(p),
}


@pytest.mark.parametrize("estimator", ORACLES, ids=repr)
def test_the_formula(estimator):
    rows = made_rows()
    direct = ORACLES[estimator](rows.weights, rows.rewards, rows.predicted, rows.expected, rows.chances)
    assert estimator.value(rows) == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize("estimator", ORACLES, ids=repr)
def test_the_spread_of_scores_is_that_of_the_estimate(estimator):
    """Also for ratios: 300 resampled logs vary as the scores say."""
    rows, rng = made_rows(1500), np.random.default_rng(1)
    arrays = (rows.weights, rows.rewards, rows.chances, rows.predicted, rows.expected)
    values = []
    for _ in range(300):
        drawn = rng.integers(len(rows), size=len(rows))
        values.append(estimator.value(kb.WeightedRows(*(array[drawn] for array in arrays))))
    assert np.std(values) == pytest.approx(estimator.scores(rows).std() / np.sqrt(len(rows)), rel=0.15)


@pytest.mark.parametrize("estimator", [kb.ClippedWeights(), kb.SwitchDoublyRobust(), kb.ShrunkDoublyRobust()], ids=repr)
def test_a_threshold_is_chosen_that_neither_clips_all_nor_lets_one_row_decide(estimator):
    """Without bias a small threshold is taken; with bias that shows, a large one."""
    rng = np.random.default_rng(2)
    n = 4000
    weights = rng.pareto(1.2, n)
    weights /= weights.mean()
    fair = kb.WeightedRows(weights, np.full(n, 0.5), np.ones(n), np.full(n, 0.5), np.full(n, 0.5))
    paid = kb.WeightedRows(weights, (weights > 2) * 1.0, np.ones(n), np.zeros(n), np.zeros(n))
    plain = kb.InversePropensity().scores(fair)
    assert estimator.scores(fair).std() <= plain.std()
    assert estimator.value(paid) > 0.3 * kb.InversePropensity().value(paid)


def test_all_weights_zero():
    rows = kb.WeightedRows(np.zeros(5), np.ones(5), np.zeros(5), np.ones(5), np.ones(5))
    assert kb.SelfNormalized().value(rows) == 0.0
    assert rows.effective_size == 0.0
