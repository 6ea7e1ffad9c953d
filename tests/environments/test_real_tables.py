"""Real data sets load and can be played. They are not part of this repository."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.theory.diagnosis import Suitability, diagnose

FOLDER = os.environ.get("KERNELBANDITS_DATA_DIR")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="KERNELBANDITS_DATA_DIR is not set: real data are not at hand")

PIXELS = kb.Encoding(scaling=kb.CommonUnit(), dim=50)
DOSE = "Therapeutic Dose of Warfarin"
CLINIC = kb.Encoding(categorical=("Indication for Warfarin Treatment",), drop=("Comorbidities", "Medications"))

# file, fields, rows, features, classes with their rows
SETS = {
    "mnist": ("mnist_t10k.npz", {"encoding": PIXELS}, 50, {"0": 980, "1": 1135, "9": 1009}),
    "isolet": ("isolet1.npz", {"encoding": PIXELS}, 50, {"1": 60, "26": 60}),
    "mushroom": ("mushroom.csv.gz", {"label": "class"}, 116, {"e": 4208, "p": 3916}),
    "adult": ("adult_train.csv.gz", {"label": "income"}, 108, {"<=50K": 24720, ">50K": 7841}),
    "warfarin": (
        "warfarin_iwpc.csv.gz",
        {"label": DOSE, "cuts": (21.0, 49.001), "encoding": CLINIC},
        213,
        {"below 21": 1495, "21 to 49.001": 3382, "from 49.001": 651},
    ),
}


@cache
def read(name):
    file, fields, _, _ = SETS[name]
    environment = kb.Classification(Path(str(FOLDER)) / file, **fields)
    return environment, environment.data()


@pytest.mark.parametrize("name", SETS)
def test_a_real_table_is_a_bandit(name):
    _, _, dim, some_counts = SETS[name]
    environment, data = read(name)
    counts = dict(zip(data.names, np.bincount(data.codes).tolist(), strict=True))
    assert some_counts.items() <= counts.items()
    assert data.points.shape == (sum(counts.values()), dim)
    assert np.isclose(np.mean(data.points**2), 0.5)

    policy = kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(4.0), 0.1), n_explore=500)
    instance = environment.draw(rng=0)
    regrets = kb.play(policy, instance, 1000, rng=1).regrets
    uniform = kb.play(kb.Uniform(), instance, 1000, rng=1).regrets
    assert regrets[500:].mean() < 0.8 * uniform.mean()
    assert not kb.play(kb.Oracle(), instance, 100, rng=1).regrets.any()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in ("mnist", "mushroom") else ()) for name in SETS]
)
def test_the_verdict_agrees_with_who_wins(name):
    """Where interpolation fails (adult, warfarin), Explore-then-Commit with it is no better than without contexts."""
    _, data = read(name)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(data.codes))[: 1500 if name == "adult" else 900]
    arms = rng.integers(len(data.names), size=len(rows))
    verdict = diagnose(data.points[rows], arms, (data.codes[rows] == arms).astype(float)).verdict
    expected = Suitability.MEAN if name in ("adult", "warfarin") else Suitability.INTERPOLATION
    assert verdict.kind is expected
