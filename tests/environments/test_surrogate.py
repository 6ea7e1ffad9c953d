"""Surrogate instances and how they serve rows, against slow, obvious versions."""

from dataclasses import replace

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.environments import OwnContexts, SharedContexts, SurrogateInstance
from kernelbandits.environments.surrogate import fit_oracles, split_groups
from kernelbandits.errors import InvalidArgument

KERNEL = kb.Gaussian(gamma=4.0)


def groups(sizes=(30, 40, 25), dim=3, seed=0):
    rng = np.random.default_rng(seed)
    return [(rng.standard_normal((n, dim)), rng.random(n)) for n in sizes]


def instance(contexts, n_fit=15, seed=0):
    rows = groups()
    numbers = [np.arange(len(X)) for X, _ in rows]
    fitted, served = split_groups(numbers, [n_fit] * len(rows), np.random.default_rng(seed))
    samples = [(X[fit], y[fit]) for (X, y), fit in zip(rows, fitted, strict=True)]
    held_out = tuple(X[rest] for (X, _), rest in zip(rows, served, strict=True))
    oracles = fit_oracles(kb.KernelRidge(KERNEL, ridge=0.1), samples)
    return SurrogateInstance(oracles, held_out, contexts, noise_std=0.01), samples, held_out


def as_set(rows):
    return {row.tobytes() for row in rows}


@pytest.mark.parametrize("contexts", [OwnContexts(), SharedContexts()], ids=repr)
def test_means_and_norms_are_those_of_the_ridge_solution(contexts):
    made, samples, _ = instance(contexts)
    problem, rounds = made.problem(50), made.rounds(50, np.random.default_rng(1))
    assert (problem.n_arms, problem.dim, problem.horizon, problem.noise_std) == (3, 3, 50, 0.01)
    for arm, (X, y) in enumerate(samples):
        K = np.array([[np.exp(-4.0 * np.sum((a - b) ** 2) / 3) for b in X] for a in X])
        a = np.linalg.solve(K + 0.1 * np.eye(len(X)), y)
        assert problem.reward_norms[arm] == pytest.approx(np.sqrt(a @ K @ a), rel=1e-10)
        for t in (0, 20, 49):
            k = np.exp(-4.0 * np.sum((rounds.contexts[t, arm] - X) ** 2, axis=1) / 3)
            assert rounds.means[t, arm] == pytest.approx(k @ a, abs=1e-12)
    assert np.allclose(problem.true_means(rounds.contexts[7]), rounds.means[7], atol=1e-13)


def test_every_arm_serves_its_own_rows_each_once_before_any_again():
    made, samples, held_out = instance(OwnContexts())
    contexts = made.rounds(40, np.random.default_rng(2)).contexts
    for arm, rows in enumerate(held_out):
        n = len(rows)
        assert as_set(contexts[:n, arm]) == as_set(rows), "the first n rounds serve all n rows"
        assert as_set(contexts[n : 2 * n, arm]) <= as_set(rows)
        assert not np.array_equal(contexts[n : n + 10, arm], contexts[:10, arm]), "in another order"
        assert not as_set(contexts[:, arm]) & as_set(samples[arm][0]), "no row is both oracle and context"


def test_a_shared_pool_shows_all_arms_the_same_row():
    made, _, held_out = instance(SharedContexts())
    contexts = made.rounds(60, np.random.default_rng(2)).contexts
    assert (contexts == contexts[:, :1]).all()
    everything = np.concatenate(held_out)
    assert as_set(contexts[: len(everything), 0]) == as_set(everything)


@pytest.mark.parametrize("n_fit", [0, 10, 11])
def test_a_split_leaves_rows_on_both_sides(n_fit):
    with pytest.raises(InvalidArgument, match=f"cannot take {n_fit} of 10 rows"):
        split_groups([np.arange(20), np.arange(10)], [5, n_fit], np.random.default_rng(0))


def test_a_split_uses_every_row_once():
    [fit, _], [rest, _] = split_groups([np.arange(10), np.arange(10, 15)], [4, 2], np.random.default_rng(0))
    assert len(fit) == 4
    assert sorted([*fit, *rest]) == list(range(10))


def test_what_does_not_fit_together_is_refused():
    made, _, held_out = instance(OwnContexts())
    with pytest.raises(InvalidArgument, match="one entry per arm; got 2 and 3"):
        SurrogateInstance(made.oracles[:2], held_out, OwnContexts(), 0.1)
    with pytest.raises(InvalidArgument, match="one entry per arm; got 0 and 0"):
        SurrogateInstance((), (), OwnContexts(), 0.1)
    for noise_std in (-0.1, np.nan, np.array([0.1, 0.1]), np.array([0.1, -0.1, 0.1]), np.array([0.1, 0.1, np.inf])):
        with pytest.raises(InvalidArgument, match="noise_std"):
            SurrogateInstance(made.oracles, held_out, OwnContexts(), noise_std)
    with pytest.raises(InvalidArgument, match=r"groups\[1\]"):
        SurrogateInstance(made.oracles, (held_out[0], held_out[1][:, :2], held_out[2]), OwnContexts(), 0.1)
    with pytest.raises(InvalidArgument, match=r"groups\[0\] must not be empty"):
        SurrogateInstance(made.oracles, (np.empty((0, 3)), *held_out[1:]), SharedContexts(), 0.1)
    flat = replace(made.oracles[1], centers=made.oracles[1].centers[:, :2])
    with pytest.raises(InvalidArgument, match=r"oracles\[1\] has 2 features, oracles\[0\] has 3"):
        SurrogateInstance((made.oracles[0], flat, made.oracles[2]), held_out, OwnContexts(), 0.1)


def test_every_arm_has_its_own_noise():
    made, _, held_out = instance(OwnContexts())
    noise_std = np.array([0.1, 3.0, 0.0])
    noisy = SurrogateInstance(made.oracles, held_out, OwnContexts(), noise_std)
    assert noisy.problem().noise_std == 3.0, "learners are told that of the noisiest arm"
    rounds, alike = (each.rounds(4000, np.random.default_rng(1)) for each in (noisy, made))
    assert np.array_equal(rounds.means, alike.means)
    assert np.allclose(rounds.noise.std(axis=0), noise_std, rtol=0.05)
    assert alike.noise.shape == (4000,)
    trace = kb.play(kb.Uniform(), noisy, 3000, rng=2)
    means = noisy.rounds(3000, np.random.default_rng(2).spawn(2)[0]).means
    noise = trace.rewards - means[np.arange(3000), trace.arms]
    assert np.allclose([noise[trace.arms == arm].std() for arm in range(3)], noise_std, rtol=0.1)
    assert np.allclose(trace.regrets, means.max(axis=1) - means[np.arange(3000), trace.arms])
