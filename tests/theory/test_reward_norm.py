"""The norm that rewards need (Assumption 4.1 (i)) against direct minimisation, and its line in the report."""

import numpy as np
import pytest
from scipy.optimize import minimize

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import HypothesisVerdict
from kernelbandits.theory.diagnosis import diagnose

KERNEL = kb.Gaussian(2.0)


def data(n=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 3)), rng.standard_normal(n)


def test_smallest_norm_without_noise_is_that_of_the_interpolator():
    X, y = data()
    assert theory.smallest_norm(KERNEL, X, y) == pytest.approx(kb.MinNormInterpolator(KERNEL).fit(X, y).norm)


@pytest.mark.parametrize("noise_std", [0.05, 0.2])
def test_smallest_norm_by_direct_minimisation(noise_std):
    """min aᵀKa subject to ‖y − Ka‖² ≤ σ²(n + 4√(2n))."""
    X, y = data()
    K, limit = KERNEL(X), noise_std**2 * (12 + 4 * np.sqrt(24))
    residual = {"type": "ineq", "fun": lambda a: limit - np.sum((y - K @ a) ** 2)}
    start = np.linalg.solve(K, y)
    solved = minimize(lambda a: a @ K @ a, start, constraints=residual, options={"maxiter": 2000, "ftol": 1e-12})
    assert theory.smallest_norm(KERNEL, X, y, noise_std) == pytest.approx(np.sqrt(solved.fun), rel=1e-4)


def test_smallest_norm_of_the_extremes():
    """0 if the rewards may be noise; ∞ if one context has two rewards, or a linear kernel meets rewards at 0."""
    X, y = data()
    assert theory.smallest_norm(KERNEL, X, y, 10.0) == 0.0
    assert theory.smallest_norm(KERNEL, [[1.0], [1.0]], [0.0, 1.0]) == np.inf
    assert theory.smallest_norm(KERNEL, [[1.0], [1.0]], [1.0, 1.0]) == pytest.approx(1.0)
    assert theory.smallest_norm(kb.Linear(), [[0.0]], [1.0]) == np.inf
    picked = theory.subsample(np.c_[X, y], 5)
    assert theory.smallest_norm(KERNEL, picked[:, :3], picked[:, 3]) <= theory.smallest_norm(KERNEL, X, y)


@pytest.mark.parametrize("noise_std", [0.01, 0.3])
def test_smallest_norm_is_below_the_true_one(noise_std):
    """The true f satisfies the constraint, so its norm is never contradicted: forty draws of the paper's rewards."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        instance = kb.Synthetic(kb.LowRank(), n_arms=1, dim=4, noise_std=noise_std).draw(rng)
        rounds = instance.rounds(30, rng)
        y = rounds.means[:, 0] + rounds.noise
        needed = theory.smallest_norm(kb.Gaussian(4.0), rounds.contexts[:, 0], y, noise_std)
        assert 0 < needed <= instance.rewards[0].norm or noise_std == 0.3


NAME = "‖f‖ ≤ B"


def test_assumption_4_1_norm():
    """Rewards that need more than B contradict ‖f‖ ≤ B; nothing proves it."""
    lines = [
        ({}, HypothesisVerdict.UNKNOWN, "no B was given; no rewards show it"),
        ({"norm": 2.0}, HypothesisVerdict.UNKNOWN, "B = 2; no rewards show it"),
        ({"needed_norm": 3.0}, HypothesisVerdict.UNKNOWN, "no B was given; the rewards need a norm of at least 3"),
        (
            {"norm": 2.0, "needed_norm": 1.99},
            HypothesisVerdict.UNKNOWN,
            "B = 2; the rewards need a norm of at least 1.99",
        ),
        (
            {"norm": 2.0, "needed_norm": 2.01},
            HypothesisVerdict.FAILS,
            "B = 2; the rewards need a norm of at least 2.01",
        ),
        (
            {"norm": 2.0, "needed_norm": np.inf},
            HypothesisVerdict.FAILS,
            "B = 2; the rewards need a norm of at least inf",
        ),
    ]
    for given, verdict, reason in lines:
        found = theory.assumptions(KERNEL, **given)[NAME]
        assert (found.verdict, found.reason) == (verdict, reason)


def test_diagnosis_has_the_line_for_the_arm_that_needs_most():
    X, y = data(60)
    arms = np.arange(60) % 3
    y = y + 5.0 * (arms == 1)
    needed = [theory.smallest_norm(KERNEL, X[arms == i], y[arms == i], 0.5) for i in range(3)]
    assert np.argmax(needed) == 1
    for norm, verdict in ((1.01 * needed[1], HypothesisVerdict.UNKNOWN), (0.99 * needed[1], HypothesisVerdict.FAILS)):
        line = diagnose(X, arms, y, kernel=KERNEL, noise_std=0.5, norm=norm).assumptions[NAME]
        assert line.verdict is verdict
        assert f"at least {needed[1]:.4g}" in line.reason
    assert diagnose(X).assumptions[NAME].reason == "B = 1; no rewards show it"
    pooled = diagnose(X, None, y, kernel=KERNEL, noise_std=0.5).assumptions[NAME]
    assert f"at least {theory.smallest_norm(KERNEL, X, y, 0.5):.4g}" in pooled.reason
